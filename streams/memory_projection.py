"""Between an agent's memory as a value and its records on the compacted topic `memory`, both ways.

One record a section, summary, pending candidate, Room and workspace, and the state last: a reader that has seen a transaction's end has
seen a memory that once was. It imports the contract only, so that every reader of `memory` may use it.
"""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from schemas.base import MAIN
from schemas.memory import (
    AgentMemory,
    AgentState,
    JournalPosition,
    KnownRoom,
    KnownWorkspace,
    MemoryRecord,
    Pending,
    Section,
    Summary,
    memory_key,
)

Key = tuple[str | int, ...]
"""The parts of a record's key: derivation, kind, agent, id. Decoded by `schemas.codec.decode_key`."""

R = TypeVar("R", Section, Summary, Pending, KnownRoom, KnownWorkspace)


def projected(before: AgentMemory | None, after: AgentMemory, derivation: str = MAIN) -> list[tuple[Key, MemoryRecord | None]]:
    """Give the records that lead from `before` to `after`, each with its key; None is a tombstone. Nothing changed: an empty list.

    The order is a function of the two values: tombstones and records by kind and id, the state last.
    """
    start = before or AgentMemory.empty(after.state.agent)
    changed: list[tuple[Key, MemoryRecord | None]] = []
    changed += _differing({s.id: s for s in start.sections}, {s.id: s for s in after.sections}, derivation)
    changed += _differing(start.summaries, after.summaries, derivation)
    changed += _differing(start.pending, after.pending, derivation)
    changed += _differing(start.rooms, after.rooms, derivation)
    changed += _differing(start.workspaces, after.workspaces, derivation)
    if changed or before is None or before.state != after.state:  # a reader takes the state for the end of an agent's records
        changed.append((memory_key(after.state, derivation), after.state))
    return changed


def _differing(before: Mapping[str, R], after: Mapping[str, R], derivation: str) -> list[tuple[Key, MemoryRecord | None]]:
    if before is after:
        return []
    gone: list[tuple[Key, MemoryRecord | None]] = [
        (memory_key(before[name], derivation), None) for name in sorted(before.keys() - after.keys())
    ]
    new: list[tuple[Key, MemoryRecord | None]] = [
        (memory_key(record, derivation), record)
        for name, record in sorted(after.items())
        if (old := before.get(name)) is not record and old != record
    ]
    return [*gone, *new]


class Assembler:
    """Builds the memories of one derivation from the records of `memory`, taken in the order of the topic.

    A reader that follows the topic keeps one and takes an agent's memory after a record of kind `state`.
    """

    def __init__(self, derivation: str = MAIN) -> None:
        self.derivation = derivation
        self.position: int | None = None
        """The next offset of the journal to fold; None: no record has said it."""
        self._parts: dict[str, _Parts] = {}

    def put(self, key: Key, record: MemoryRecord | None) -> str | None:
        """Take one record, None for a tombstone; give the agent whose memory it belongs to, None if it is no agent's of this derivation."""
        if not key or key[0] != self.derivation:
            return None
        if isinstance(record, JournalPosition):
            self.position = record.next
        if len(key) < 3:
            return None
        kind, agent = str(key[1]), str(key[2])
        parts = self._parts.setdefault(agent, _Parts())
        if kind == "state":
            parts.state = record if isinstance(record, AgentState) else None
        elif len(key) == 4 and kind in parts.kinds:
            if record is None:
                parts.kinds[kind].pop(str(key[3]), None)
            else:
                parts.kinds[kind][str(key[3])] = record
        return agent

    def memory(self, agent: str) -> AgentMemory | None:
        """Give the agent's memory as the records so far say it; None if there is no state of it."""
        parts = self._parts.get(agent)
        return parts.memory() if parts else None

    def memories(self) -> dict[str, AgentMemory]:
        """Give all memories by agent."""
        return {agent: memory for agent, parts in self._parts.items() if (memory := parts.memory()) is not None}


def assemble(records: Iterable[tuple[Key, MemoryRecord | None]], derivation: str = MAIN) -> dict[str, AgentMemory]:
    """Give the memories that these records of `memory` make, in the order of the topic; None is a tombstone. By agent."""
    assembler = Assembler(derivation)
    for key, record in records:
        assembler.put(key, record)
    return assembler.memories()


def section_number(section: Section) -> tuple[int, str]:
    """The order of sections in a memory: by the number in their id, which is the order in which they came."""
    digits = section.id.removeprefix("s")
    return (int(digits) if digits.isascii() and digits.isdigit() else 0), section.id


class _Parts:
    """What has been read of one agent; changed in place, so that many records cost no copy each."""

    __slots__ = ("kinds", "state")

    def __init__(self) -> None:
        self.state: AgentState | None = None
        self.kinds: dict[str, dict[str, MemoryRecord]] = {kind: {} for kind in ("section", "summary", "pending", "room", "workspace")}

    def memory(self) -> AgentMemory | None:
        if self.state is None:
            return None
        return AgentMemory(
            state=self.state,
            sections=tuple(sorted((r for r in self.kinds["section"].values() if isinstance(r, Section)), key=section_number)),
            summaries={name: r for name, r in self.kinds["summary"].items() if isinstance(r, Summary)},
            pending={name: r for name, r in self.kinds["pending"].items() if isinstance(r, Pending)},
            rooms={name: r for name, r in self.kinds["room"].items() if isinstance(r, KnownRoom)},
            workspaces={name: r for name, r in self.kinds["workspace"].items() if isinstance(r, KnownWorkspace)},
        )
