"""Bad input on real Kafka: one dead letter each, the next record processed, nobody falls over [E1, E6]."""

from pathlib import Path

from schemas.events import PinLine
from schemas.journal import Forwarded
from streams.kafka.partitioner import partition_for
from streams.kafka.topics import topic_name
from streams.settings import Settings
from tests.activity_events import Server, wire
from tests.kafka.activity.outputs import all_done, dead_letters, eventually, journal, requests, send_events
from tests.kafka.activity.workers import workers_of
from tests.kafka.producing import Outgoing, send, send_all
from tests.unit.activity.test_bad_input import bad_ones


async def test_each_class_of_bad_input_on_each_topic_is_one_dead_letter_and_the_next_is_processed_E1_E6(
    settings: Settings, topics: tuple[str, ...], tmp_path: Path
) -> None:
    server, home = Server(), partition_for(b"a", settings.partitions)
    async with workers_of(settings, tmp_path) as workers:
        await workers.start(max_event_bytes=65_536)
        expected = set()
        sent: dict[str, list[tuple[int, int]]] = {}
        for topic in ("messages", "tool-calls", "commands"):
            bad = [(reason, record) for reason, records in bad_ones(topic).items() for record in records]
            name = topic_name(settings, topic)
            records = [Outgoing(name, record.value, record.key, home, dict(record.headers)) for _, record in bad]
            headers, key, value = wire(server.said("a") if topic == "messages" else server.called("a", "r"))
            if topic == "commands":
                headers, key, value = wire(server.event(PinLine(agent="a", boot=1, who="ops", line="l")))
            records.append(Outgoing(name, value, key, (home + 1) % settings.partitions, headers))
            sent[topic] = await send_all(settings, records)
            reasons = [reason.value for reason, _ in bad] + ["wrong_partition"]
            expected |= {(f"{topic}[{at}]@{offset}", reason) for (at, offset), reason in zip(sent[topic], reasons, strict=True)}
        # No record that is not for us: a value that nobody can read where recorded answers are expected.
        position = await send(settings, topic_name(settings, "extractions"), b"\xff", key=b"a", partition=home)
        expected.add((f"extractions[{position[0]}]@{position[1]}", "invalid"))

        pin = server.event(PinLine(agent="a", boot=1, who="ops", line="l1"))
        good = await send_events(settings, [event for n in range(5) for event in server.a_run("a", f"run-{n}")])
        pinned = await send_events(settings, [pin])
        await all_done(settings, [*sent["messages"], *good])
        await all_done(settings, sent["tool-calls"], "tool-calls")
        await all_done(settings, [*sent["commands"], *pinned], "commands")
        await all_done(settings, [position], "extractions")

        async def told() -> bool:
            return {(str(one.position), one.reason.value) for one in await dead_letters(settings)} == expected

        await eventually(told, f"{len(expected)} dead letters", 20)
        assert len(await requests(settings)) == 1
        assert [one.event for one in await journal(settings) if isinstance(one, Forwarded)] == [pin.id]
        assert workers.all[0].process.returncode is None, workers.logs()
