"""The memory made once more from the journal, by code that shares nothing with the consolidator (T6).

It applies the low-level operations of the revisions that are in force and leaves out repeats, skipped records and void revisions; the
consolidator's `fold` must come to the same, or `verify` says where it does not.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from schemas.base import MAIN, Origin
from schemas.candidates import Candidate
from schemas.events import AgentDeleted, AgentUpdated, RoomUpdated
from schemas.journal import (
    AgentBusy,
    AgentIdle,
    CandidateProposed,
    CandidateRejected,
    Forwarded,
    Journal,
    MemoryChanged,
    RequestDone,
    RoomSummarised,
)
from schemas.memory import Line, Summary
from schemas.operations import EndLine, EndSection, EndSummary, PutLine, PutSection, PutSummary, ReturnCandidate

_DECISIVE = (AgentUpdated, AgentDeleted, RoomUpdated)
"""Events that change what a step is decided on: a revision whose base lies before one is void (C9)."""


@dataclass
class Remembered:
    """One agent's memory as the log has it so far. It is this re-fold's own and changes in place."""

    agent: str
    version: int = 0
    revised_at: int | None = None
    changed_at: int | None = None
    files: dict[str, str] = field(default_factory=dict)
    window: int = 0
    cut_done: int = 0
    done_at: dict[int, int] = field(default_factory=dict)
    """Cut to the offset of its end, for cuts that no licence used up has named."""
    chunks: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Of the open request: chunk to the answer taken and the highest ordinal taken."""
    sources: dict[tuple[str, int, int], tuple[int, int]] = field(default_factory=dict)
    """Topic, generation and partition to the highest offset and ordinal that activity has sent from there."""
    licences: dict[int, int] = field(default_factory=dict)
    """Number of a licence to the last cut that it names."""
    titles: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Section to its title and gist."""
    lines: dict[str, dict[str, Line]] = field(default_factory=dict)
    """Section to its lines, in their order."""
    summaries: dict[str, Summary] = field(default_factory=dict)
    """Room to the summary that a revision has published."""
    waiting_summaries: set[str] = field(default_factory=set)
    """Rooms with a newer summary that no revision has published yet."""
    pending: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Candidate without a decision to its cut and Room."""
    owed: dict[str, int] = field(default_factory=dict)
    """Candidate without a decision to the offset of the revision that used up a licence which names it."""

    def section_of(self, line: str) -> str | None:
        return next((section for section, lines in self.lines.items() if line in lines), None)

    @property
    def all_lines(self) -> dict[str, Line]:
        return {name: line for lines in self.lines.values() for name, line in lines.items()}


@dataclass(frozen=True)
class Accepted:
    """A candidate that counts: no repeat, and from the answer that was taken."""

    candidate: Candidate
    offset: int
    gate_reason: str


@dataclass(frozen=True)
class Revised:
    """A revision in force, and the memory after it."""

    changed: MemoryChanged
    offset: int
    memory: Remembered
    lost: tuple[tuple[str, str], ...] = ()
    """Section and line, for each line that went with its section instead of by an end of its own."""


class Refold:
    """Folds the journal's records in order. `skipped`: pairs of agent and offset that `fold.skipped` records name (C13)."""

    def __init__(self, derivation: str = MAIN, skipped: Collection[tuple[str, int]] = ()) -> None:
        self.memories: dict[str, Remembered] = {}
        self._derivation = derivation
        self._skipped = skipped

    def fold(self, record: Journal, offset: int) -> Accepted | Revised | None:
        """Apply one record; give what the invariants look at, None for all else."""
        everyones = isinstance(record, AgentIdle | AgentBusy | Forwarded)  # what activity sends belongs to every derivation
        if (record.derivation != self._derivation and not everyones) or (record.agent, offset) in self._skipped:
            return None
        memory = self.memories.setdefault(record.agent, Remembered(record.agent))
        match record:
            case CandidateProposed() | CandidateRejected() if _counts(memory, record.candidate.cut, record.candidate.chunk, record.origin):
                memory.pending[record.candidate.id] = (record.candidate.cut, record.candidate.room)
                memory.changed_at = offset
                return Accepted(record.candidate, offset, record.reason if isinstance(record, CandidateRejected) else "")
            case RoomSummarised() if _counts(memory, record.cut, record.chunk, record.origin):
                memory.changed_at = offset
                memory.waiting_summaries.add(record.room)
            case RequestDone() if record.cut > memory.cut_done:
                memory.cut_done, memory.done_at[record.cut] = record.cut, offset
                memory.changed_at = offset
                memory.chunks.clear()
            case AgentBusy():
                _is_new(memory, record.origin)
            case AgentIdle() if _is_new(memory, record.origin):
                memory.licences.setdefault(record.number, record.cut)
            case Forwarded() if _is_new(memory, record.origin) and isinstance(record.data, _DECISIVE):
                memory.changed_at = offset
            case MemoryChanged() if in_force(memory, record):
                return Revised(record, offset, memory, apply(memory, record, offset))
        return None


