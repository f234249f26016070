"""Random histories of one agent's journal: what honest roles may write, with repeats, void revisions and odd answers among it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from schemas.base import Origin, Position
from schemas.candidates import Candidate, Evidence, Kind, Trust
from schemas.events import AgentUpdated, RoomUpdated, WorkspaceAttached
from schemas.extraction import DoneOutcome, Usage
from schemas.ids import candidate_id, chunk_id, request_id, step_id
from schemas.journal import (
    AgentIdle,
    CandidateProposed,
    CandidateRejected,
    ConsolidationAnswered,
    ConsolidationStarted,
    DecisionRecord,
    Forwarded,
    Journal,
    RequestDone,
    RoomSummarised,
)
from schemas.memory import AgentMemory, LicenceKind
from streams.consolidation.budgets import Limits
from streams.consolidation.decide import decide
from streams.consolidation.due import due
from streams.consolidation.replay import Replay

AGENT = "a1"
START = datetime(2026, 3, 1, tzinfo=UTC)
STATEMENTS = (
    "Never deploy on a Friday.",
    "never deploy on a friday",
    "Orders are kept in Postgres.",
    "Orders are kept in MySQL, not in Postgres.",
    "Always squash commits before a merge.",
    "The release is on the 14th because Maria is out.",
    "The release is on the 21st.",
    "Reviews need two people.",
    "Reviews need two people and a green build.",
    "Always squash commits before a merge into main.",
    "Orders are kept in MySQL.",
)


@dataclass
class History:
    """Appends to a journal and folds it; `records[offset]` is what lies there."""

    records: list[Journal] = field(default_factory=list)
    replay: Replay = field(default_factory=Replay)
    decided: list[DecisionRecord] = field(default_factory=list)
    cut: int = 0
    licence: int = 0
    sent: int = 0
    answers: int = 0

    @property
    def memory(self) -> AgentMemory:
        return self.replay.memories.get(AGENT) or AgentMemory.empty(AGENT)

    def append(self, record: Journal) -> None:
        taken = self.replay.take(record, len(self.records))
        assert not taken.fault, taken.fault
        self.records.append(record)
        self.decided += taken.decided

    def activity(self) -> Origin:
        self.sent += 1
        return Origin(position=Position(topic="messages", partition=0, offset=self.sent))

    def forward(self, data: AgentUpdated | RoomUpdated | WorkspaceAttached) -> None:
        self.append(Forwarded(agent=AGENT, origin=self.activity(), event=f"f{self.sent}", event_type=data.type, at=START, data=data))

    def extracted(self, room: str, said: list[tuple[str, Trust, bool]], zombie: bool) -> None:
        """One request; with `zombie`, another worker's later answer for the same chunk stands in the journal too."""
        self.cut += 1
        chunk = chunk_id(f"plan{self.cut}", room, 0)
        answers = [said, [*said, *[("What a zombie said.", Trust.OWNER, False)] * 3]] if zombie else [said]
        for statements in answers:
            self.answers += 1
            for ordinal, (statement, trust, gate) in enumerate(statements):
                candidate = candidate_of(self.cut, room, chunk, ordinal, statement, trust)
                origin = self._answer(ordinal)
                self.append(
                    CandidateRejected(agent=AGENT, origin=origin, candidate=candidate, reason="hypothetical")
                    if gate
                    else CandidateProposed(agent=AGENT, origin=origin, candidate=candidate)
                )
            self.append(
                RoomSummarised(
                    agent=AGENT,
                    origin=self._answer(len(statements)),
                    cut=self.cut,
                    chunk=chunk,
                    room=room,
                    text=f"Summary {self.answers}",
                    newest=START + timedelta(days=self.cut),
                )
            )
        self.answers += 1
        done = RequestDone(
            agent=AGENT, origin=self._answer(0), request=request_id(AGENT, self.cut), cut=self.cut, outcome=DoneOutcome.COMPLETED
        )
        self.append(done)

    def idle(self) -> None:
        self.licence += 1
        at = START + timedelta(days=self.licence)
        self.append(AgentIdle(agent=AGENT, origin=self.activity(), number=self.licence, kind=LicenceKind.IDLE, cut=self.cut, at=at))

    def consolidated(self, choose: Iterator[int], disturbed: bool) -> None:
        """All steps under the licence; with `disturbed`, a Room is renamed between each decision and its record, which voids it once."""
        for _ in range(20):
            step = due(self.memory, Limits())
            if step is None:
                return
            answer = None
            if step.offered:
                answer = self._called([pending.candidate for pending in step.offered], choose)
            changed = decide(self.memory, answer, Limits(), base=len(self.records), at=START)
            assert changed is not None
            if disturbed:
                disturbed = False
                self.forward(RoomUpdated(agent=AGENT, boot=1, room="ra", title=f"Room {self.sent}"))
                self.append(changed)
                changed = decide(self.memory, answer, Limits(), base=len(self.records), at=START)
                assert changed is not None
            self.append(changed)
        raise AssertionError("steps without an end")

    def _answer(self, ordinal: int) -> Origin:
        return Origin(position=Position(topic="extractions", partition=0, offset=self.answers), ordinal=ordinal)

    def _called(self, offered: list[Candidate], choose: Iterator[int]) -> str:
        base = len(self.records)
        step = step_id(AGENT, "main", base)
        answer = json.dumps({"operations": [_operation(candidate, self.memory, next(choose)) for candidate in offered]})
        self.append(
            ConsolidationStarted(
                agent=AGENT,
                step=step,
                base=base,
                licence=self.licence,
                candidates=tuple(candidate.id for candidate in offered),
                attempt=1,
                model="m",
                consolidator="script",
                prompt="p",
                at=START,
            )
        )
        self.append(
            ConsolidationAnswered(
                agent=AGENT, step=step, attempt=1, input="", output=answer, stop_reason="end_turn", usage=Usage(), usable=True, at=START
            )
        )
        return answer


