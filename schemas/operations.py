"""What a revision does to a memory: operations as they are applied, and what became of candidates and lines (C7, C9).

They are low-level effects, so that the fold needs no gates, settings or model.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Identifier, Value
from schemas.memory import Line, Summary


class Verdict(StrEnum):
    """What became of a candidate (C7)."""

    MERGED = "merged"
    DUPLICATE = "duplicate"
    DISPROVED = "disproved"
    OVER_BUDGET = "over_budget"
    EXPIRED = "expired"
    UNRECONCILED = "unreconciled"
    REJECTED = "rejected"
    FORGOTTEN = "forgotten"


class Ending(StrEnum):
    """How a line ended (C7)."""

    REPLACED = "replaced"
    MERGED_INTO = "merged_into"
    DISPROVED = "disproved"
    EXPIRED = "expired"
    DROPPED = "dropped"
    FORGOTTEN = "forgotten"


class Decision(Value):
    """A candidate's decision. `line` is the line it was merged into, or that holds what it says."""

    candidate: Identifier
    verdict: Verdict
    line: Identifier | None = None
    reason: str = ""


class PutSection(Value):
    op: Literal["put_section"] = "put_section"
    section: Identifier
    title: Annotated[str, Field(min_length=1, max_length=60)]
    gist: Annotated[str, Field(max_length=120)] = ""


class EndSection(Value):
    """Remove a section that has no line."""

    op: Literal["end_section"] = "end_section"
    section: Identifier


class PutLine(Value):
    """A line with this id is put in its place in this section; a new one at the section's end."""

    op: Literal["put_line"] = "put_line"
    section: Identifier
    line: Line


class EndLine(Value):
    op: Literal["end_line"] = "end_line"
    line: Identifier
    how: Ending
    because: Identifier | None = None
    """The candidate because of which it ends."""
    into: Identifier | None = None
    """The line that replaces it or that it was merged into."""
    score: str = ""
    """For a dropped line, the score that was compared (C6)."""


class PutSummary(Value):
    op: Literal["put_summary"] = "put_summary"
    summary: Summary


class EndSummary(Value):
    op: Literal["end_summary"] = "end_summary"
    room: Identifier


class ReturnCandidate(Value):
    """A gate refused what the model made of this candidate; it is pending again (C8)."""

    op: Literal["return_candidate"] = "return_candidate"
    candidate: Identifier
    reason: str


AppliedOperation = Annotated[
    PutSection | EndSection | PutLine | EndLine | PutSummary | EndSummary | ReturnCandidate,
    Field(discriminator="op"),
]
