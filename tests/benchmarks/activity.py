"""`make bench`: events a second of activity in one process, with durable tables on real Kafka, beside plain aiokafka in the same run.

Plain aiokafka reads the same events with `getmany`, validates each with the same code, and appends changelog records of the same keys and
bytes as activity wrote, as many for each event; nothing else: it counts nothing and would lose or double events at a kill. What activity
reaches of that is what counting, exactness and Faust cost. One runs after the other. Processor seconds are those of the process alone, so
they say the same on a machine that does other things too.

    python -m tests.benchmarks.activity [--events 200000] [--agents 500]

The last line is JSON: both figures in events a second and their ratio, and the same for processor seconds a million events.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from aiokafka import TopicPartition

from schemas.codec import Event, decode_event
from streams.kafka import local_broker
from streams.kafka.clients import make_consumer, make_producer, start
from streams.kafka.reading import end_offsets, read_to_end
from streams.kafka.topics import create_topics, topic_name
from streams.settings import PREFIX, Settings, load_settings
from tests.activity_events import Server, wire

MESSAGES = "messages"
CHANGELOG = "activity-messages-changelog"
TEXT = "I have looked at the branch and the tests; shall I rebase it on main before the review, or leave the history as it is? "
DEADLINE_SECONDS = 600.0


def events(count: int, agents: int) -> list[Event]:
    """Give events as a server sends them: runs of a start, six messages and an end, of many agents in three Rooms each."""
    server, chosen = Server(), random.Random(7)
    made: list[Event] = []
    while len(made) < count:
        agent, room, run = f"agent-{chosen.randrange(agents)}", f"room-{chosen.randrange(3)}", f"run-{len(made)}"
        made.append(server.started(agent, run, room))
        made += [server.said(agent, room, TEXT * chosen.randrange(1, 4), run=run) for _ in range(6)]
        made.append(server.finished(agent, run, room))
    return made[:count]


async def fill(settings: Settings, made: list[Event]) -> None:
    producer = make_producer(settings)
    await start(producer, settings)
    try:
        for first in range(0, len(made), 5_000):
            sent = []
            for event in made[first : first + 5_000]:
                headers, key, value = wire(event)
                sent.append(await producer.send(topic_name(settings, MESSAGES), value, key=key, headers=list(headers.items())))
            await asyncio.gather(*sent)
    finally:
        await producer.stop()


@dataclass(frozen=True)
class Taken:
    """What one side took from its first batch to its last: seconds, and processor seconds of its process."""

    seconds: float
    processor_seconds: float


async def run_activity(settings: Settings, count: int) -> Taken:
    """Give what activity took; it works in a process of its own, as it does always."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    values = settings.model_dump(mode="json", exclude_none=True)
    environment |= {PREFIX + name.upper(): str(value) for name, value in values.items()}
    with tempfile.TemporaryFile() as log:
        command = [sys.executable, "-m", "tests.benchmarks.activity", "--timed-worker", str(count)]
        worker = await asyncio.create_subprocess_exec(*command, env=environment, stdout=subprocess.PIPE, stderr=log)
        try:
            out, _ = await asyncio.wait_for(worker.communicate(), DEADLINE_SECONDS)
        except BaseException:
            worker.kill()
            raise
        if worker.returncode:
            log.seek(0)
            raise SystemExit(f"the worker of activity ended with {worker.returncode}: {log.read()[-2000:].decode()}")
    return Taken(*json.loads(out))


async def timed_worker(count: int) -> None:
    """Run activity in this process until it has worked on so many events; print what it took from the first batch on."""
    from streams.activity import app as activity_app
    from streams.activity import metrics
    from streams.observability.health import Health

    settings, stop, times = load_settings(), asyncio.Event(), {"first": 0.0, "records": 0.0}
    counted = metrics.count

    def count_and_look(topic: str, records: int, counts: dict[str, int]) -> None:
        counted(topic, records, counts)
        times["records"] += records
        if times["records"] >= count:
            times["last"], times["last_processor"] = time.perf_counter(), time.process_time()
            stop.set()

    work = activity_app.Activity._work

    async def from_the_first(self: activity_app.Activity, tp: object, records: object) -> None:
        if not times["first"]:
            times["first"], times["first_processor"] = time.perf_counter(), time.process_time()
        await work(self, tp, records)  # type: ignore[arg-type]

    activity_app.Activity._work = from_the_first  # type: ignore[method-assign, assignment]
    activity_app.metrics.count = count_and_look  # type: ignore[assignment]
    await activity_app.run(settings, Health("activity"), stop, derive=lambda record, position: ())
    print(json.dumps([times["last"] - times["first"], times["last_processor"] - times["first_processor"]]))


