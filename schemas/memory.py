"""The memory of one agent: what the compacted projection `memory` holds, and the value that all readers share (C1, C9).

Every record is small: a line keeps the number of its sources and the last few ids; its whole lineage is in `decisions`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from schemas.base import MAIN, Identifier, Moment, Name, Value, Whole
from schemas.candidates import Candidate, Kind, Reporter, Scope, Trust
from schemas.codec import Codec
from schemas.events import MemoryMode


class Line(Value):
    """One statement in the memory."""

    id: Identifier
    """`l` and a number that is never given again for this agent."""
    text: Annotated[str, Field(min_length=1, max_length=500)]
    reason: str = ""
    kind: Kind
    scope: Scope = Scope()
    about: Name = "everyone"
    trust: Trust
    said_at: Moment
    """Event time of its newest source."""
    reporter: Reporter | None = None
    """Who said its newest source, if that is only reported; None: not known, or more than one of them."""
    extractor: Name = ""
    """The side of the model port that found its newest source, such as `rules`; empty: not known (X14)."""
    holds_from: Moment | None = None
    holds_until: Moment | None = None
    sources: Annotated[int, Field(ge=1)]
    """How many candidates stand behind it."""
    last_sources: tuple[Identifier, ...]
    """The last few of their ids, newest last."""
    rooms: tuple[Identifier, ...]
    """The distinct Rooms it comes from, at most 16."""
    since: Whole
    """The version in which it came."""
    pinned: bool = False
    unreconciled: bool = False


class Section(Value):
    """A topic with its lines. Key `[derivation, "section", agent, id]`."""

    type: Literal["section"] = "section"
    agent: Identifier
    id: Identifier
    """`s` and a number that is never given again for this agent."""
    title: Annotated[str, Field(min_length=1, max_length=60)]
    gist: Annotated[str, Field(max_length=120)] = ""
    lines: tuple[Line, ...] = ()


class Summary(Value):
    """A Room's session summary. Key `[derivation, "summary", agent, room]`."""

    type: Literal["summary"] = "summary"
    agent: Identifier
    room: Identifier
    title: Name = ""
    project: Name = ""
    text: Annotated[str, Field(max_length=1500)]
    newest: Moment
    """Event time of the Room's newest record."""
    cut: Whole
    """The cut whose request wrote it."""
    extractor: Name = ""
    """The side of the model port that wrote it, such as `rules`; empty: not known (X14)."""
    published: bool = False
    """Whether a revision has put it into the files; until then it waits for the next one (C10)."""
    waiting: "Summary | None" = None
    """A newer one that no revision has published yet: the files show this one until then."""


class Pending(Value):
    """A candidate that is not decided yet. Key `[derivation, "pending", agent, candidate]`."""

    type: Literal["pending"] = "pending"
    candidate: Candidate
    offset: Whole
    """Where it lies in the journal."""
    refusals: Whole = 0
    """How often a gate has returned it (C8)."""
    gate_reason: str = ""
    """Set when a gate before the journal has rejected it: it only waits for its decision."""


class KnownRoom(Value):
    """What is known of a Room. Key `[derivation, "room", agent, room]`."""

    type: Literal["room"] = "room"
    agent: Identifier
    room: Identifier
    title: Name = ""
    project: Name = ""
    zone: Name = ""
    memory: MemoryMode = MemoryMode.SHARED


class KnownWorkspace(Value):
    """An attached workspace. Key `[derivation, "workspace", agent, workspace]`."""

    type: Literal["workspace"] = "workspace"
    agent: Identifier
    workspace: Identifier
    path: str
    room: Identifier | None = None
    attached: bool = True


class LicenceKind(StrEnum):
    IDLE = "idle"
    OVERDUE = "overdue"
    """24 hours with a cut that no licence names, then a moment without a run."""
    ANY_MOMENT = "any_moment"
    """48 hours: it may start while a run is open."""
    NOW = "now"
    """`consolidate --now`."""


class Licence(Value):
    """What may be merged: all candidates of the requests cut until then (A6)."""

    number: Annotated[int, Field(ge=1)]
    kind: LicenceKind
    cut: Whole
    """The last cut that it names."""
    at: Moment
    """Log time."""
    who: Identifier | None = None


