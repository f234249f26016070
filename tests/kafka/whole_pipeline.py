"""The whole pipeline for a test: many agents with the demo's transcripts, fed in steps, and what has been written of them so far.

The steps are: send, all candidates recorded, idle, all decided and written. A Task's run is open from the first step to the third, so that
idleness comes when the test wants it, and not while a killed role is still starting.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson
from aiokafka import TopicPartition

from schemas.codec import Event, structured
from schemas.events import AgentEvent, Context, Outcome, RunFinished, RunStarted, WorkspaceAttached
from streams.audit.projection import read_projection
from streams.demo import scenario
from streams.importers.events import import_events
from streams.importers.lines import GoodLine, read_lines
from streams.kafka.clients import make_consumer, start
from streams.kafka.topics import topic_name
from streams.settings import Settings
from tests.kafka.producing import until

DEADLINE_SECONDS = 120.0
WATCHED = ("extraction-requests", "extractions", "memory-candidates")
Meanwhile = Callable[["Watch"], Awaitable[None]]


@dataclass(frozen=True)
class Part:
    """Events to send at once, the ends of the runs that keep the agents from being idle, and the cuts that each agent has then."""

    files: tuple[Path, ...]
    ends: tuple[Path, ...]
    cuts: int


def copies(folder: Path, agents: Sequence[str]) -> tuple[Part, Part]:
    """Write the demo's transcripts for each agent, with workspaces of its own: the days before the restart, and those after it."""
    folder.mkdir(parents=True)
    first, second = scenario.TRANSCRIPTS[:2], scenario.TRANSCRIPTS[2:]
    return _part(folder / "1", agents, first, 1), _part(folder / "2", agents, second, scenario.CUTS)


def _part(folder: Path, agents: Sequence[str], originals: Sequence[Path], cuts: int) -> Part:
    folder.mkdir()
    files, ends = [], []
    for agent in agents:
        lines = [line for original in originals for line in read_lines(original, agent=agent, event_bytes_max=1 << 20)]
        events = [_moved(line.event, agent) for line in lines if isinstance(line, GoodLine)]
        started, finished = _background_run(events[0], agent, folder.name)
        files.append(_written(folder / f"{agent}.jsonl", [started, *events]))
        ends.append(_written(folder / f"{agent}-end.jsonl", [finished]))
    return Part(tuple(files), tuple(ends), cuts)


def _background_run(first: Event, agent: str, name: str) -> tuple[Event, Event]:
    """A Task's run, which does not count: while it is open the agent is not idle."""
    assert isinstance(first.data, AgentEvent)
    run = {"agent": agent, "boot": first.data.boot, "room": "room-operations", "context": Context.TASK, "run": f"background-{name}"}
    return (
        Event(f"background-start-{name}", first.source, first.time, RunStarted.model_validate(run)),
        Event(f"background-end-{name}", first.source, first.time, RunFinished.model_validate({**run, "outcome": Outcome.SUCCEEDED})),
    )


def _written(path: Path, events: Iterable[Event]) -> Path:
    path.write_bytes(b"\n".join(structured(event) for event in events))
    return path


def _moved(event: Event, agent: str) -> Event:
    data = event.data
    if not isinstance(data, WorkspaceAttached):
        return event
    own = {"workspace": f"{agent}-{data.workspace}", "path": f"{agent}/{data.path}"}
    return Event(event.id, event.source, event.time, data.model_copy(update=own))


@dataclass
class Watch:
    """What stands on the topics between the roles, read on and on while the body of `watching` runs."""

    found: list[tuple[str, str, str, int]] = field(default_factory=list)
    """Topic, type, agent, cut (0 where there is none)."""

    def agents(self, topic: str, kind: str, cut: int = 0) -> set[str]:
        """Agents that have such a record, of this cut or later."""
        return {agent for where, what, agent, number in self.found if (where, what) == (topic, kind) and number >= cut}

    def count(self, topic: str, kind: str) -> int:
        """How many such records there are, repeats included."""
        return sum((where, what) == (topic, kind) for where, what, _, _ in self.found)


