"""The history behind verify stays quick for an agent with very many candidates (O5, T6)."""

import time

import pytest

from schemas.candidates import Trust
from schemas.operations import Decision, Verdict
from streams.audit.invariants import lineage
from streams.audit.invariants.ledger import Ledger
from streams.audit.invariants.refold import Accepted
from tests.unit.audit.histories import AGENT, candidate_of


@pytest.mark.spec("T6")
def test_ten_times_the_candidates_of_one_agent_take_nothing_like_a_hundred_times_as_long_T6() -> None:
    few, many = (min(_seconds(number) for _ in range(3)) for number in (300, 3_000))
    assert many < 40 * max(few, 0.002)


def _seconds(candidates: int) -> float:
    ledger = Ledger()
    for number in range(candidates):
        candidate = candidate_of(1, "ra", "chunk", number, "Never deploy on a Friday.", Trust.OWNER)
        ledger.candidate(Accepted(candidate, number, ""))
        ledger.decide(AGENT, Decision(candidate=candidate.id, verdict=Verdict.MERGED, line="l1"), number)
    begun = time.perf_counter()
    assert list(lineage.without_evidence(ledger)) == []
    assert ledger.count_evidence() == candidates
    assert sum(1 for _ in ledger.evidence()) == candidates
    taken = time.perf_counter() - begun
    ledger.close()
    return taken