class ChunkProgress(Value):
    """Of the open request: from which answer a chunk's candidates are taken, and how far."""

    chunk: Identifier
    answer: Whole
    """Offset in `extractions` of the answer taken."""
    ordinal: int
    """The highest ordinal taken; -1: none yet."""


class SourceProgress(Value):
    """The highest (offset, ordinal) that activity has forwarded from one partition."""

    topic: Identifier
    partition: Whole
    generation: Whole
    offset: Whole
    ordinal: Whole


class OpenStep(Value):
    """A consolidation call that was started and has not ended in decisions yet."""

    step: Identifier
    base: Whole
    licence: Whole
    candidates: tuple[Identifier, ...]
    attempts: Whole
    answer: Whole | None = None
    """Offset in the journal of its first answer."""


class AgentState(Value):
    """The rest of one agent. Key `[derivation, "state", agent]`, written last in a transaction."""

    type: Literal["state"] = "state"
    agent: Identifier
    name: Name = ""
    model: Name = ""
    window: Whole = 0
    """Tokens; 0: not said, the setting counts."""
    version: Whole = 0
    """How many revisions (`memory.changed` in force) there have been."""
    changed_at: Whole | None = None
    """Offset in the journal of the last record that changed what a step is decided on."""
    revised_at: Whole | None = None
    """Offset in the journal of the `memory.changed` of this version."""
    next_line: Whole = 1
    next_section: Whole = 1
    forgets: Whole = 0
    """Rises with each forgetting, erasing and mode `off`; part of a pin's key (R2)."""
    cut_done: Whole = 0
    """The last cut whose request is done."""
    open_cut: Whole = 0
    chunks: tuple[ChunkProgress, ...] = ()
    busy: bool = False
    """Whether a run is open."""
    licence: Licence | None = None
    licence_used: Whole = 0
    """Number of the last licence that was used up."""
    forwarded: tuple[SourceProgress, ...] = ()
    step: OpenStep | None = None
    dropped: Whole = 0
    """How many lines the last revision dropped (W1)."""
    files: Mapping[str, Identifier] = {}
    """Path below `agent-memory/` to SHA-256 of what this version renders."""
    rendered_window: Whole = 0
    """Context window in tokens of the last revision: what rendering takes its budgets from."""
    render_format: Whole = 1
    deleted: bool = False


class JournalPosition(Value):
    """Key `[derivation, "position"]`: the next offset of the journal to fold, own records included."""

    type: Literal["position"] = "position"
    next: Whole


MemoryRecord = Annotated[
    Section | Summary | Pending | KnownRoom | KnownWorkspace | AgentState | JournalPosition,
    Field(discriminator="type"),
]
MEMORY: Codec[MemoryRecord] = Codec(TypeAdapter(MemoryRecord))


@dataclass(frozen=True, slots=True)
class AgentMemory:
    """One agent's whole memory as a value: what `fold` takes and gives, and what is rendered. Mappings are never changed in place.

    A dataclass, not a model: its parts are validated already, and a model would copy every mapping at each event.
    """

    state: AgentState
    sections: tuple[Section, ...] = ()
    summaries: Mapping[str, Summary] = field(default_factory=dict)
    pending: Mapping[str, Pending] = field(default_factory=dict)
    rooms: Mapping[str, KnownRoom] = field(default_factory=dict)
    workspaces: Mapping[str, KnownWorkspace] = field(default_factory=dict)

    @property
    def lines(self) -> tuple[Line, ...]:
        return tuple(line for section in self.sections for line in section.lines)

    @classmethod
    def empty(cls, agent: str) -> "AgentMemory":
        return cls(state=AgentState(agent=agent))


def memory_key(record: "MemoryRecord", derivation: str = MAIN) -> tuple[str, ...]:
    """The parts of the record's key in `memory`."""
    match record:
        case Section():
            return derivation, "section", record.agent, record.id
        case Summary():
            return derivation, "summary", record.agent, record.room
        case Pending():
            return derivation, "pending", record.candidate.agent, record.candidate.id
        case KnownRoom():
            return derivation, "room", record.agent, record.room
        case KnownWorkspace():
            return derivation, "workspace", record.agent, record.workspace
        case AgentState():
            return derivation, "state", record.agent
        case JournalPosition():
            return derivation, "position"