@contextlib.contextmanager
def watching(settings: Settings) -> Iterator[Watch]:
    """Give what is written while the body runs."""
    watch = Watch()
    task = asyncio.create_task(_read_on(settings, watch))
    try:
        yield watch
    finally:
        task.cancel()


async def _read_on(settings: Settings, watch: Watch) -> None:
    consumer = make_consumer(settings, isolation="read_committed", offset_reset="earliest")
    await start(consumer, settings)
    try:
        names = {topic_name(settings, name): name for name in WATCHED}
        counts = {name: 1 if name == "memory-candidates" else settings.partitions for name in WATCHED}
        consumer.assign([TopicPartition(whole, number) for whole, name in names.items() for number in range(counts[name])])
        while True:
            for where, records in (await consumer.getmany(timeout_ms=100)).items():
                for record in records:
                    value = orjson.loads(record.value or b"{}")
                    watch.found.append((names[where.topic], value.get("type", ""), value.get("agent", ""), value.get("cut", 0)))
    finally:
        await consumer.stop()


async def nothing(watch: Watch) -> None:
    """Let it go on undisturbed."""


async def feed(
    settings: Settings,
    watch: Watch,
    part: Part,
    agents: Sequence[str],
    *,
    while_sending: Meanwhile = nothing,
    while_extracting: Meanwhile = nothing,
    while_deciding: Meanwhile = nothing,
    while_writing: Meanwhile = nothing,
) -> None:
    """Send a part and see it through to the files."""
    everyone = set(agents)
    sending = asyncio.create_task(import_events(settings, part.files))
    await while_sending(watch)
    assert not (await sending).bad
    await while_extracting(watch)
    await until(lambda: watch.agents("memory-candidates", "request.done", part.cuts) >= everyone, "all requests done", DEADLINE_SECONDS)
    await import_events(settings, part.ends)
    await while_deciding(watch)
    await while_writing(watch)
    await until_settled(settings, agents, part.cuts)


async def until_settled(settings: Settings, agents: Iterable[str], cuts: int) -> None:
    """Wait until everything up to this cut is decided, and each workspace holds what the memory says."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + DEADLINE_SECONDS
    while waiting := await _unsettled(settings, agents, cuts):
        assert loop.time() < deadline, f"waited {DEADLINE_SECONDS:.0f} s in vain: {waiting}"
        await asyncio.sleep(0.1)


async def _unsettled(settings: Settings, agents: Iterable[str], cuts: int) -> dict[str, str]:
    """What each agent still waits for."""
    memories = (await read_projection(settings)).memories
    waiting = {}
    for agent in agents:
        memory = memories.get(agent)
        if memory is None or memory.state.cut_done < cuts or memory.state.licence is None or memory.state.licence.cut < cuts:
            waiting[agent] = "a licence"
        elif memory.pending or not all(summary.published for summary in memory.summaries.values()):
            waiting[agent] = f"{len(memory.pending)} decisions"
        else:
            for workspace in memory.workspaces.values():
                folder = settings.workspaces_directory / workspace.path / "agent-memory"
                missing = [name for name, digest in memory.state.files.items() if _digest(folder / name) != digest]
                if missing:
                    waiting[agent] = f"files of version {memory.state.version}: {missing}"
    return waiting


def _digest(path: Path) -> str:
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def files_of(settings: Settings, agent: str) -> dict[str, bytes]:
    """Give every file in the agent's workspaces, by its path below the folder of that agent."""
    root = settings.workspaces_directory / agent
    files = {}
    for path in sorted(root.rglob("*")):
        # A role may be at work: what it wrote beside a file is gone when it has taken its place.
        with contextlib.suppress(FileNotFoundError):
            if path.is_file():
                files[str(path.relative_to(root))] = path.read_bytes()
    return files
