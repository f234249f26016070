"""A small journal of one agent for tests: records in order, each folded at its offset."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from schemas.base import Origin, Position
from schemas.candidates import Candidate, Evidence, Kind, Trust
from schemas.events import EventData
from schemas.extraction import DoneOutcome
from schemas.ids import step_id
from schemas.journal import (
    AgentBusy,
    AgentIdle,
    CandidateProposed,
    CandidateRejected,
    ConsolidationAnswered,
    ConsolidationStarted,
    DecisionRecord,
    Forwarded,
    Journal,
    MemoryChanged,
    RequestDone,
    RoomSummarised,
    Usage,
)
from schemas.memory import AgentMemory, LicenceKind
from streams.consolidation.budgets import Limits
from streams.consolidation.decide import decide
from streams.consolidation.due import due
from streams.consolidation.fold import fold

BEGINNING = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
LIMITS = Limits()


def a_candidate(name: str, statement: str, *, minute: int = 0, **given: Any) -> Candidate:
    """An owner's rule, said `minute` minutes after the beginning in Room `room-1`."""
    said_at = BEGINNING + timedelta(minutes=minute)
    room = given.get("room", "room-1")
    values: dict[str, Any] = {
        "id": name,
        "agent": "agent",
        "request": "request-1",
        "cut": 1,
        "room": room,
        "chunk": "chunk-1",
        "chunk_ordinal": 0,
        "ordinal": 0,
        "statement": statement,
        "topic": "Work",
        "kind": Kind.RULE,
        "trust": Trust.OWNER,
        "quote": statement[:200],
        "said_at": said_at,
        "evidence": (Evidence(event=f"event-{name}", position=Position(topic="messages", partition=0, offset=1), time=said_at, room=room),),
    }
    return Candidate(**values | given)


def answer(*operations: dict[str, Any]) -> str:
    """A model's answer with these operations."""
    return orjson.dumps({"operations": operations}).decode()


class AgentLog:
    """The journal as it grows, and the memory that has been folded from it."""

    def __init__(self, agent: str = "agent") -> None:
        self.memory = AgentMemory.empty(agent)
        self.agent = agent
        self.records: list[Journal] = []
        self.decided: list[DecisionRecord] = []
        self.cut = 0
        self.licences = 0
        self._answers = 0
        self._inputs = 0

    @property
    def next_offset(self) -> int:
        return len(self.records)

    def append(self, record: Journal) -> AgentMemory:
        folded = fold(self.memory, record, self.next_offset)
        self.records.append(record)
        self.memory = folded.memory
        self.decided += folded.decided
        return self.memory

    # --- what the other roles say

    def extracted(self, *candidates: Candidate, rejected: Sequence[Candidate] = (), rooms: Sequence[str] = ()) -> None:
        """One request from its cut to its end: these candidates, gate-rejected ones and Room summaries, each in a chunk of its own."""
        self.cut += 1
        for candidate in (*candidates, *rejected):
            self._answers += 1
            chunk = f"chunk-{self._answers}"
            placed = candidate.model_copy(update={"agent": self.agent, "cut": self.cut, "chunk": chunk, "chunk_ordinal": self._answers})
            origin = self.from_answer(0)
            if candidate in rejected:
                self.append(CandidateRejected(agent=self.agent, origin=origin, candidate=placed, reason="a gate's reason"))
            else:
                self.append(CandidateProposed(agent=self.agent, origin=origin, candidate=placed))
        for room in rooms:
            self._answers += 1
            self.append(self.a_summary(room, f"Summary {self.cut} of {room}."))
        self.append(
            RequestDone(
                agent=self.agent, origin=self.from_answer(0), request=f"request-{self.cut}", cut=self.cut, outcome=DoneOutcome.COMPLETED
            )
        )

    def a_summary(self, room: str, text: str) -> RoomSummarised:
        return RoomSummarised(
            agent=self.agent,
            origin=self.from_answer(9),
            cut=self.cut,
            chunk=f"chunk-{self._answers}",
            room=room,
            title=f"About {room}",
            text=text,
            newest=BEGINNING + timedelta(hours=self.cut),
            extractor="scripted",
        )

    def from_answer(self, ordinal: int) -> Origin:
        return Origin(position=Position(topic="extractions", partition=0, offset=self._answers), ordinal=ordinal)

    def from_input(self) -> Origin:
        self._inputs += 1
        return Origin(position=Position(topic="messages", partition=0, offset=self._inputs))

    def idle(self, *, kind: LicenceKind = LicenceKind.IDLE, cut: int | None = None, at: datetime | None = None) -> None:
        self.licences += 1
        at = at or BEGINNING + timedelta(days=self.licences)
        cut = self.cut if cut is None else cut
        self.append(AgentIdle(agent=self.agent, origin=self.from_input(), number=self.licences, kind=kind, cut=cut, at=at))

    def busy(self, busy: bool = True) -> None:
        self.append(AgentBusy(agent=self.agent, origin=self.from_input(), busy=busy))

    def forwarded(self, data: EventData) -> None:
        self.append(
            Forwarded(
                agent=self.agent, origin=self.from_input(), event=f"event-{self._inputs}", event_type=data.type, at=BEGINNING, data=data
            )
        )

    # --- what consolidation does

    def start(self, limits: Limits = LIMITS) -> None:
        """Open the step that is due."""
        step = due(self.memory, limits)
        assert step is not None and step.licence is not None
        names = tuple(pending.candidate.id for pending in step.offered)
        self.append(
            ConsolidationStarted(
                agent=self.agent,
                step=step_id(self.agent, "main", self.next_offset),
                base=self.next_offset,
                licence=step.licence,
                candidates=names,
                attempt=1,
                model="model",
                consolidator="fake",
                prompt="prompt",
                at=BEGINNING,
            )
        )

    def answered(self, text: str, *, usable: bool = True) -> None:
        step = self.memory.state.step
        assert step is not None
        self.append(
            ConsolidationAnswered(
                agent=self.agent,
                step=step.step,
                attempt=1,
                input="",
                output=text,
                stop_reason="end_turn",
                usage=Usage(),
                usable=usable,
                at=BEGINNING,
            )
        )

    def decide(self, text: str | None, limits: Limits = LIMITS) -> MemoryChanged | None:
        return decide(self.memory, text, limits, base=self.next_offset, at=BEGINNING)

    def revise(self, *operations: dict[str, Any], limits: Limits = LIMITS) -> MemoryChanged:
        """One whole step with this answer: started, answered, decided, folded."""
        text = answer(*operations) if operations else None
        if text is not None:
            self.start(limits)
            self.answered(text)
        changed = self.decide(text, limits)
        assert changed is not None
        self.append(changed)
        assert self.memory.state.version == changed.version, "the decision took no effect"
        return changed

    def learn(self, *candidates: Candidate, rooms: Sequence[str] = ()) -> None:
        """Extract these, and add each as a line of its own."""
        self.extracted(*candidates, rooms=rooms)
        self.idle()
        self.revise(*({"op": "add", "section": c.topic, "text": c.statement, "candidates": [c.id]} for c in candidates))

    @property
    def texts(self) -> list[str]:
        return [line.text for line in self.memory.lines]

    def verdicts(self) -> dict[str, str]:
        """What became of each candidate; fails if one was decided twice."""
        found: dict[str, str] = {}
        for record in self.decided:
            if record.type == "candidate.decided":
                assert record.decision.candidate not in found, f"{record.decision.candidate} has two decisions"
                found[record.decision.candidate] = record.decision.verdict.value
        return found
