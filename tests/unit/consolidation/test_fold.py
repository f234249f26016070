"""The fold takes each record once and applies a decision only where its base holds [C1, C9, C13]."""

from datetime import timedelta

import pytest

from schemas.base import Origin, Position
from schemas.events import AgentDeleted, AgentUpdated, MemoryMode, PinLine, RoomUpdated, WorkspaceAttached, WorkspaceDetached
from schemas.extraction import DoneOutcome
from schemas.journal import CandidateProposed, FoldSkipped, RequestDone
from schemas.memory import AgentMemory
from schemas.operations import Ending, EndLine, PutLine
from streams.consolidation.errors import FoldFault
from streams.consolidation.fold import fold
from streams.consolidation.replay import Replay
from tests.unit.consolidation.agent_log import BEGINNING, AgentLog, a_candidate


def proposed(name: str, *, cut: int = 1, chunk: str = "chunk", answer: int = 5, ordinal: int = 0) -> CandidateProposed:
    candidate = a_candidate(name, f"Statement {name}.").model_copy(update={"cut": cut, "chunk": chunk, "ordinal": ordinal})
    return CandidateProposed(agent="agent", origin=extracted_at(answer, ordinal), candidate=candidate)


def extracted_at(answer: int, ordinal: int = 0) -> Origin:
    return Origin(position=Position(topic="extractions", partition=0, offset=answer), ordinal=ordinal)


def done(cut: int) -> RequestDone:
    return RequestDone(agent="agent", origin=extracted_at(99), request="request", cut=cut, outcome=DoneOutcome.COMPLETED)


def test_a_candidate_delivered_again_is_one_candidate_U04() -> None:
    log = AgentLog()
    for record in (proposed("c1"), proposed("c2", ordinal=1), proposed("c1"), proposed("c2", ordinal=1)):
        log.append(record)
    assert sorted(log.memory.pending) == ["c1", "c2"]
    assert log.memory.state.changed_at == 1


def test_a_candidate_delivered_again_after_its_decision_is_not_pending_again_U04() -> None:
    log = AgentLog()
    log.learn(a_candidate("c1", "Use tabs."))
    again = log.records[0]
    log.append(again)
    assert not log.memory.pending and log.memory.lines[0].sources == 1


def test_the_first_answer_of_a_chunk_wins_X10() -> None:
    log = AgentLog()
    for record in (proposed("first", answer=5), proposed("second", answer=8), proposed("second", answer=8, ordinal=1)):
        log.append(record)
    assert list(log.memory.pending) == ["first"]


def test_nothing_counts_after_the_end_of_its_request_X10() -> None:
    log = AgentLog()
    log.append(proposed("c1"))
    log.append(done(1))
    before = log.memory
    log.append(proposed("late", chunk="another"))
    assert log.append(done(1)) is before
    assert (before.state.cut_done, before.state.chunks) == (1, ())


def test_a_newer_summary_waits_beside_the_one_in_the_files_C10() -> None:
    log = AgentLog()
    log.extracted(rooms=["room-1"])
    log.idle()
    log.revise()
    log.extracted(rooms=["room-1"])
    summary = log.memory.summaries["room-1"]
    assert (summary.text, summary.published) == ("Summary 1 of room-1.", True)
    assert summary.waiting is not None and summary.waiting.text == "Summary 2 of room-1."
    log.idle()
    log.revise()
    summary = log.memory.summaries["room-1"]
    assert (summary.text, summary.extractor, summary.waiting) == ("Summary 2 of room-1.", "scripted", None)


def test_a_decision_is_void_if_something_came_after_its_base_C9() -> None:
    log = AgentLog()
    log.extracted(rejected=[a_candidate("c1", "Perhaps.")])
    log.idle()
    decided = log.decide(None)
    assert decided is not None
    log.append(proposed("c2", cut=2))
    before = log.memory
    assert log.append(decided) is before
    again = log.decide(None)
    assert again is not None and log.append(again).state.version == 1


def test_a_second_decision_of_the_same_step_is_void_C9() -> None:
    log = AgentLog()
    log.extracted(rejected=[a_candidate("c1", "Perhaps.")])
    log.idle()
    decided = log.decide(None)
    assert decided is not None
    log.append(decided)
    before = log.memory
    assert log.append(decided) is before
    assert log.append(decided.model_copy(update={"version": 2})) is before
    assert log.append(decided.model_copy(update={"base": log.next_offset})) is before


def test_another_derivations_decision_is_skipped_T2() -> None:
    log = AgentLog()
    log.extracted(rejected=[a_candidate("c1", "Perhaps.")])
    log.idle()
    decided = log.decide(None)
    assert decided is not None
    before = log.memory
    assert log.append(decided.model_copy(update={"derivation": "other"})) is before


def test_forwarded_events_delivered_again_or_late_have_no_effect_E9() -> None:
    log = AgentLog()
    log.busy()
    log.busy(False)
    before = log.memory
    assert log.append(log.records[0]) is before
    assert before.state.busy is False


