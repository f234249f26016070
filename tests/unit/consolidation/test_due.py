"""When a step is due, and that nothing new never makes a call [A6, C2, C6]."""

import pytest

from schemas.events import AgentUpdated
from schemas.memory import LicenceKind
from streams.consolidation.budgets import Limits, share
from streams.consolidation.drops import memory_tokens
from streams.consolidation.due import due
from streams.workspaces.render import render
from tests.unit.consolidation.agent_log import LIMITS, AgentLog, a_candidate


def with_one_candidate() -> AgentLog:
    log = AgentLog()
    log.extracted(a_candidate("c1", "Use tabs."), rooms=["room-1"])
    return log


def test_without_a_licence_there_is_no_step_A6() -> None:
    assert due(with_one_candidate().memory, LIMITS) is None


def test_a_licence_waits_for_the_end_of_the_requests_that_it_names_A6() -> None:
    log, script = AgentLog(), AgentLog()
    script.extracted(a_candidate("c1", "Use tabs."))
    log.idle(cut=1)
    log.append(script.records[0])
    assert due(log.memory, LIMITS) is None
    log.append(script.records[1])
    step = due(log.memory, LIMITS)
    assert step is not None and [p.candidate.id for p in step.offered] == ["c1"]


def test_what_was_cut_after_the_licence_is_not_in_its_step_A6() -> None:
    log = with_one_candidate()
    log.idle()
    log.extracted(a_candidate("c2", "Never deploy on Fridays."))
    step = due(log.memory, LIMITS)
    assert step is not None and [p.candidate.id for p in step.offered] == ["c1"]


@pytest.mark.parametrize(("kind", "starts"), [(LicenceKind.IDLE, False), (LicenceKind.NOW, False), (LicenceKind.ANY_MOMENT, True)])
def test_a_step_waits_for_a_moment_without_a_run_A6(kind: LicenceKind, starts: bool) -> None:
    log = with_one_candidate()
    log.idle(kind=kind)
    log.busy()
    assert (due(log.memory, LIMITS) is not None) is starts
    log.busy(False)
    assert due(log.memory, LIMITS) is not None


def test_after_a_restart_of_the_server_pending_candidates_still_merge_U49() -> None:
    log = with_one_candidate()
    log.busy()
    log.busy(False)  # a new boot ends the open run; nothing else of it reaches the journal
    log.idle()
    log.revise({"op": "add", "section": "Work", "text": "Use tabs.", "candidates": ["c1"]})
    assert log.texts == ["Use tabs."]


def test_four_runs_make_no_folder_and_the_fifth_does_once_the_agent_is_idle_U14() -> None:
    log = AgentLog()
    log.idle(cut=0)  # four runs: no cut, so nothing to merge
    assert due(log.memory, LIMITS) is None and not log.memory.state.files
    log.extracted(a_candidate("c1", "Use tabs."), rooms=["room-1"])
    log.idle()
    log.revise({"op": "add", "section": "Work", "text": "Use tabs.", "candidates": ["c1"]})
    assert {"summary.md", "MEMORY.md"} <= log.memory.state.files.keys()


def test_fifty_licences_with_nothing_new_leave_the_same_memory_U11_U27() -> None:
    log = AgentLog()
    log.learn(a_candidate("c1", "Use tabs."), rooms=["room-1"])
    before = log.memory
    for _ in range(50):
        log.busy()
        log.busy(False)
        log.idle()
        assert due(log.memory, LIMITS) is None
    assert (log.memory.sections, log.memory.summaries, log.memory.state.files) == (before.sections, before.summaries, before.state.files)
    assert log.memory.state.version == before.state.version


def test_every_deletion_has_its_cause_U11() -> None:
    log = AgentLog()
    log.learn(a_candidate("c1", "The shop uses Postgres.", minute=1))
    log.extracted(a_candidate("c2", "The shop uses MySQL.", minute=2))
    log.idle()
    log.revise({"op": "replace", "line": "l1", "text": "The shop uses MySQL.", "cause": "disproved", "candidates": ["c2"]})
    endings = [record.ending for record in log.decided if record.type == "line.ended"]
    assert [(ending.how.value, ending.because) for ending in endings] == [("disproved", "c2")]


def test_new_summaries_alone_make_a_revision_without_a_call_C10() -> None:
    log = AgentLog()
    log.extracted(rooms=["room-1"])
    log.idle()
    step = due(log.memory, LIMITS)
    assert step is not None and not step.offered
    log.revise()
    assert b"Nothing is remembered yet" in render(log.memory)["MEMORY.md"]


def test_a_window_that_shrank_drops_the_least_useful_lines_before_the_next_call_C6() -> None:
    log = AgentLog()
    names = [f"thing{n}" for n in range(240)]
    for batch in range(0, 240, 60):
        log.learn(
            *(
                a_candidate(f"c{n}", f"Always keep {names[n]} in the drawer of the {names[n]} clerk.", topic=f"Topic {n % 40}")
                for n in range(batch, batch + 60)
            )
        )
    assert len(log.texts) == 240
    log.forwarded(AgentUpdated(agent="agent", boot=1, window=8_192))
    log.extracted(a_candidate("new", "Use tabs."))
    log.idle()
    step = due(log.memory, LIMITS)
    assert step is not None and not step.offered
    changed = log.revise()
    assert changed.dropped == 240 - len(log.texts) > 0 and changed.window == 8_192
    assert changed.licence is None and memory_tokens(log.memory) <= share(8_192)
    assert all(ending.ending.score for ending in log.decided if ending.type == "line.ended")
    step = due(log.memory, LIMITS)
    assert step is not None and [p.candidate.id for p in step.offered] == ["new"]


def test_over_the_share_a_new_line_of_least_use_is_over_budget_and_leaves_no_trace_C5_C7() -> None:
    log = AgentLog()
    limits = Limits(lines_in_section=1)
    log.extracted(a_candidate("old", "Use tabs.", minute=1), a_candidate("new", "Run the linter.", minute=9))
    log.idle()
    changed = log.revise(
        {"op": "add", "section": "Work", "text": "Use tabs.", "candidates": ["old"]},
        {"op": "add", "section": "Work", "text": "Run the linter.", "candidates": ["new"]},
        limits=limits,
    )
    assert log.verdicts() == {"old": "over_budget", "new": "merged"}
    assert (log.texts, changed.dropped) == (["Run the linter."], 1)


def test_a_window_below_the_smallest_stops_that_agent_C5() -> None:
    log = with_one_candidate()
    log.idle()
    log.forwarded(AgentUpdated(agent="agent", boot=1, window=4_096))
    assert due(log.memory, LIMITS) is None


@pytest.mark.parametrize(("window", "tokens"), [(8_192, 2_048), (32_768, 8_192), (200_000, 50_000), (1_000_000, 250_000)])
def test_the_share_of_the_memory_C5(window: int, tokens: int) -> None:
    assert share(window) == tokens


def test_a_step_has_the_limits_that_are_promised_C3_C5_C8_W2() -> None:
    limits = Limits()
    assert (limits.candidates_in_step, limits.lines_in_section, limits.rooms_with_summary) == (64, 30, 30)
    assert [limits.sections_in(window) for window in (8_192, 200_000, 200_001)] == [40, 40, 80]
    assert (limits.removals_of, limits.disproved_by_one) == (4, 3)
