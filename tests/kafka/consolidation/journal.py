"""What the other roles put on the journal, sent to a real broker, and what the consolidator made of it, read back."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from schemas.codec import decode_key, encode
from schemas.journal import DECISIONS, JOURNAL, DecisionRecord, Journal
from schemas.memory import MEMORY, AgentMemory
from streams.consolidation.worker import run
from streams.kafka.clients import admin
from streams.kafka.reading import read_to_end
from streams.kafka.topics import create_topics, topic_name
from streams.memory_projection import assemble
from streams.models.port import Consolidator
from streams.observability.health import Health
from streams.settings import Settings
from tests.kafka.producing import Outgoing, send_all
from tests.unit.consolidation.agent_log import AgentLog


class Script(AgentLog):
    """Records of one agent that are only made, to be sent; nothing is folded here."""

    def __init__(self, agent: str = "agent") -> None:
        super().__init__(agent)
        self._sent = 0

    def append(self, record: Journal) -> AgentMemory:
        self.records.append(record)
        return self.memory

    async def send(self, settings: Settings) -> None:
        """Send what was added since the last time."""
        unsent, self._sent = self.records[self._sent :], len(self.records)
        await send_journal(settings, unsent)


async def send_journal(settings: Settings, records: Sequence[Journal]) -> None:
    topic = topic_name(settings, "memory-candidates")
    await send_all(settings, [Outgoing(topic, encode(record), record.agent.encode(), 0) for record in records])


@asynccontextmanager
async def consolidating(settings: Settings, consolidator: Consolidator) -> AsyncIterator["asyncio.Task[None]"]:
    """Run the worker in this process; a fault of it fails the test."""
    stop, health = asyncio.Event(), Health("consolidation")
    task = asyncio.create_task(run(settings, health, stop, consolidator))
    try:
        yield task
        assert not task.done() or task.exception() is not None, "the worker ended by itself"
    finally:
        stop.set()
        await asyncio.wait([task], timeout=20)
        if not task.done():
            task.cancel()
    if not task.cancelled() and task.exception() is None:
        await task


async def journal(settings: Settings) -> list[Journal]:
    """All committed records of the journal that can be decoded."""
    topic = topic_name(settings, "memory-candidates")
    records = [JOURNAL.decode(r.value) async for r in read_to_end(settings, topic, isolation="read_committed")]
    return [record for record in records if hasattr(record, "type")]  # type: ignore[misc]


async def said(settings: Settings, kind: str) -> list[Journal]:
    return [record for record in await journal(settings) if record.type == kind]


async def projection(settings: Settings) -> dict[bytes, bytes]:
    """The compacted view of `memory`: the last value of each key."""
    view: dict[bytes, bytes] = {}
    async for record in read_to_end(settings, topic_name(settings, "memory"), isolation="read_committed"):
        assert record.key is not None
        if record.value is None:
            view.pop(record.key, None)
        else:
            view[record.key] = record.value
    return view


async def memories(settings: Settings) -> dict[str, AgentMemory]:
    pairs = [(decode_key(key), MEMORY.decode(value)) for key, value in (await projection(settings)).items()]
    return assemble(pairs)  # type: ignore[arg-type]


async def decisions(settings: Settings) -> list[DecisionRecord]:
    topic = topic_name(settings, "decisions")
    return [DECISIONS.decode(r.value) async for r in read_to_end(settings, topic, isolation="read_committed")]  # type: ignore[misc]


async def verdicts(settings: Settings) -> dict[str, str]:
    """What became of each candidate; fails if one was decided twice."""
    found: dict[str, str] = {}
    for record in await decisions(settings):
        if record.type == "candidate.decided":
            assert record.decision.candidate not in found, f"{record.decision.candidate} has two decisions"
            found[record.decision.candidate] = record.decision.verdict.value
    return found


async def texts(settings: Settings, agent: str = "agent") -> list[str]:
    memory = (await memories(settings)).get(agent)
    return [line.text for line in memory.lines] if memory else []


async def eventually(condition: Callable[[], object], what: str, deadline_seconds: float = 30.0) -> None:
    """Wait till an awaited condition holds."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + deadline_seconds
    while not await condition():  # type: ignore[misc]
        assert loop.time() < deadline, f"waited {deadline_seconds:.0f} s in vain for {what}"
        await asyncio.sleep(0.1)


async def has_version(settings: Settings, version: int, agent: str = "agent") -> None:
    async def there() -> bool:
        memory = (await memories(settings)).get(agent)
        return memory is not None and memory.state.version >= version

    await eventually(there, f"version {version} of {agent}")


async def folded_to_end(settings: Settings) -> None:
    """Wait till the position has passed all that is on the journal now."""
    topic = topic_name(settings, "memory-candidates")
    last = max([r.offset async for r in read_to_end(settings, topic, isolation="read_committed")], default=-1)

    async def there() -> bool:
        for key, value in (await projection(settings)).items():
            if decode_key(key) == ("main", "position"):
                position = MEMORY.decode(value)
                return position.type == "position" and position.next > last  # type: ignore[union-attr]
        return False

    await eventually(there, "the fold to reach the journal's end")


async def delete_and_create(settings: Settings, *names: str) -> None:
    async with admin(settings) as client:
        await client.delete_topics([topic_name(settings, name) for name in names])

        async def gone() -> bool:
            return not {topic_name(settings, name) for name in names} & set(await client.list_topics())

        await eventually(gone, "the topics to be gone")
    await create_topics(settings)
