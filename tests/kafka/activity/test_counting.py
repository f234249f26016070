"""Counting on real Kafka: what makes an extraction request and what does not [A2-A5, A7]."""

from pathlib import Path

from streams.settings import Settings
from tests.activity_events import Server
from tests.kafka.activity.outputs import all_done, requests, send_events
from tests.kafka.activity.workers import workers_of


async def test_five_successful_room_runs_make_a_request_and_four_dont_each_next_five_the_next_A3_A5(
    settings: Settings, topics: tuple[str, ...], tmp_path: Path
) -> None:
    server = Server()
    async with workers_of(settings, tmp_path) as workers:
        await workers.start()
        sent = await send_events(settings, [event for n in range(4) for event in server.a_run("a", f"run-{n}", room=f"r{n % 2}")])
        await all_done(settings, sent)
        assert await requests(settings) == []
        more = await send_events(settings, [event for n in range(4, 14) for event in server.a_run("a", f"run-{n}", room="r0")])
        await all_done(settings, more)
        first, second = await requests(settings)
    sent += more
    assert (first.cut, first.interval.first, first.interval.last) == (1, sent[0][1], sent[14][1])
    assert [run.run for run in first.runs] == [f"run-{n}" for n in range(5)]
    assert [room.room for room in first.rooms] == ["r0", "r1"]
    assert (second.cut, second.interval.first, second.interval.last) == (2, sent[14][1] + 1, sent[29][1])
