"""The journal as records, in its order, whole transactions only."""

from collections.abc import AsyncIterator, Callable

from schemas.base import MAIN
from schemas.codec import Undecodable
from schemas.journal import JOURNAL, FoldSkipped, Journal
from streams.kafka.reading import end_offsets, read_range
from streams.kafka.topics import topic_name
from streams.settings import Settings

TOPIC = "memory-candidates"


async def journal_end(settings: Settings) -> int:
    """Offset of the journal up to which transactions have ended, exclusive."""
    return (await end_offsets(settings, topic_name(settings, TOPIC), "read_committed"))[0]


async def read_journal(
    settings: Settings, end: int, wanted: Callable[[bytes | None, bytes | None], bool] | None = None
) -> AsyncIterator[tuple[int, Journal | Undecodable]]:
    """Yield offset and record from the beginning up to, and without, `end`.

    `wanted` sees a record's key and value before it is decoded. Raises OffsetGone if the beginning is gone: the journal is the truth.
    """
    async for record in read_range(settings, topic_name(settings, TOPIC), 0, 0, end, "read_committed"):
        if wanted is None or wanted(record.key, record.value):
            yield record.offset, JOURNAL.decode(record.value)


async def skipped_records(settings: Settings, derivation: str = MAIN) -> frozenset[tuple[str, int]]:
    """Agent and offset of each record that is passed over (C13).

    A skip lies behind what it names, perhaps behind all that is folded so far, so a reader looks through the whole journal first.
    """
    records = read_journal(settings, await journal_end(settings), lambda _, value: value is not None and b'"fold.skipped"' in value)
    return frozenset(
        [
            (record.agent, record.offset)
            async for _, record in records
            if isinstance(record, FoldSkipped) and record.derivation == derivation
        ]
    )


def of_agent(agent: str) -> Callable[[bytes | None, bytes | None], bool]:
    """Wants one agent's records only."""
    key = agent.encode()
    return lambda record_key, _: record_key == key
