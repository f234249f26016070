"""What is known of where a line comes from, as values (T4)."""

from dataclasses import dataclass
from datetime import datetime

from schemas.base import Position
from schemas.candidates import Candidate
from schemas.events import Author
from schemas.journal import CandidateDecided
from schemas.memory import Line


@dataclass(frozen=True)
class SourceRecord:
    """An original message or tool call, read back from where it lies."""

    event: str
    position: Position
    time: datetime
    room: str
    author: Author | None
    """None for a tool call."""
    tool: str
    text: str
    """Redacted; of a long one the beginning. Empty if the record is not there."""
    left_out: int
    """Characters that are not shown."""
    found: bool


@dataclass(frozen=True)
class ExtractionCall:
    """The recorded answer that a candidate was made from."""

    position: Position
    request: str
    plan: str
    chunk: str
    attempt: int
    model: str
    extractor: str
    prompt: str
    at: datetime


@dataclass(frozen=True)
class ConsolidationCall:
    """The call whose answer a revision was made from; a revision without a call has none."""

    step: str
    model: str
    consolidator: str
    answer: int
    """Offset in `memory-candidates` of its answer."""


@dataclass(frozen=True)
class LineOperation:
    """One thing that a revision did to the line, or to one that ended in it."""

    version: int
    offset: int
    """In `memory-candidates`."""
    at: datetime
    line: str
    what: str
    """`put`, or how it ended: replaced, merged_into, disproved, expired, dropped, forgotten."""
    text: str
    """The words that were put; empty for an end."""
    because: str | None
    """The candidate because of which it ended."""
    into: str | None
    call: ConsolidationCall | None


@dataclass(frozen=True)
class SourceCandidate:
    candidate: Candidate
    offset: int
    """In `memory-candidates`."""
    decision: CandidateDecided
    call: ExtractionCall | None
    """None if the recorded answer is not there."""
    records: tuple[SourceRecord, ...]


@dataclass(frozen=True)
class LineHistory:
    agent: str
    id: str
    line: Line | None
    """As it is now; None if it has ended."""
    section: str
    """Title of its section; empty if it has ended."""
    operations: tuple[LineOperation, ...]
    """Oldest first."""
    candidates: tuple[SourceCandidate, ...]
    """All that stand behind it, in the order of the journal."""
