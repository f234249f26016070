"""A candidate: one statement that might be worth remembering, with the records that show it (X6)."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from schemas.base import Identifier, Moment, Name, Position, Value, Whole

RULES = "rules"
"""Name of the offline extractor, which says so wherever its results are shown (X14)."""


class Kind(StrEnum):
    RULE = "rule"
    PREFERENCE = "preference"
    FACT = "fact"
    DECISION = "decision"
    LESSON = "lesson"
    PROCEDURE = "procedure"


class Trust(StrEnum):
    """Who is behind a statement, computed from the cited records, the most trusted first (X8). Owner and member are *trusted*."""

    OWNER = "owner"
    MEMBER = "member"
    AGENT = "agent"
    REPORTED = "reported"
    """Guests, tools, Task reports, other agents."""

    @property
    def rank(self) -> int:
        """Higher is more: owner and member 3, agent 2, reported 1."""
        return {Trust.OWNER: 3, Trust.MEMBER: 3, Trust.AGENT: 2, Trust.REPORTED: 1}[self]

    @property
    def trusted(self) -> bool:
        return self.rank == 3


class Reporter(StrEnum):
    """Who said what is only reported (X8)."""

    GUEST = "guest"
    TOOL = "tool"
    TASK_REPORT = "task_report"
    OTHER_AGENT = "other_agent"


class Scope(Value):
    """Where a statement holds: words in the line, not access control (X8)."""

    kind: Annotated[str, Field(pattern="^(everywhere|room|project)$")] = "everywhere"
    id: Name = ""
    """Room id or project name; empty for everywhere."""


class Evidence(Value):
    """A record that shows the statement."""

    event: Identifier
    position: Position
    time: Moment
    room: Identifier


class Candidate(Value):
    """One candidate. Its id and its order (cut, room, chunk, ordinal) are functions of the request and its recorded plan."""

    id: Identifier
    agent: Identifier
    request: Identifier
    cut: Whole
    room: Identifier
    chunk: Identifier
    chunk_ordinal: Whole
    ordinal: Whole
    statement: Annotated[str, Field(min_length=1, max_length=500)]
    reason: Annotated[str, Field(max_length=300)] = ""
    topic: Annotated[str, Field(min_length=1, max_length=60)]
    kind: Kind
    scope: Scope = Scope()
    about: Name = "everyone"
    trust: Trust
    reporter: Reporter | None = None
    """Who said it, if it is only reported; None: not known, or more than one of them."""
    evidence: tuple[Evidence, ...]
    quote: Annotated[str, Field(max_length=200)]
    said_at: Moment
    """Time of the newest cited record."""
    holds_from: Moment | None = None
    holds_until: Moment | None = None
    corrects: Annotated[str, Field(max_length=500)] = ""
    """What earlier belief it replaces, in words."""
    extractor: Name = ""

    @property
    def order(self) -> tuple[int, str, int, int]:
        return self.cut, self.room, self.chunk_ordinal, self.ordinal
