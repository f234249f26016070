"""Idleness on real Kafka: a quiet partition is told the time, and nobody's clock decides [A6, A8]."""

from pathlib import Path

from schemas.events import ClockTicked, ConsolidateNow, ExtractNow
from schemas.journal import AgentBusy
from schemas.memory import LicenceKind
from streams.kafka.reading import read_to_end
from streams.kafka.topics import topic_name
from streams.settings import Settings
from tests.activity_events import Server
from tests.kafka.activity.outputs import eventually, journal, licences, requests, send_events
from tests.kafka.activity.workers import workers_of


async def test_a_quiet_partition_is_ticked_until_its_agent_is_idle_and_then_no_more_A6(
    settings: Settings, topics: tuple[str, ...], tmp_path: Path
) -> None:
    server = Server()
    async with workers_of(settings, tmp_path) as workers:
        await workers.start()
        sent = await send_events(settings, [event for n in range(5) for event in server.a_run("a", f"run-{n}")])

        async def idle() -> bool:
            return len(await licences(settings)) == 1

        await eventually(idle, "an idle licence")
        (licence,) = await licences(settings)
        assert (licence.agent, licence.kind, licence.cut) == ("a", LicenceKind.IDLE, 1)
        assert [one.busy for one in await journal(settings) if isinstance(one, AgentBusy)] == [True, False] * 5

        commands = [ExtractNow(agent="a", boot=1, who="ops"), ConsolidateNow(agent="a", boot=1, who="ops")]
        await send_events(settings, [server.event(command) for command in commands])

        async def said() -> bool:
            return len(await licences(settings)) == 2

        await eventually(said, "the licence that was asked for")
        assert (await licences(settings))[1].who == "ops"
        assert [request.who for request in await requests(settings)] == [None, "ops"]

        messages = [record async for record in read_to_end(settings, topic_name(settings, "messages"))]
        ticks = [record for record in messages if dict(record.headers)["ce_type"] == b"clock.ticked"]
        assert ticks
        assert {record.partition for record in ticks} == {sent[0][0]}
        assert all(record.key is None for record in ticks)
        assert len({dict(record.headers)["ce_id"] for record in ticks}) == len(ticks)
        assert licence.origin.position.offset == ticks[-1].offset
        assert ClockTicked.model_validate_json(ticks[0].value).partition == sent[0][0]
