"""The offline consolidator's answers pass the gates [C4, U04, U06]."""

import asyncio

from schemas.candidates import Candidate
from streams.models.port import ConsolidationInput
from streams.models.rules import RulesConsolidator
from tests.unit.consolidation.agent_log import LIMITS, AgentLog, a_candidate


def learn(log: AgentLog, *candidates: Candidate) -> tuple[str, ...]:
    """One step with the rules' answer; gives what was refused."""
    log.extracted(*candidates)
    log.idle()
    log.start()
    step = log.memory.state.step
    assert step is not None
    given = ConsolidationInput(
        agent="agent",
        sections=log.memory.sections,
        candidates=tuple(log.memory.pending[name].candidate for name in step.candidates),
        window=200_000,
    )
    text = asyncio.run(RulesConsolidator().consolidate(given, "rules")).text
    log.answered(text)
    decided = log.decide(text, LIMITS)
    assert decided is not None
    log.append(decided)
    return decided.refused


def test_equal_words_become_one_line_U04() -> None:
    log = AgentLog()
    assert not learn(log, a_candidate("c1", "Always run the linter."), a_candidate("c2", "always run the linter!", room="room-2"))
    assert not learn(log, a_candidate("c3", "Always run the linter", room="room-3"))
    (line,) = log.memory.lines
    assert (line.sources, line.rooms) == (3, ("room-1", "room-2", "room-3"))


def test_a_correction_leaves_exactly_the_new_fact_U06() -> None:
    log = AgentLog()
    learn(log, a_candidate("c1", "The shop uses Postgres.", minute=1))
    assert not learn(log, a_candidate("c2", "The shop uses MySQL, not Postgres.", minute=2, corrects="The shop uses Postgres."))
    assert log.texts == ["The shop uses MySQL, not Postgres."]


def test_a_correction_within_one_step_leaves_exactly_the_new_fact_U06() -> None:
    log = AgentLog()
    learn(
        log,
        a_candidate("c1", "The shop uses Postgres.", minute=1),
        a_candidate("c2", "The shop uses MySQL, not Postgres.", minute=2, corrects="The shop uses Postgres."),
    )
    assert log.texts == ["The shop uses MySQL, not Postgres."]
    assert log.verdicts() == {"c1": "disproved", "c2": "merged"}


def test_additive_facts_are_both_kept_C4() -> None:
    log = AgentLog()
    learn(log, a_candidate("c1", "Maria speaks French.", about="Maria", minute=1))
    assert not learn(log, a_candidate("c2", "Maria speaks German.", about="Maria", minute=2))
    assert log.texts == ["Maria speaks French.", "Maria speaks German."]