def test_an_older_licence_never_replaces_a_newer_one_A6() -> None:
    log = AgentLog()
    log.idle(cut=1)
    log.idle(cut=2)
    log.licences = 0
    log.idle(cut=9)
    assert log.memory.state.licence is not None
    assert (log.memory.state.licence.number, log.memory.state.licence.cut) == (2, 2)


def test_life_cycle_events_are_kept() -> None:
    log = AgentLog()
    log.forwarded(AgentUpdated(agent="agent", boot=1, name="Ada", model="claude", window=32_768))
    log.forwarded(AgentUpdated(agent="agent", boot=1, model="rules"))
    log.forwarded(RoomUpdated(agent="agent", boot=1, room="room-1", title="Shop", project="shop"))
    log.forwarded(RoomUpdated(agent="agent", boot=1, room="room-1", memory=MemoryMode.OFF))
    log.forwarded(WorkspaceAttached(agent="agent", boot=1, workspace="w1", path="a/b", room="room-1"))
    log.forwarded(WorkspaceDetached(agent="agent", boot=1, workspace="w1"))
    log.forwarded(WorkspaceDetached(agent="agent", boot=1, workspace="never attached"))
    log.forwarded(PinLine(agent="agent", boot=1, who="operator", line="l1"))
    state, room = log.memory.state, log.memory.rooms["room-1"]
    assert (state.name, state.model, state.window, state.forgets) == ("Ada", "rules", 32_768, 1)
    assert (room.title, room.project, room.memory) == ("Shop", "shop", MemoryMode.OFF)
    assert (log.memory.workspaces["w1"].attached, list(log.memory.workspaces)) == (False, ["w1"])
    assert state.changed_at == 3  # workspaces and commands change nothing that a step is decided on


def test_a_deleted_agent_ends_with_every_line_and_candidate_decided_C7() -> None:
    log = AgentLog()
    log.learn(a_candidate("c1", "Use tabs."), rooms=["room-1"])
    log.extracted(a_candidate("c2", "Never deploy on Fridays."))
    log.idle()
    log.start()
    log.forwarded(AgentDeleted(agent="agent", boot=1))
    assert log.memory.state.step is None
    changed = log.revise()
    assert changed.files == {} and not log.memory.sections and not log.memory.summaries
    assert log.verdicts() == {"c1": "merged", "c2": "forgotten"}
    assert log.decide(None) is None
    log.extracted(a_candidate("c3", "Late words."))
    log.revise()
    assert log.verdicts()["c3"] == "forgotten"


def test_a_step_whose_base_is_past_does_not_begin_C9() -> None:
    log = AgentLog()
    log.extracted(a_candidate("c1", "Use tabs."))
    log.idle()
    log.start()
    started = log.records[-1]
    assert log.memory.state.step is not None and log.memory.state.step.attempts == 1
    late = AgentLog()
    late.records = list(log.records[:-1])
    late.memory = log.memory.__class__.empty("agent")
    replay = Replay()
    for offset, record in enumerate((*log.records[:-1], proposed("c2", cut=2), started)):
        replay.take(record, offset)
    assert replay.memories["agent"].state.step is None


def test_a_fold_that_fails_skips_the_record_for_that_agent_only_C13() -> None:
    log = AgentLog()
    log.extracted(rejected=[a_candidate("c1", "Perhaps.")])
    log.idle()
    decided = log.decide(None)
    assert decided is not None
    poison = decided.model_copy(update={"operations": (EndLine(line="l77", how=Ending.DROPPED),)})
    replay = Replay()
    for offset, record in enumerate(log.records):
        replay.take(record, offset)
    taken = replay.take(poison, len(log.records))
    assert taken.fault == "there is no line l77"
    assert replay.memories["agent"] == log.memory
    other = poison.model_copy(update={"agent": "other"})
    assert replay.take(other, len(log.records) + 1).agent == "other"


def test_a_replay_honours_what_was_skipped_C13() -> None:
    log = AgentLog()
    log.extracted(a_candidate("c1", "Use tabs."))
    log.append(FoldSkipped(agent="agent", offset=0, fault="a fault that later code has no more"))
    replay = Replay(skipped={0})
    for offset, record in enumerate(log.records):
        replay.take(record, offset)
    assert not replay.memories["agent"].pending
    assert "c1" in log.memory.pending


@pytest.mark.parametrize("operation", [EndLine(line="l9", how=Ending.DROPPED), None])
def test_an_operation_on_what_is_not_there_is_a_fault(operation: EndLine | None) -> None:
    log = AgentLog()
    log.learn(a_candidate("c1", "Use tabs."))
    put = PutLine(section="s9", line=log.memory.lines[0])
    log.extracted(rejected=[a_candidate("c2", "Perhaps.")])
    log.idle(at=BEGINNING + timedelta(days=3))
    decided = log.decide(None)
    assert decided is not None
    with pytest.raises(FoldFault):
        fold(log.memory, decided.model_copy(update={"operations": (operation or put,)}), log.next_offset)


def test_an_empty_memory_has_nothing() -> None:
    assert AgentMemory.empty("agent").lines == ()
