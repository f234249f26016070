"""Extraction: the request, and what is recorded of the work on it (A5, X10).

Topics `extraction-requests`, `extractions`, `extraction-marks`.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from schemas.base import Identifier, Moment, Name, Origin, Position, Span, Value, Whole
from schemas.codec import Codec
from schemas.events import Author, MemoryMode, Outcome, RecordKind


class CutReason(StrEnum):
    RUNS = "runs"
    """Five counted runs (A3)."""
    NOW = "now"
    """`extract --now` (A8)."""
    FULL = "full"
    """As many Rooms have something new as one request may name; the count of runs goes on."""
    REDRIVE = "redrive"
    """A parked chunk driven again (X11)."""


class RunIndex(Value):
    """A run that finished, or was over, within the interval."""

    run: Identifier
    room: Identifier
    outcome: Outcome | None = None
    """None: it never finished and was over after `run_timeout` or at a new boot (A6)."""
    end: Whole
    """Offset in `messages` of its end, or of the record at which it was over."""


class RoomIndex(Value):
    """A Room with something new, as it was known at the cut."""

    room: Identifier
    title: Name = ""
    project: Name = ""
    zone: Name = ""
    memory: MemoryMode = MemoryMode.SHARED


class ExtractionRequest(Value):
    """What is to be read and extracted: an interval of `messages` and all tool calls of the runs that ended in it (A5).

    The id is a function of agent and cut. Tool-call spans are an index for reading and may be too wide: calls are selected by run.
    """

    type: Literal["extraction.request"] = "extraction.request"
    id: Identifier
    agent: Identifier
    cut: Annotated[int, Field(ge=1)]
    reason: CutReason
    origin: Origin
    """The record of `messages` that made the cut."""
    interval: Span
    """Offsets of `messages` in the origin's partition: from the record after the previous cut to the cut."""
    repeats: tuple[Span, ...] = ()
    """Records of the interval that came before and are left out (E9)."""
    runs: tuple[RunIndex, ...]
    rooms: tuple[RoomIndex, ...]
    """Rooms with something new whose mode is `shared`; others are not read (W8)."""
    tool_spans: tuple[Span, ...] = ()
    """Offsets of `tool-calls`, same partition, where activity saw calls of these runs; at most 64."""
    tool_position: Whole = 0
    """The next offset of `tool-calls` that activity had not yet seen: the extractor reads from here to the end as well."""
    model: Name
    window: Whole
    """Context window in tokens."""
    name: Name = ""
    """The agent's name."""
    at: Moment
    """Log time of the cut."""
    who: Identifier | None = None
    redriven_chunk: Identifier | None = None


# --- the plan -------------------------------------------------------------------------------------------------------------------


class PlannedRecord(Value):
    """One record of a chunk and how much of it is kept."""

    kind: RecordKind
    offset: Whole
    """In `messages` or `tool-calls`, the request's partition."""
    text_kept: Whole | None = None
    """Characters kept of a message's text or a tool's result; None: all."""
    arguments_kept: Whole | None = None
    """Characters kept of a tool's arguments; None: all."""
    edit: Whole | None = None
    """Offset in `messages` of the `message.edited` whose text is read instead of the message's own."""
    late: bool = False
    """A tool call that came after the plan of its run (A5)."""


class PlannedChunk(Value):
    id: Identifier
    room: Identifier
    ordinal: Whole
    before: tuple[PlannedRecord, ...]
    """The last exchanges before the chunk: already read, no evidence by themselves (X2)."""
    records: tuple[PlannedRecord, ...]
    tokens: Whole
    """Estimated tokens of the whole step: instructions, schema and input."""


class _Recorded(Value):
    """What every record of the work on a request says."""

    agent: Identifier
    request: Identifier
    cut: Whole


class Planned(_Recorded):
    """The plan, recorded before the first call and followed after a restart, whatever has changed since. The first one counts."""

    type: Literal["extraction.planned"] = "extraction.planned"
    id: Identifier
    model: Name
    extractor: Name
    """The side of the model port that makes the calls, such as `rules` or `anthropic`."""
    window: Whole
    prompt: Identifier
    """Version of the prompt, by its hash."""
    tool_position: Whole
    """Next offset of `tool-calls` that this plan has not read."""
    chunks: tuple[PlannedChunk, ...]
    taken_calls: tuple[Identifier, ...] = ()
    """Short hashes of the ids of the tool calls that the plan took: a later one of the same run is late."""
    fault: Name = ""
    """Why nothing could be planned, so that the request ends as failed; empty if it could."""


class Amended(_Recorded):
    """A chunk that was too large or refused, halved (X11). The first amendment of a chunk counts."""

    type: Literal["extraction.amended"] = "extraction.amended"
    plan: Identifier
    chunk: Identifier
    halves: tuple[PlannedChunk, ...]
    left_out: tuple[PlannedRecord, ...] = ()


# --- the calls ------------------------------------------------------------------------------------------------------------------


