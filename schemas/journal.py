"""The journal: what stands on `memory-candidates`, one partition, in the order in which it is folded (C1, C7, C9)."""

from typing import Annotated, Any, Literal

import orjson
from pydantic import Field, TypeAdapter, ValidationInfo, ValidatorFunctionWrapHandler, field_validator

from schemas.base import MAIN, Identifier, Moment, Name, Origin, Value, Whole
from schemas.candidates import Candidate
from schemas.codec import Codec
from schemas.events import (
    BY_TYPE,
    AgentDeleted,
    AgentUpdated,
    CorrectLine,
    EraseAgent,
    EraseRoom,
    EventData,
    ForgetCandidate,
    ForgetLine,
    ForgetRoom,
    MessageDeleted,
    MessageEdited,
    PinLine,
    RejectCandidate,
    RestoreMemory,
    RoomDeleted,
    RoomUpdated,
    SwitchDerivation,
    UnpinLine,
    WorkspaceAttached,
    WorkspaceDetached,
)
from schemas.extraction import DoneOutcome, Usage
from schemas.memory import LicenceKind
from schemas.operations import AppliedOperation, Decision, EndLine


class JournalRecord(Value):
    agent: Identifier
    derivation: Identifier = MAIN


# --- from the candidates agent: `origin` is the recorded answer (topic `extractions`), so a repeat is known -----------------------


class CandidateProposed(JournalRecord):
    type: Literal["candidate.proposed"] = "candidate.proposed"
    origin: Origin
    candidate: Candidate


class CandidateRejected(JournalRecord):
    """A gate's rejection. It gets its decision in the journal like every candidate (C7)."""

    type: Literal["candidate.rejected"] = "candidate.rejected"
    origin: Origin
    candidate: Candidate
    reason: str


class RoomSummarised(JournalRecord):
    type: Literal["room.summarised"] = "room.summarised"
    origin: Origin
    cut: Whole
    chunk: Identifier
    room: Identifier
    title: Name = ""
    project: Name = ""
    text: Annotated[str, Field(max_length=1500)]
    newest: Moment
    extractor: Name = ""
    """The side of the model port that wrote it; empty: not known."""


class RequestDone(JournalRecord):
    """All candidates of the request lie before this."""

    type: Literal["request.done"] = "request.done"
    origin: Origin
    request: Identifier
    cut: Whole
    outcome: DoneOutcome


# --- from activity: `origin` is the record of `messages` or `commands` ------------------------------------------------------------


class AgentIdle(JournalRecord):
    """An idle licence (A6)."""

    type: Literal["agent.idle"] = "agent.idle"
    origin: Origin
    number: Annotated[int, Field(ge=1)]
    kind: LicenceKind
    cut: Whole
    at: Moment
    who: Identifier | None = None


class AgentBusy(JournalRecord):
    """A change between no open run and some."""

    type: Literal["agent.busy"] = "agent.busy"
    origin: Origin
    busy: bool