def _operation(candidate: Candidate, memory: AgentMemory, choice: int) -> dict[str, object]:
    words = set(candidate.statement.lower().split())
    lines = sorted(memory.lines, key=lambda line: -len(words & set(line.text.lower().split())))
    line = lines[choice // 30 % len(lines)].id if lines else "l1"
    other = lines[(choice // 30 + 1) % len(lines)].id if lines else "l2"
    match choice % 6:
        case 0 | 1:
            return {"op": "add", "section": candidate.topic, "text": candidate.statement, "candidates": [candidate.id]}
        case 2:
            return {"op": "merge_into", "line": line, "candidates": [candidate.id]}
        case 3:
            cause = "disproved" if choice % 4 == 1 else "refined"
            return {"op": "replace", "line": line, "text": candidate.statement, "cause": cause, "candidates": [candidate.id]}
        case 4:
            return {"op": "remove", "line": line, "cause": "duplicate", "survivor": other, "candidates": [candidate.id]}
        case _:
            return {"op": "reject", "candidates": [candidate.id], "reason": "of no use"}


def candidate_of(cut: int, room: str, chunk: str, ordinal: int, statement: str, trust: Trust) -> Candidate:
    said = START + timedelta(days=cut, minutes=ordinal)
    evidence = Evidence(event=f"e{cut}-{ordinal}", position=Position(topic="messages", partition=0, offset=cut), time=said, room=room)
    return Candidate(
        id=candidate_id(chunk, ordinal),
        agent=AGENT,
        request=request_id(AGENT, cut),
        cut=cut,
        room=room,
        chunk=chunk,
        chunk_ordinal=0,
        ordinal=ordinal,
        statement=statement,
        topic="Work",
        kind=Kind.RULE,
        trust=trust,
        evidence=(evidence,),
        quote=statement,
        said_at=said,
    )


_said = st.tuples(st.sampled_from(STATEMENTS), st.sampled_from([*[Trust.OWNER] * 6, *Trust]), st.sampled_from([*[False] * 5, True]))
_requests = st.tuples(st.sampled_from(["ra", "rb"]), st.lists(_said, max_size=4), st.booleans())
_rounds = st.tuples(
    st.lists(_requests, max_size=2), st.lists(st.integers(0, 59), min_size=40, max_size=40), st.booleans(), st.booleans(), st.booleans()
)


@st.composite
def histories(draw: st.DrawFn) -> History:
    """Up to five rounds of requests, a licence and its steps, in a small or a large window; some records come twice."""
    history = History()
    history.forward(WorkspaceAttached(agent=AGENT, boot=1, workspace="w", path="w"))
    for requests, choices, disturbed, repeated, small in draw(st.lists(_rounds, min_size=1, max_size=5)):
        before = len(history.records)
        history.forward(AgentUpdated(agent=AGENT, boot=1, window=8_192 if small else 200_000))
        for room, said, zombie in requests:
            history.extracted(room, said, zombie)
        if repeated:
            for record in history.records[before:]:
                history.append(record)
        history.idle()
        history.consolidated(iter(choices * 10), disturbed)
    return history
