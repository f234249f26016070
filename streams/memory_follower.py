"""The agents' memories as the committed records of `memory` say, kept up to date in this process.

A transaction may come in two fetches, and half of it was never a memory. An agent's state is the last of its records in each, so what
comes before is held back till then.
"""

import structlog

from schemas.base import MAIN
from schemas.codec import Undecodable, decode_key
from schemas.memory import MEMORY, AgentMemory, MemoryRecord
from streams.kafka.following import TopicFollower
from streams.kafka.reading import Record
from streams.memory_projection import Assembler, Key
from streams.settings import Settings

_log = structlog.get_logger()


class WholeMemories:
    """Takes records in the topic's order and gives memories that once were, never half of a change. Pure."""

    def __init__(self, derivation: str = MAIN) -> None:
        self._assembler = Assembler(derivation)
        self._held_back: dict[str, list[tuple[Key, MemoryRecord | None]]] = {}

    def take(self, key: Key, record: MemoryRecord | None) -> str | None:
        """Take one record, None for a tombstone; give the agent whose memory is another one by it."""
        if len(key) < 3 or key[0] != self._assembler.derivation:
            return None
        kind, agent = str(key[1]), str(key[2])
        if kind != "state":
            self._held_back.setdefault(agent, []).append((key, record))
            return None
        for held_key, held in self._held_back.pop(agent, ()):
            self._assembler.put(held_key, held)
        self._assembler.put(key, record)
        return agent

    def memory(self, agent: str) -> AgentMemory | None:
        """Give the agent's memory, None if there is none."""
        return self._assembler.memory(agent)


class MemoryFollower:
    """Reads `memory` from its beginning on, committed records only."""

    def __init__(self, settings: Settings, derivation: str = MAIN, *, role: str = "reader") -> None:
        self._topic = TopicFollower(settings, "memory", self._take, isolation="read_committed", role=role)
        self._memories = WholeMemories(derivation)
        self._changed: set[str] = set()

    async def start(self) -> None:
        """Connect and read all that is there. Raises BrokerUnavailable."""
        await self._topic.start()
        await self._topic.catch_up()

    async def catch_up(self) -> None:
        """Read up to the end as it is at the call."""
        await self._topic.catch_up()

    async def poll(self, timeout_seconds: float) -> None:
        """Read what comes within the time-out."""
        await self._topic.poll(timeout_seconds)

    def changed(self) -> frozenset[str]:
        """Give the agents whose memory has changed since this was asked last."""
        changed, self._changed = frozenset(self._changed), set()
        return changed

    def memory(self, agent: str) -> AgentMemory | None:
        """Give the agent's memory as read so far, None if there is none."""
        return self._memories.memory(agent)

    async def stop(self) -> None:
        """Let the connection go."""
        await self._topic.stop()

    def _take(self, record: Record) -> None:
        decoded = MEMORY.decode(record.value) if record.value is not None else None
        if record.key is None or isinstance(decoded, Undecodable):
            _log.error("record of the memory can't be read", offset=record.offset, detail=getattr(decoded, "detail", "no key"))
        elif (agent := self._memories.take(decode_key(record.key), decoded)) is not None:
            self._changed.add(agent)
