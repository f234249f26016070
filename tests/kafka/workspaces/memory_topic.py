"""The topic `memory` as consolidation writes it: transactions, the state last."""

import asyncio
from dataclasses import replace
from typing import Self

from schemas.codec import encode, encode_key
from schemas.ids import digest
from schemas.memory import AgentMemory, KnownRoom, KnownWorkspace
from streams.kafka.clients import make_transactional_producer, start
from streams.kafka.reading import end_offsets
from streams.kafka.topics import topic_name
from streams.memory_projection import projected
from streams.settings import Settings
from streams.workspaces.render import render
from tests.unit.workspaces.memories import a_line, a_memory, a_section


class MemoryTopic:
    """Publishes memories; keeps the last one of each agent to write only what differs."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._producer = make_transactional_producer(settings, "consolidation-main")
        self._last: dict[str, AgentMemory] = {}

    async def __aenter__(self) -> Self:
        await start(self._producer, self._settings)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._producer.stop()

    async def publish(self, *memories: AgentMemory) -> None:
        """All of them in one transaction."""
        async with self._producer.transaction():
            await self._send(*memories)
        self._last |= {memory.state.agent: memory for memory in memories}
        # A broker says that a transaction is committed before readers of committed records can see it.
        topic, deadline = topic_name(self._settings, "memory"), asyncio.get_running_loop().time() + 30
        while await end_offsets(self._settings, topic, "read_committed") != await end_offsets(self._settings, topic):
            assert asyncio.get_running_loop().time() < deadline, "the transaction does not become visible"

    async def abort(self, memory: AgentMemory) -> None:
        """A transaction that is taken back at its end."""
        await self._producer.begin_transaction()
        await self._send(memory)
        await self._producer.abort_transaction()

    async def _send(self, *memories: AgentMemory) -> None:
        topic = topic_name(self._settings, "memory")
        for memory in memories:
            for key, record in projected(self._last.get(memory.state.agent), memory):
                await self._producer.send_and_wait(topic, encode(record) if record else None, key=encode_key(key), partition=0)


def remembering(version: int, agent: str = "agent", *, text: str = "", forgets: int = 0, **places: bool) -> AgentMemory:
    """A memory whose version shows in its text, with workspaces by name, attached or not."""
    line = a_line(1, text or f"Always say {agent} {version}.")
    memory = a_memory(
        a_section(1, line),
        a_section(2, a_line(2, f"Two of {version}.")),
        version=version,
        revised_at=version * 10,
        agent=agent,
        forgets=forgets,
    )
    files = {path: digest(content) for path, content in render(memory).items()}
    return replace(
        memory,
        state=memory.state.model_copy(update={"files": files}),
        sections=tuple(section.model_copy(update={"agent": agent}) for section in memory.sections),
        workspaces={name: KnownWorkspace(agent=agent, workspace=name, path=f"team/{name}", attached=on) for name, on in places.items()},
        rooms={"room-1": KnownRoom(agent=agent, room="room-1")},
    )
