"""Invariant 2: every line that was put ends at most once, with a cause, and what was put less what ended is the memory (C7)."""

from collections.abc import Iterator, Mapping

from schemas.memory import AgentMemory
from schemas.operations import Ending, EndLine, PutLine
from streams.audit.invariants.ledger import NEVER_PUT, Ledger
from streams.audit.invariants.refold import Refold, Revised
from streams.audit.invariants.violation import JOURNAL, Invariant, Violation, times

_NEEDS_CANDIDATE = frozenset({Ending.REPLACED, Ending.DISPROVED})
_NEEDS_SUCCESSOR = frozenset({Ending.REPLACED, Ending.MERGED_INTO})
"""A line that says the same as another may end with no candidate: the other one is the cause."""


def see_revision(ledger: Ledger, revised: Revised) -> Iterator[Violation]:
    """Note the lines that a revision puts and ends; name those that end twice, without a cause or without having been there."""
    agent, at = revised.changed.agent, f"{JOURNAL}{revised.offset}"
    for operation in revised.changed.operations:
        match operation:
            case PutLine(line=line) if not ledger.put_line(agent, line.id, revised.offset):
                yield _violation(agent, f"{at} puts line {line.id} again, which has ended before")
            case EndLine():
                yield from _ended(ledger, agent, operation, revised.offset)
    for section, line_id in revised.lost:
        yield _violation(agent, f"{at} ends section {section}, in which line {line_id} still was: it is gone without an end of its own")


def _ended(ledger: Ledger, agent: str, ending: EndLine, offset: int) -> Iterator[Violation]:
    before = ledger.end_line(agent, ending, offset)
    if before == NEVER_PUT:
        yield _violation(agent, f"{JOURNAL}{offset} ends line {ending.line}, which was never put")
    elif before is not None:
        yield _violation(agent, f"line {ending.line} ends twice: at {JOURNAL}{before} and at {JOURNAL}{offset}")
    if ending.because is not None and not ledger.knows_candidate(agent, ending.because):
        yield _violation(
            agent, f"{JOURNAL}{offset} ends line {ending.line} because of candidate {ending.because}, which no earlier record proposes"
        )
    if ending.because is None and ending.how in _NEEDS_CANDIDATE:
        yield _violation(agent, f"{JOURNAL}{offset} ends line {ending.line} as {ending.how} because of no candidate")
    if ending.into is None and ending.how in _NEEDS_SUCCESSOR:
        yield _violation(agent, f"{JOURNAL}{offset} ends line {ending.line} as {ending.how}, by no other line")
    if ending.into is not None and not ledger.has_line(agent, ending.into):
        yield _violation(agent, f"{JOURNAL}{offset} ends line {ending.line} by line {ending.into}, which was never put")


def judge(ledger: Ledger, refold: Refold, projection: Mapping[str, AgentMemory]) -> Iterator[Violation]:
    """Compare the sums with the projection, and the ends with topic `decisions`."""
    for agent in sorted(refold.memories.keys() | projection.keys()):
        held = {line.id for line in projection[agent].lines} if agent in projection else set()
        living = ledger.living_lines(agent)
        put, ended = ledger.count_lines(agent)
        for line in sorted(held - living):
            fate = "has ended" if ledger.has_line(agent, line) else "was never put"
            yield _violation(agent, f"line {line} is in topic memory, but in the journal it {fate}")
        for line in sorted(living - held):
            yield _violation(agent, f"line {line} was put and has not ended, but it is not in topic memory")
        if put - ended != len(held) and held == living:
            yield _violation(agent, f"{put} lines put less {ended} ended is not the {len(held)} in topic memory")
    yield from _differently_told(ledger)


def _differently_told(ledger: Ledger) -> Iterator[Violation]:
    rows = ledger.database.execute(
        "SELECT agent, id, how, ended, sum(journal), sum(told) FROM ("
        "SELECT agent, id, how, ended, 1 AS journal, 0 AS told FROM line WHERE ended IS NOT NULL "
        "UNION ALL SELECT agent, line, how, at, 0, 1 FROM told_end) "
        "GROUP BY agent, id, how, ended HAVING sum(journal) <> sum(told)"
    )
    for agent, line, how, offset, journal, told in rows:
        yield _violation(
            agent,
            f"the end of line {line} ({how}) at {JOURNAL}{offset} stands {times(journal)} in the journal "
            f"and {times(told)} in topic decisions",
        )


def _violation(agent: str, sentence: str) -> Violation:
    return Violation(Invariant.LINES, agent, sentence)
