"""A candidate with what became of it, and which of them are wanted (T5). Pure."""

from dataclasses import dataclass
from datetime import datetime

from schemas.candidates import Candidate, Kind, Trust
from schemas.journal import CandidateDecided
from schemas.operations import Verdict

PENDING = "pending"
GATE_REJECTED = "gate_rejected"
"""A gate before the journal has rejected it; it waits for its decision."""
STATES = (PENDING, GATE_REJECTED, *(verdict.value for verdict in Verdict))


@dataclass(frozen=True)
class CandidateState:
    candidate: Candidate
    offset: int
    """Of its first record in `memory-candidates`."""
    state: str
    """One of STATES."""
    reason: str
    """Of the decision, or of the gate that rejected or returned it."""
    line: str | None
    decided: tuple[CandidateDecided, ...]
    """Its decisions, oldest first: more than one only after `unreconciled`."""
    refusals: int = 0
    """How often a gate has returned it (C8)."""


@dataclass(frozen=True)
class Filter:
    """What is listed: everything that matches all that is given."""

    agent: str | None = None
    room: str | None = None
    state: str | None = None
    reason: str | None = None
    """Words that occur in the reason, in any case."""
    kind: Kind | None = None
    trust: Trust | None = None
    since: datetime | None = None
    """Its newest cited record is not older."""
    until: datetime | None = None
    """Its newest cited record is older."""
    id: str | None = None

    def matches(self, found: CandidateState) -> bool:
        candidate = found.candidate
        return (
            self.agent in (None, candidate.agent)
            and self.room in (None, candidate.room)
            and self.state in (None, found.state)
            and (self.reason is None or self.reason.casefold() in found.reason.casefold())
            and self.kind in (None, candidate.kind)
            and self.trust in (None, candidate.trust)
            and (self.since is None or candidate.said_at >= self.since)
            and (self.until is None or candidate.said_at < self.until)
            and self.id in (None, candidate.id)
        )


EVERYTHING = Filter()