# One class an event, so that the data of each keeps its own schema and an unknown one is never guessed at.
class Forwarded(JournalRecord):
    """A life-cycle event or a command, as it came in."""

    type: Literal["forwarded"] = "forwarded"
    origin: Origin
    event: Identifier
    event_type: Name
    at: Moment
    """The event's own time."""
    data: (
        AgentUpdated
        | AgentDeleted
        | RoomUpdated
        | RoomDeleted
        | WorkspaceAttached
        | WorkspaceDetached
        | MessageEdited
        | MessageDeleted
        | CorrectLine
        | ForgetLine
        | PinLine
        | UnpinLine
        | RestoreMemory
        | ForgetCandidate
        | RejectCandidate
        | ForgetRoom
        | EraseRoom
        | EraseAgent
        | SwitchDerivation
    )

    @field_validator("data", mode="wrap")
    @classmethod
    def _of_its_type(cls, value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        """Read the data by `event_type`: several events have the same fields, so their shape can't tell a pin from a forgetting."""
        model = BY_TYPE.get(info.data.get("event_type", ""))
        if model is not None and not isinstance(value, EventData):
            value = model.model_validate_json(orjson.dumps(value))
        if model is None or type(value) is not model:
            raise ValueError("the data is not of event_type")
        return handler(value)


# --- from consolidation ---------------------------------------------------------------------------------------------------------


class ConsolidationStarted(JournalRecord):
    """Said before a call, so that a crash counts as a try."""

    type: Literal["consolidation.started"] = "consolidation.started"
    step: Identifier
    base: Whole
    licence: Whole
    candidates: tuple[Identifier, ...]
    attempt: Annotated[int, Field(ge=1)]
    model: Name
    consolidator: Name
    """The side of the model port, such as `rules` or `anthropic`."""
    prompt: Identifier
    at: Moment


class ConsolidationAnswered(JournalRecord):
    """The first usable answer of a step counts."""

    type: Literal["consolidation.answered"] = "consolidation.answered"
    step: Identifier
    attempt: Whole
    input: str
    """As it was sent."""
    output: str
    stop_reason: Name
    usage: Usage
    usable: bool
    fault: str = ""
    at: Moment


class ConsolidationFailed(JournalRecord):
    type: Literal["consolidation.failed"] = "consolidation.failed"
    step: Identifier
    attempt: Whole
    fault: Name
    at: Moment


class MemoryChanged(JournalRecord):
    """What was decided (C9). It takes effect when it is read back, if nothing else has changed this agent's memory since `base`.

    The fold applies the operations and decisions and nothing else: no clock, settings or gates, so a rebuild gives the same bytes also
    with later code.
    """

    type: Literal["memory.changed"] = "memory.changed"
    step: Identifier
    base: Whole
    """The next journal offset to fold when this was decided."""
    licence: Whole | None = None
    """Number of the licence that this uses up, if it does."""
    operations: tuple[AppliedOperation, ...]
    decisions: tuple[Decision, ...]
    refused: tuple[str, ...] = ()
    """What gates refused of the model's operations, each with its reason."""
    version: Whole
    """The version that this makes."""
    window: Whole
    """Context window in tokens that this was decided and is rendered for, so that rendering needs no setting."""
    dropped: Whole = 0
    """How many lines were dropped over the budget."""
    render_format: Whole
    files: dict[str, Identifier]
    """Path below `agent-memory/` to SHA-256 of the file."""
    at: Moment


class FoldSkipped(JournalRecord):
    """The record at `offset` could not be folded for this agent and is passed over, also by every rebuild (C13)."""

    type: Literal["fold.skipped"] = "fold.skipped"
    offset: Whole
    fault: Name


Journal = Annotated[
    CandidateProposed
    | CandidateRejected
    | RoomSummarised
    | RequestDone
    | AgentIdle
    | AgentBusy
    | Forwarded
    | ConsolidationStarted
    | ConsolidationAnswered
    | ConsolidationFailed
    | MemoryChanged
    | FoldSkipped,
    Field(discriminator="type"),
]
JOURNAL: Codec[Journal] = Codec(TypeAdapter(Journal))


# --- topic `decisions` ----------------------------------------------------------------------------------------------------------


class CandidateDecided(Value):
    """Key: the candidate's id."""

    type: Literal["candidate.decided"] = "candidate.decided"
    derivation: Identifier = MAIN
    agent: Identifier
    decision: Decision
    version: Whole
    offset: Whole
    """Of the journal record that decided it."""


class LineEnded(Value):
    """Key: agent and line."""

    type: Literal["line.ended"] = "line.ended"
    derivation: Identifier = MAIN
    agent: Identifier
    ending: EndLine
    version: Whole
    offset: Whole


DecisionRecord = Annotated[CandidateDecided | LineEnded, Field(discriminator="type")]
DECISIONS: Codec[DecisionRecord] = Codec(TypeAdapter(DecisionRecord))
