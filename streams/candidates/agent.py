"""Candidates: from recorded answers to candidate events in the journal. It has no table: a redelivery says the same again.

Each record of `extractions` is derived alone, and all that comes of it is acknowledged before the next one is begun, so that in the
journal `request done` stands after all candidates of its request, and a Room's summary after the candidates of its chunk.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence

import structlog
from faust.types import TP

from schemas.base import Position
from schemas.codec import Undecodable, encode
from schemas.dead_letters import DeadLetter, DeadLetterClass
from schemas.extraction import EXTRACTIONS, ExtractionRecord
from schemas.journal import CandidateProposed, CandidateRejected, RequestDone, RoomSummarised
from streams.kafka.batches import Work
from streams.kafka.chain import Record
from streams.kafka.publishing import Outgoing

TOPIC = "extractions"
ROLE = "candidates"

_log = structlog.get_logger()

Derived = CandidateProposed | CandidateRejected | RoomSummarised | RequestDone
Derive = Callable[[ExtractionRecord, Position], Iterable[Derived]]
Publish = Callable[[Iterable[Outgoing]], Awaitable[None]]
"""Returns when all is acknowledged."""


def candidates_work(derive: Derive, publish: Publish) -> Work:
    """Give the work on a batch of `extractions`."""

    async def work(tp: TP, records: Sequence[Record]) -> None:
        for record in records:
            outgoing = derived(derive, tp.partition, record)
            if outgoing:
                await publish(outgoing)

    return work


def derived(derive: Derive, partition: int, record: Record) -> list[Outgoing]:
    """Give what one record of `extractions` comes to, in order; a dead letter if it can't be read."""
    position = Position(topic=TOPIC, partition=partition, offset=record.offset)
    recorded = EXTRACTIONS.decode(record.value)
    if isinstance(recorded, Undecodable):
        return [_dead_letter(record, position, recorded.reason, recorded.detail)]
    try:
        return [Outgoing("memory-candidates", 0, one.agent.encode(), encode(one)) for one in derive(recorded, position)]
    except Exception as error:  # one answer that nobody thought of must not stop all agents (C13)
        _log.error("an answer could not be derived", exc_info=error, partition=partition, offset=record.offset)
        return [_dead_letter(record, position, DeadLetterClass.SKIPPED, type(error).__name__)]


def _dead_letter(record: Record, position: Position, reason: DeadLetterClass, detail: str) -> Outgoing:
    letter = DeadLetter.about(record.value, position, reason, detail, role=ROLE, at_ms=record.timestamp)
    return Outgoing("dead-letters", 0, record.key, encode(letter))
