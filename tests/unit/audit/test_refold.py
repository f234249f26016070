"""verify's own fold comes to the same memory as the consolidator's, whatever happens, and its invariants hold on honest histories (T6)."""

import pytest
from hypothesis import HealthCheck, given, settings

from schemas.journal import MemoryChanged
from streams.audit.invariants import decisions, files, lineage, lines, share
from streams.audit.invariants.ledger import Ledger
from streams.audit.invariants.refold import Accepted, Refold, Revised
from streams.audit.invariants.violation import Violation
from tests.unit.audit.histories import AGENT, History, histories


@pytest.mark.spec("T6")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(histories())
def test_two_folds_that_share_no_code_agree_and_no_invariant_is_broken_T6(history: History) -> None:
    assert _judge(history) == []


def _judge(history: History) -> list[str]:
    refold, ledger = Refold(), Ledger()
    found: list[Violation] = []
    for offset, record in enumerate(history.records):
        match refold.fold(record, offset):
            case Accepted() as accepted:
                ledger.candidate(accepted)
            case Revised() as revised:
                found += [*decisions.see_revision(ledger, revised), *lines.see_revision(ledger, revised), *share.see_revision(revised)]
    for record in history.decided:
        ledger.told(record)
    projection = {AGENT: history.memory}
    found += decisions.judge(ledger, refold)
    found += lines.judge(ledger, refold, projection)
    found += lineage.judge(ledger, projection)
    found += lineage.without_evidence(ledger)
    found += files.judge_projection(refold, projection)
    ledger.close()
    in_force = [record for record in history.records if isinstance(record, MemoryChanged)]
    assert refold.memories[AGENT].version <= len(in_force)
    return [violation.sentence for violation in found]