class InputRecord(Value):
    """One record as the model saw it: redacted and cut."""

    id: Identifier
    """Event id: what evidence cites."""
    kind: RecordKind
    position: Position
    time: Moment
    text: str
    """A message's text or a tool call's result."""
    author: Author | None = None
    """Who wrote the message; None for a tool call."""
    run: Identifier | None = None
    tool: Name = ""
    arguments: str = ""
    error: bool = False
    new: bool = True
    """False: already read in an earlier chunk; evidence needs at least one new record."""
    late: bool = False


class InputRun(Value):
    run: Identifier
    outcome: Outcome | None = None


class ChunkInput(Value):
    """All that one extraction call sees; with it, gates, re-derive and audit need nothing else (X10)."""

    agent: Identifier
    room: Identifier
    title: Name = ""
    project: Name = ""
    zone: Name = ""
    summary: str = ""
    """The Room's summary so far: unconfirmed, never evidence (X1)."""
    sections: tuple[Name, ...] = ()
    """Titles of the sections that exist."""
    runs: tuple[InputRun, ...] = ()
    records: tuple[InputRecord, ...]


class Usage(Value):
    """Tokens of one call as the provider counted them; the `rules` side counts none."""

    input_tokens: Whole = 0
    output_tokens: Whole = 0
    cache_read_tokens: Whole = 0
    cache_write_tokens: Whole = 0


class Attempted(_Recorded):
    """Said before a call, so that a crash counts as a try."""

    type: Literal["extraction.attempted"] = "extraction.attempted"
    plan: Identifier
    chunk: Identifier
    attempt: Annotated[int, Field(ge=1)]
    at: Moment


class Answered(_Recorded):
    """An answer, redacted and capped, with the input as it was sent, recorded before anything is made of it.

    The first *usable* answer of a chunk counts, for every reader and for ever; `usable` is said here and not judged again.
    """

    type: Literal["extraction.answered"] = "extraction.answered"
    plan: Identifier
    chunk: Identifier
    room: Identifier
    ordinal: Whole
    attempt: Whole
    model: Name
    extractor: Name
    prompt: Identifier
    input: ChunkInput
    output: str
    stop_reason: Name
    usage: Usage
    usable: bool
    fault: str = ""
    """Why it is not usable: cut off, refused, wrong shape, empty; or `no result`: the `rules` cues do not cover the language (X14)."""
    at: Moment


class Failed(_Recorded):
    """A call without an answer."""

    type: Literal["extraction.failed"] = "extraction.failed"
    plan: Identifier
    chunk: Identifier
    attempt: Whole
    fault: Name
    at: Moment


class Parked(_Recorded):
    """A chunk given up after bounded tries; its records are not marked as extracted."""

    type: Literal["extraction.parked"] = "extraction.parked"
    plan: Identifier
    chunk: Identifier
    fault: Name
    at: Moment


class DoneOutcome(StrEnum):
    COMPLETED = "completed"
    PARTLY = "partly"
    FAILED = "failed"


class Done(_Recorded):
    """The end of a request; nothing after it counts."""

    type: Literal["extraction.done"] = "extraction.done"
    plan: Identifier
    outcome: DoneOutcome
    at: Moment


ExtractionRecord = Annotated[
    Planned | Amended | Attempted | Answered | Failed | Parked | Done,
    Field(discriminator="type"),
]


# --- where each agent stands ----------------------------------------------------------------------------------------------------


class AgentMark(Value):
    """Key `["agent", agent]` of `extraction-marks`: how far extraction has come."""

    type: Literal["mark.agent"] = "mark.agent"
    agent: Identifier
    cut: Whole
    """The last cut whose request is done."""
    tool_position: Whole
    """Next offset of `tool-calls` that no plan has read."""
    runs: tuple[Identifier, ...] = ()
    """Short hashes of the last 1,000 runs that were planned."""
    calls: tuple[Identifier, ...] = ()
    """Short hashes of the last 1,000 tool calls that were taken."""
    waiting_calls: tuple[Whole, ...] = ()
    """Offsets of late tool calls whose Room had nothing else new; they go into the next plan that has it."""
    extractions_offset: Whole = 0
    """Offset in `extractions` of the last `done`: what lies before concerns earlier requests."""


class SummaryMark(Value):
    """Key `["summary", agent, room]` of `extraction-marks`: the Room's summary so far and the last exchanges of its records."""

    type: Literal["mark.summary"] = "mark.summary"
    agent: Identifier
    room: Identifier
    text: str
    tail: tuple[PlannedRecord, ...] = ()
    """The last records read in this Room, for the part of the next chunk that was already read."""


Mark = Annotated[AgentMark | SummaryMark, Field(discriminator="type")]

REQUESTS: Codec[ExtractionRequest] = Codec(TypeAdapter(ExtractionRequest))
EXTRACTIONS: Codec[ExtractionRecord] = Codec(TypeAdapter(ExtractionRecord))
MARKS: Codec[Mark] = Codec(TypeAdapter(Mark))
