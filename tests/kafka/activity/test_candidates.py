"""Recorded answers become journal records, in their order, whatever is killed [X10, A7]."""

from datetime import UTC, datetime
from pathlib import Path

from schemas.codec import encode
from schemas.extraction import Done, DoneOutcome
from schemas.journal import RequestDone
from streams.kafka.topics import topic_name
from streams.settings import Settings
from tests.kafka.activity.outputs import all_done, eventually, journal
from tests.kafka.activity.workers import workers_of
from tests.kafka.producing import Outgoing, send_all


async def test_each_recorded_end_is_told_once_or_more_in_order_also_over_a_kill(
    settings: Settings, topics: tuple[str, ...], tmp_path: Path
) -> None:
    def records(cuts: range) -> list[Outgoing]:
        done = [
            Done(agent="a", request=f"q{cut}", cut=cut, plan="p", outcome=DoneOutcome.COMPLETED, at=datetime(2026, 3, 2, tzinfo=UTC))
            for cut in cuts
        ]
        return [Outgoing(topic_name(settings, "extractions"), encode(one), b"a", 2) for one in done]

    async with workers_of(settings, tmp_path) as workers:
        first = await workers.start()
        await send_all(settings, records(range(1, 400)))

        async def some() -> bool:
            return len(await journal(settings)) > 20

        await eventually(some, "the first of them")
        await first.kill()
        sent = await send_all(settings, records(range(400, 500)))
        await workers.start()
        await all_done(settings, sent, "extractions")
        told = [one for one in await journal(settings) if isinstance(one, RequestDone)]
        seen = list(dict.fromkeys(one.cut for one in told))
        assert seen == list(range(1, 500)), workers.logs()
        assert [(str(one.origin.position), one.origin.ordinal) for one in told[:2]] == [("extractions[2]@0", 0), ("extractions[2]@1", 0)]