def _counts(memory: Remembered, cut: int, chunk: str, origin: Origin) -> bool:
    """Whether this is no repeat and comes from the first answer of its chunk that was seen; remembers it if so."""
    answer, highest = memory.chunks.get(chunk, (origin.position.offset, -1))
    if cut <= memory.cut_done or origin.position.offset != answer or origin.ordinal <= highest:
        return False
    memory.chunks[chunk] = (answer, origin.ordinal)
    return True


def _is_new(memory: Remembered, origin: Origin) -> bool:
    """Whether activity says this for the first time: it goes on from the highest offset and ordinal of each of its sources (E9)."""
    at = origin.position
    source = (at.topic, at.generation, at.partition)
    if (at.offset, origin.ordinal) <= memory.sources.get(source, (-1, -1)):
        return False
    memory.sources[source] = (at.offset, origin.ordinal)
    return True


def in_force(memory: Remembered, changed: MemoryChanged) -> bool:
    """Whether nothing else has changed this memory since the revision's base; else it is void and its step is decided anew (C9)."""
    return (memory.changed_at is None or memory.changed_at < changed.base) and changed.version == memory.version + 1


def apply(memory: Remembered, changed: MemoryChanged, offset: int) -> tuple[tuple[str, str], ...]:
    """Apply a revision's operations and decisions, in their order; give the lines that went with their section."""
    lost: list[tuple[str, str]] = []
    returned: set[str] = set()
    for operation in changed.operations:
        match operation:
            case PutSection():
                memory.titles[operation.section] = (operation.title, operation.gist)
                memory.lines.setdefault(operation.section, {})
            case EndSection():
                memory.titles.pop(operation.section, None)
                lost += [(operation.section, line) for line in memory.lines.pop(operation.section, {})]
            case PutLine():
                held = memory.section_of(operation.line.id)
                if held is not None and held != operation.section:
                    del memory.lines[held][operation.line.id]
                memory.lines.setdefault(operation.section, {})[operation.line.id] = operation.line
            case EndLine():
                held = memory.section_of(operation.line)
                if held is not None:
                    del memory.lines[held][operation.line]
            case PutSummary() if operation.summary.published:
                memory.summaries[operation.summary.room] = operation.summary
                memory.waiting_summaries.discard(operation.summary.room)
            case EndSummary():
                memory.summaries.pop(operation.room, None)
            case ReturnCandidate():
                returned.add(operation.candidate)  # it was pending and stays so
    for decision in changed.decisions:
        memory.pending.pop(decision.candidate, None)
        memory.owed.pop(decision.candidate, None)
    for candidate in returned:
        memory.owed.pop(candidate, None)
    _owe(memory, changed, offset, returned)
    memory.version, memory.revised_at, memory.changed_at = changed.version, offset, offset
    memory.files, memory.window = dict(changed.files), changed.window
    return tuple(lost)


def _owe(memory: Remembered, changed: MemoryChanged, offset: int, returned: Collection[str]) -> None:
    """Note the candidates that a licence named, that were all read by the revision's base, and that are left when it is used up."""
    named = memory.licences.pop(changed.licence, None) if changed.licence is not None else None
    if named is None:
        return
    for candidate, (cut, _) in memory.pending.items():
        if cut <= named and memory.done_at.get(cut, -1) < changed.base and candidate not in returned:
            memory.owed.setdefault(candidate, offset)
    memory.done_at = {cut: done for cut, done in memory.done_at.items() if cut > named}
