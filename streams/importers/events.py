"""`import events`: sends what is missing of our own JSONL, in the order of the lines (E3, E7).

1. Read all files once: which agents they name, which lines are bad. Nothing is sent yet.
2. Read the ids of these agents back from the topics. So the same file twice, a longer one later, or one that was interrupted is no
   trouble: only what is missing is sent.
3. Send. Before a `run.finished` all that came before it has been acknowledged: extraction reads a run's records once its end is there.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from aiokafka.errors import KafkaError

from schemas.codec import encode_event, topic_of
from schemas.events import BY_TOPIC, AgentEvent, RunFinished
from streams.importers.lines import BadLine, GoodLine, ImportFault, read_lines
from streams.kafka.clients import make_producer, start
from streams.kafka.partitioner import partition_for
from streams.kafka.reading import read_to_end
from streams.kafka.topics import require_topics, topic_name
from streams.settings import Settings

_WAITING_MAX = 1_000  # records handed to the producer and not yet acknowledged


@dataclass(frozen=True)
class Progress:
    """How far an import is in the step that it is in: bytes of the files, or topics when it compares."""

    step: str
    done: int
    total: int


Tell = Callable[[Progress], None]


@dataclass(frozen=True)
class Imported:
    """What became of the lines."""

    sent: int
    present: int
    """Events that the topics held already, or that stood in the files before."""
    by_type: dict[str, int]
    """Sent events."""
    agents: tuple[str, ...]
    bad: tuple[BadLine, ...]


async def import_events(
    settings: Settings, paths: Sequence[Path], agent: str | None = None, tell: Tell = lambda progress: None
) -> Imported:
    """Send the events of these files that the topics do not hold yet. Raises ImportFault, TopicsWrong, BrokerUnavailable."""
    await require_topics(settings)
    total = _size(paths)
    agents, bad = await _look_through(settings, paths, agent, lambda done: tell(Progress("reading", done, total)))
    tell(Progress("reading", total, total))
    topics = len(BY_TOPIC)
    known = await _known_ids(settings, agents, lambda done: tell(Progress("comparing with what is there", done, topics)))
    tell(Progress("comparing with what is there", topics, topics))
    return await _send(settings, paths, agent, agents, bad, known, lambda done: tell(Progress("sending", done, total)))


async def _look_through(
    settings: Settings, paths: Iterable[Path], agent: str | None, tell: Callable[[int], None]
) -> tuple[set[str], list[BadLine]]:
    agents: set[str] = set()
    bad: list[BadLine] = []
    before = 0
    for path in paths:
        for count, line in enumerate(read_lines(path, agent=agent, event_bytes_max=settings.max_event_bytes)):
            if isinstance(line, BadLine):
                bad.append(line)
            else:
                agents.add(_agent_of(line))
            if count % 500 == 0:
                tell(before + line.end)
                await asyncio.sleep(0)
        before += path.stat().st_size
    return agents, bad


async def _known_ids(settings: Settings, agents: set[str], tell: Callable[[int], None]) -> set[bytes]:
    keys = {agent.encode() for agent in agents}
    partitions = sorted({partition_for(key, settings.partitions) for key in keys})
    known: set[bytes] = set()
    if not partitions:
        return known
    for done, topic in enumerate(BY_TOPIC):
        tell(done)
        async for record in read_to_end(settings, topic_name(settings, topic), partitions):
            if record.key in keys and record.key is not None:
                attributes = dict(record.headers or ())
                known.add(_identity(record.key, attributes.get("ce_source", b""), attributes.get("ce_id", b"")))
    return known


async def _send(
    settings: Settings,
    paths: Iterable[Path],
    agent: str | None,
    agents: set[str],
    bad: list[BadLine],
    known: set[bytes],
    tell: Callable[[int], None],
) -> Imported:
    sent: Counter[str] = Counter()
    present = before = 0
    waiting: list[asyncio.Future[object]] = []
    producer = make_producer(settings, role="import")
    await start(producer, settings)
    last: GoodLine | None = None
    try:
        for path in paths:
            for line in read_lines(path, agent=agent, event_bytes_max=settings.max_event_bytes):
                if isinstance(line, BadLine):
                    continue
                headers, key, value = encode_event(line.event)
                identity = _identity(key or b"", line.event.source.encode(), line.event.id.encode())
                if identity in known:
                    present += 1
                    continue
                known.add(identity)
                if isinstance(line.event.data, RunFinished) or len(waiting) >= _WAITING_MAX:
                    await asyncio.gather(*waiting)
                    waiting.clear()
                    tell(before + line.end)
                topic = topic_name(settings, topic_of(line.event.data))
                partition = partition_for(key or b"", settings.partitions)
                waiting.append(await producer.send(topic, value, key=key, partition=partition, headers=headers))
                sent[line.event.type] += 1
                last = line
            before += path.stat().st_size
        await asyncio.gather(*waiting)
        tell(before)
    except KafkaError as error:
        where = f"{last.path}, line {last.line}" if last else "the first line"
        raise ImportFault(
            f"Kafka took no more at about {where}: {type(error).__name__}. Run the same command again: only what is missing is sent."
        ) from error
    finally:
        await producer.stop()
    return Imported(sent.total(), present, dict(sorted(sent.items())), tuple(sorted(agents)), tuple(bad))


def _identity(agent: bytes, source: bytes, event: bytes) -> bytes:
    """16 bytes that stand for an event id in the scope of its agent and source."""
    text = b"\0".join((agent, source, event))
    return hashlib.blake2b(text, digest_size=16).digest()


def _agent_of(line: GoodLine) -> str:
    data = line.event.data
    assert isinstance(data, AgentEvent)
    return data.agent


def _size(paths: Iterable[Path]) -> int:
    try:
        return sum(path.stat().st_size for path in paths)
    except OSError as error:
        raise ImportFault(f"{error.filename} can't be read: {error.strerror}.") from None
