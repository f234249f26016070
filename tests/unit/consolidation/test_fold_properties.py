"""Whatever happens in whatever order, nothing is lost, decided twice or folded twice [C7, C9, E9, T1]."""

from collections import Counter
from datetime import timedelta
from random import Random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.base import Origin, Position
from schemas.candidates import Trust
from schemas.codec import encode
from schemas.events import AgentDeleted, AgentUpdated, RoomUpdated, WorkspaceAttached
from schemas.extraction import DoneOutcome
from schemas.ids import digest
from schemas.journal import JOURNAL, CandidateProposed, CandidateRejected, RequestDone
from schemas.memory import AgentMemory, LicenceKind, MemoryRecord
from schemas.operations import Ending, Verdict
from streams.consolidation.budgets import Limits, share
from streams.consolidation.drops import memory_tokens, too_many
from streams.consolidation.due import due
from streams.consolidation.fold import fold
from streams.consolidation.replay import Replay
from streams.memory_projection import Key, assemble, projected
from streams.workspaces.render import render
from tests.unit.consolidation.agent_log import BEGINNING, AgentLog, a_candidate, answer

LIMITS = Limits(candidates_in_step=3, lines_in_section=4, sections=3, rooms_with_summary=2)
THINGS = ("tabs", "port 8080", "the linter", "Postgres 14", "/srv/app", "Maria", "Friday deploys", "the red queue")
STATEMENTS = [f"{verb} {thing}." for verb in ("Use", "Never use", "We decided on", "The team checks") for thing in THINGS]


