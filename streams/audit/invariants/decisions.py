"""Invariant 1: every candidate that a licence has named gets exactly one decision, and `decisions` says the same as the journal (C7)."""

from collections.abc import Iterator

from schemas.operations import Verdict
from streams.audit.invariants.ledger import Ledger
from streams.audit.invariants.refold import Refold, Revised
from streams.audit.invariants.violation import JOURNAL, Invariant, Violation, times


def see_revision(ledger: Ledger, revised: Revised) -> Iterator[Violation]:
    """Note what a revision decided; name decisions about candidates that the log does not hold."""
    agent = revised.changed.agent
    for operation in revised.changed.operations:
        if operation.op == "return_candidate":
            ledger.returned(agent, operation.candidate, revised.offset)
    for decision in revised.changed.decisions:
        if not ledger.knows_candidate(agent, decision.candidate):
            yield _violation(agent, f"{JOURNAL}{revised.offset} decides candidate {decision.candidate}, which no earlier record proposes")
        ledger.decide(agent, decision, revised.offset)


def judge(ledger: Ledger, refold: Refold) -> Iterator[Violation]:
    """Name candidates that are decided twice or never, and every difference between the journal and `decisions`."""
    yield from _twice(ledger)
    yield from _never(ledger, refold)
    yield from _differently_told(ledger)


def _twice(ledger: Ledger) -> Iterator[Violation]:
    # Unreconciled is a decision until the candidate is decided again.
    rows = ledger.database.execute(
        "SELECT agent, candidate, group_concat(verdict || ' at memory-candidates[0]@' || at, ', ') "
        "FROM (SELECT * FROM decision ORDER BY at) GROUP BY agent, candidate HAVING sum(verdict <> ?) > 1 OR count(DISTINCT at) < count(*) "
        "OR max(at) > min(CASE WHEN verdict <> ? THEN at END)",
        (Verdict.UNRECONCILED, Verdict.UNRECONCILED),
    )
    for agent, candidate, decisions in rows:
        yield _violation(agent, f"candidate {candidate} is decided more than once: {decisions}")


def _never(ledger: Ledger, refold: Refold) -> Iterator[Violation]:
    for agent, memory in refold.memories.items():
        for candidate, offset in memory.owed.items():
            if not ledger.was_returned(agent, candidate):
                yield _violation(agent, f"candidate {candidate} has no decision, though {JOURNAL}{offset} used up a licence that names it")


def _differently_told(ledger: Ledger) -> Iterator[Violation]:
    rows = ledger.database.execute(
        "SELECT agent, candidate, verdict, at, sum(journal), sum(told) FROM ("
        "SELECT agent, candidate, verdict, line, at, 1 AS journal, 0 AS told FROM decision "
        "UNION ALL SELECT agent, candidate, verdict, line, at, 0, 1 FROM told_decision) "
        "GROUP BY agent, candidate, verdict, line, at HAVING sum(journal) <> sum(told)"
    )
    for agent, candidate, verdict, offset, journal, told in rows:
        yield _violation(
            agent,
            f"the decision {verdict} of candidate {candidate} at {JOURNAL}{offset} stands {times(journal)} in the journal "
            f"and {times(told)} in topic decisions",
        )


def _violation(agent: str, sentence: str) -> Violation:
    return Violation(Invariant.DECISIONS, agent, sentence)
