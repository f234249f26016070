"""What makes a table and a commit sure: exceptions, foreign writes, lost tables, and a worker with nothing to do [A7, F02, F23]."""

import asyncio
import socket
from pathlib import Path

from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

from schemas.codec import encode
from schemas.extraction import Done, DoneOutcome
from streams.activity.rows import agent_key
from streams.kafka.clients import admin
from streams.kafka.fatal import EXIT_FATAL
from streams.kafka.partitioner import partition_for
from streams.kafka.reading import read_to_end
from streams.kafka.topics import create_topics, mend_topics, topic_name
from streams.settings import Settings
from tests.activity_events import START, Server
from tests.faults.rounds import CHANGELOG, counts
from tests.kafka.activity.outputs import all_done, committed, eventually, requests, send_events
from tests.kafka.activity.workers import workers_of
from tests.kafka.producing import send


async def test_an_exception_in_an_agents_body_ends_the_process_and_the_record_comes_again_F02(
    settings: Settings, topics: tuple[str, ...], tmp_path: Path
) -> None:
    """The broker refuses what candidates publish: what came of the record is not there, so it must not count as done."""
    first, second = (Done(agent="a", request="q", cut=cut, plan="p", outcome=DoneOutcome.COMPLETED, at=START) for cut in (1, 2))
    name = topic_name(settings, "extractions")
    journal = ConfigResource(ConfigResourceType.TOPIC, topic_name(settings, "memory-candidates"), {"max.message.bytes": "64"})
    async with workers_of(settings, tmp_path) as workers:
        worker = await workers.start()
        await all_done(settings, [await send(settings, name, encode(first), key=b"a", partition=1)], "extractions")
        async with admin(settings) as client:
            await client.alter_configs([journal])
        await send(settings, name, encode(second), key=b"a", partition=1)
        assert await asyncio.wait_for(worker.process.wait(), 60) == EXIT_FATAL, workers.logs()
        assert (await committed(settings, "extractions"))[1] == 1
        await mend_topics(settings)
        await workers.start()

        async def said() -> bool:
            return [record.key async for record in read_to_end(settings, topic_name(settings, "memory-candidates"))] == [b"a", b"a"]

        await eventually(said, "what came of the second record")


async def test_a_publication_that_the_broker_refuses_leaves_nothing_done_and_comes_again_A7_F32(
    settings: Settings, topics: tuple[str, ...], tmp_path: Path
) -> None:
    """Rows that were written before their effects are published would make the redelivery a no-op, and the request never sent."""
    server, name = Server(), topic_name(settings, "extraction-requests")
    async with workers_of(settings, tmp_path) as workers:
        worker = await workers.start()
        await all_done(settings, await send_events(settings, server.a_run("a", "run-0")))
        async with admin(settings) as client:
            await client.alter_configs([ConfigResource(ConfigResourceType.TOPIC, name, {"max.message.bytes": "64"})])
        sent = await send_events(settings, [event for n in range(1, 5) for event in server.a_run("a", f"run-{n}")])
        assert await asyncio.wait_for(worker.process.wait(), 60) == EXIT_FATAL, workers.logs()
        assert await counts(settings) == {"a": 1}
        await mend_topics(settings)
        await workers.start()
        await all_done(settings, sent)
        assert [request.cut for request in await requests(settings)] == [1]


async def test_a_zombies_row_ends_the_owner_and_the_row_that_has_applied_most_is_in_force_again_A7(
    settings: Settings, topics: tuple[str, ...], tmp_path: Path
) -> None:
    settings = settings.model_copy(update={"idle_after_seconds": 3_600.0})  # idleness would write the row again
    server, home, changelog = Server(), partition_for(b"a", settings.partitions), topic_name(settings, CHANGELOG)
    async with workers_of(settings, tmp_path) as workers:
        owner = await workers.start()
        for n in range(3):
            await all_done(settings, await send_events(settings, server.a_run("a", f"run-{n}")))
        rows = [record async for record in read_to_end(settings, changelog, [home]) if record.key == agent_key("a")]
        stale, newest = rows[0].value, rows[-1].value
        assert stale is not None and newest is not None and stale[:8] < newest[:8]
        await send(settings, changelog, stale, key=agent_key("a"), partition=home)  # as a zombie would, late
        sent = await send_events(settings, server.a_run("a", "run-3"))
        assert await asyncio.wait_for(owner.process.wait(), 60) == EXIT_FATAL, workers.logs()
        await workers.start()
        await all_done(settings, sent)
        assert await counts(settings) == {"a": 4}
        assert await requests(settings) == []

        # A row that came later with less in it, and no write of ours since: recovery puts the other back into the log.
        assert await workers.all[1].stop() == 0
        await send(settings, changelog, stale, key=agent_key("a"), partition=home)
        await workers.start()

        async def put_back() -> bool:
            last = [record async for record in read_to_end(settings, changelog, [home]) if record.key == agent_key("a")][-1]
            return last.value != stale

        await eventually(put_back, "the newer row to be written again")
        await all_done(settings, await send_events(settings, server.a_run("a", "run-4")))
        assert [run.run for run in (await requests(settings))[0].runs] == [f"run-{n}" for n in range(5)]


async def test_a_worker_without_a_partition_is_ready_and_takes_over_F08(settings: Settings, tmp_path: Path) -> None:
    """Two workers and one partition: the spare one says that it is ready, and takes over when the other is killed."""
    settings = settings.model_copy(update={"partitions": 1})
    await create_topics(settings)
    async with workers_of(settings, tmp_path) as workers:
        ports = [_free_port(), _free_port()]
        for number, port in enumerate(ports):
            await workers.start(str(number), health_port=port)

        async def both_ready() -> bool:
            return [await _status(port) for port in ports] == [200, 200]

        await eventually(both_ready, "two workers to be ready")
        server = Server()
        await all_done(settings, await send_events(settings, server.a_run("a", "run-0")))
        await workers.all[0].kill()
        await all_done(settings, await send_events(settings, [event for n in range(1, 5) for event in server.a_run("a", f"run-{n}")]))
        await eventually(lambda: _is_ready(ports[1]), "the other to be ready again")
        assert len(await requests(settings)) == 1
        assert await workers.all[1].stop() == 0, workers.logs()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _is_ready(port: int) -> bool:
    return await _status(port) == 200


async def _status(port: int) -> int:
    """Give the status of `/readyz`; 0 if nobody listens."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /readyz HTTP/1.0\r\n\r\n")
        line = await reader.readline()
        writer.close()
        return int(line.split()[1]) if line else 0
    except OSError:
        return 0