class RandomAgent(AgentLog):
    """An agent to whom anything happens that the other roles may deliver, repeats and slow answers included."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.random = Random(seed)
        self.chunks = 0
        self.names = 0
        self.accepted: set[str] = set()

    def live(self, steps: int) -> None:
        actions = (
            [self.candidates] * 4
            + [self.finish] * 3
            + [self.license] * 3
            + [self.consolidate] * 6
            + [self.repeat] * 3
            + [self.happening] * 2
        )
        for _ in range(steps):
            self.random.choice(actions)()

    def candidates(self) -> None:
        self.chunks += 1
        for ordinal in range(self.random.randint(1, 3)):
            self.names += 1
            room = f"room-{self.random.randint(1, 4)}"
            candidate = a_candidate(
                f"c{self.names}",
                self.random.choice(STATEMENTS),
                minute=self.random.randint(0, 500),
                room=room,
                topic=self.random.choice(("Work", "Tools", "People", "Food", "2026")),
                trust=self.random.choice((Trust.OWNER, Trust.OWNER, *Trust)),
                holds_until=self.random.choice((*[None] * 9, BEGINNING + timedelta(days=self.random.randint(0, 40)))),
            ).model_copy(update={"cut": self.cut + 1, "chunk": f"chunk-{self.chunks}", "chunk_ordinal": self.chunks, "ordinal": ordinal})
            origin = Origin(position=Position(topic="extractions", partition=0, offset=self.chunks), ordinal=ordinal)
            self.accepted.add(candidate.id)
            if self.random.random() < 0.15:
                self.append(CandidateRejected(agent=self.agent, origin=origin, candidate=candidate, reason="a gate's reason"))
            else:
                self.append(CandidateProposed(agent=self.agent, origin=origin, candidate=candidate))
        self._answers = self.chunks
        summary = self.a_summary(f"room-{self.random.randint(1, 4)}", f"Summary {self.chunks}.")
        self.append(summary.model_copy(update={"cut": self.cut + 1}))

    def finish(self) -> None:
        self.cut += 1
        origin = Origin(position=Position(topic="extractions", partition=0, offset=self.chunks + 1))
        self.append(RequestDone(agent=self.agent, origin=origin, request=f"r{self.cut}", cut=self.cut, outcome=DoneOutcome.PARTLY))

    def license(self) -> None:
        self.idle(kind=self.random.choice(list(LicenceKind)), at=BEGINNING + timedelta(days=self.licences))

    def consolidate(self) -> None:
        state = self.memory.state
        if state.step is None:
            step = due(self.memory, LIMITS)
            if step is not None and step.offered:
                self.start(LIMITS)
            elif step is not None:
                self.conclude(None)
        elif state.step.answer is None:
            self.answered(self.any_answer(), usable=self.random.random() < 0.8)
        else:
            self.conclude(self.records[state.step.answer].output)  # type: ignore[union-attr]

    def conclude(self, text: str | None) -> None:
        decided = self.decide(text, LIMITS)
        assert decided is not None
        if self.random.random() < 0.2:
            self.happening()  # perhaps the decision is void now
        self.append(JOURNAL.decode(encode(decided)))  # type: ignore[arg-type]

    def any_answer(self) -> str:
        step = self.memory.state.step
        assert step is not None
        names = list(step.candidates)
        lines = [line.id for line in self.memory.lines] or ["l999"]
        sections = [section.title for section in self.memory.sections] + ["Work", "Tools", "Food", ""]
        pick = self.random.choice

        def said(name: str) -> str:
            pending = self.memory.pending.get(name)
            return pending.candidate.statement if pending else "Nothing."

        operations = []
        for name in [*names, pick(names), "nobody"]:
            text = pick((said(name), said(name), pick(STATEMENTS)))
            operations.append(
                pick(
                    [
                        *[{"op": "add", "section": pick(sections), "text": said(name), "candidates": [name]}] * 9,
                        {"op": "add", "section": pick(sections), "text": text, "candidates": [name]},
                        {"op": "replace", "line": pick(lines), "text": text, "cause": pick(["disproved", "refined"]), "candidates": [name]},
                        {"op": "merge_into", "line": pick(lines), "text": pick([None, text]), "candidates": [name]},
                        {"op": "remove", "line": pick(lines), "cause": "disproved", "candidates": [name]},
                        {"op": "remove", "line": pick(lines), "cause": "disproved", "because": name},
                        {"op": "remove", "line": pick(lines), "cause": "duplicate", "survivor": pick(lines)},
                        {"op": "move", "line": pick(lines), "section": pick(sections)},
                        {"op": "merge_sections", "section": pick(sections), "into": pick(sections)},
                        {"op": "rename_section", "section": pick(sections), "title": pick(sections)},
                        {"op": "set_gist", "section": pick(sections), "text": text},
                        {"op": "reject", "candidates": [name], "reason": "no"},
                        {"op": "nonsense"},
                    ]
                )
            )
        return answer(*operations)

    def repeat(self) -> None:
        """What activity or candidates sends again after a crash: a stretch of what it sent before."""
        if self.records:
            first = self.random.randrange(len(self.records))
            for record in self.records[first : first + 3]:
                self.append(record)

    def happening(self) -> None:
        pick = self.random.random()
        if pick < 0.5:
            self.busy(self.random.random() < 0.3)
        elif pick < 0.8:
            self.forwarded(RoomUpdated(agent=self.agent, boot=1, room=f"room-{self.random.randint(1, 3)}", title=f"Title {self.names}"))
        elif pick < 0.9:
            self.forwarded(WorkspaceAttached(agent=self.agent, boot=1, workspace="w", path=f"p{self.names}"))
        elif pick < 0.995:
            self.forwarded(AgentUpdated(agent=self.agent, boot=1, window=self.random.choice((8_192, 32_768, 200_000))))
        else:
            self.forwarded(AgentDeleted(agent=self.agent, boot=1))


@settings(max_examples=120, deadline=None)
@given(seed=st.integers(0, 2**32), steps=st.integers(0, 90))
@example(seed=7, steps=600)
def test_each_candidate_has_one_decision_and_each_line_its_sources_C7(seed: int, steps: int) -> None:
    agent = RandomAgent(seed)
    agent.live(steps)
    verdicts = agent.verdicts()  # fails if a candidate was decided twice
    assert verdicts.keys() | agent.memory.pending.keys() == agent.accepted
    assert not verdicts.keys() & agent.memory.pending.keys()
    ended: Counter[str] = Counter()
    sources: dict[str, int] = {}
    for record in agent.decided:  # in each revision the decisions stand before the endings
        if record.type == "candidate.decided" and record.decision.line and record.decision.verdict is not Verdict.FORGOTTEN:
            sources[record.decision.line] = sources.get(record.decision.line, 0) + 1
        elif record.type == "line.ended":
            ended[record.ending.line] += 1
            handed = sources.pop(record.ending.line, 0)
            if record.ending.how in (Ending.REPLACED, Ending.MERGED_INTO):
                sources[str(record.ending.into)] = sources.get(str(record.ending.into), 0) + handed
    assert not ended or max(ended.values()) == 1
    assert {line.id: line.sources for line in agent.memory.lines} == sources
    assert len({line.id for line in agent.memory.lines}) == len(agent.memory.lines)
    assert all(section.lines for section in agent.memory.sections)
    window = agent.memory.state.rendered_window
    assert not window or (memory_tokens(agent.memory) <= share(window) and not too_many(agent.memory, window, LIMITS))
    assert {path: digest(content) for path, content in render(agent.memory).items()} == dict(agent.memory.state.files) or (
        agent.memory.state.deleted
    )


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32), steps=st.integers(0, 70))
def test_folding_in_steps_or_at_once_and_the_projection_give_the_same_memory_T1(seed: int, steps: int) -> None:
    agent = RandomAgent(seed)
    agent.live(steps)
    replay = Replay()
    topic: dict[Key, MemoryRecord | None] = {}
    before: AgentMemory | None = None
    batch = Random(seed)
    for offset, record in enumerate(agent.records):
        replay.take(JOURNAL.decode(encode(record)), offset)  # type: ignore[arg-type]
        if batch.random() < 0.4 and "agent" in replay.memories:  # a transaction's end
            topic.update(projected(before, replay.memories["agent"]))
            before = assemble(topic.items())["agent"]  # a restart: what is read back is what goes on
            assert before == replay.memories["agent"]
            replay = Replay({"agent": before})
    if agent.records:
        assert replay.memories.get("agent", AgentMemory.empty("agent")) == agent.memory


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32), steps=st.integers(0, 60), share=st.floats(0, 1))
def test_a_repeat_of_any_prefix_changes_nothing_E9(seed: int, steps: int, share: float) -> None:
    agent = RandomAgent(seed)
    agent.live(steps)
    memory = agent.memory
    for record in agent.records[: int(len(agent.records) * share)]:
        folded = fold(memory, record, len(agent.records))
        assert folded.decided == ()
        memory = folded.memory
    assert memory == agent.memory