async def run_plain(settings: Settings, count: int, changelog: list[tuple[int, bytes | None, bytes | None]]) -> Taken:
    """Give what plain aiokafka takes for the same events, the same validation and the same changelog bytes."""
    topic, written = topic_name(settings, MESSAGES), topic_name(settings, "extraction-marks")
    consumer = make_consumer(settings, offset_reset="earliest", isolation="read_committed")
    producer = make_producer(settings)
    await start(consumer, settings)
    await start(producer, settings)
    try:
        consumer.assign([TopicPartition(topic, partition) for partition in range(settings.partitions)])
        await consumer._client.force_metadata_update()
        seen = at = 0
        first, first_processor = 0.0, 0.0
        while seen < count:
            fetched = await consumer.getmany(timeout_ms=1_000, max_records=settings.batch_records_max)
            if not first:
                first, first_processor = time.perf_counter(), time.process_time()
            for records in fetched.values():
                for record in records:
                    decode_event(MESSAGES, record.headers, record.key, record.value)
                seen += len(records)
                until = len(changelog) * seen // count
                sent = [await producer.send(written, value, key=key, partition=number) for number, key, value in changelog[at:until]]
                at = until
                for acknowledgement in sent:
                    await acknowledgement
        return Taken(time.perf_counter() - first, time.process_time() - first_processor)
    finally:
        await consumer.stop()
        await producer.stop()


async def main(count: int, agents: int) -> None:
    with tempfile.TemporaryDirectory(prefix="linger-memory-bench-") as folder:
        given = os.environ.get("LINGER_MEMORY_TEST_BOOTSTRAP")
        base = load_settings(data_directory=Path(folder), broker_port=0)
        address = given or await asyncio.to_thread(local_broker.start, base, 120.0)
        try:
            settings = base.model_copy(update={"bootstrap_servers": address, "topic_prefix": f"bench{os.getpid()}.", "partitions": 4})
            await create_topics(settings)
            print(f"sending {count} events of {agents} agents to {settings.partitions} partitions ...", flush=True)
            await fill(settings, events(count, agents))
            print("activity ...", flush=True)
            activity = await run_activity(settings, count)
            changelog = [(one.partition, one.key, one.value) async for one in read_to_end(settings, topic_name(settings, CHANGELOG))]
            requests = sum((await end_offsets(settings, topic_name(settings, "extraction-requests"))).values())
            size = sum(len(value or b"") for _, _, value in changelog)
            print(f"  {len(changelog)} rows of {size} bytes written, {requests} requests made", flush=True)
            print("plain aiokafka ...", flush=True)
            plain = await run_plain(settings, count, changelog)
        finally:
            if not given:
                await asyncio.to_thread(local_broker.stop, base, 0.0)
    result = {
        "events": count,
        "activity_events_per_second": round(count / activity.seconds),
        "plain_aiokafka_events_per_second": round(count / plain.seconds),
        "ratio": round(plain.seconds / activity.seconds, 3),
        "activity_processor_seconds_per_million": round(activity.processor_seconds / count * 1e6, 1),
        "plain_aiokafka_processor_seconds_per_million": round(plain.processor_seconds / count * 1e6, 1),
        "processor_ratio": round(plain.processor_seconds / activity.processor_seconds, 3),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--events", type=int, default=200_000)
    arguments.add_argument("--agents", type=int, default=500)
    arguments.add_argument("--timed-worker", type=int, default=0, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    asyncio.run(timed_worker(given.timed_worker) if given.timed_worker else main(given.events, given.agents))
