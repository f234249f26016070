"""Invariant 3: from each line to records that exist, and from each merged candidate to a line that was put (T4, T6)."""

from collections.abc import AsyncIterator, Iterator, Mapping

from schemas.memory import AgentMemory
from schemas.operations import Verdict
from streams.audit.invariants.ledger import Ledger
from streams.audit.invariants.violation import JOURNAL, Invariant, Violation
from streams.audit.positions import read_positions
from streams.settings import Settings


def judge(ledger: Ledger, projection: Mapping[str, AgentMemory]) -> Iterator[Violation]:
    """Name lines of the memory without a candidate, and candidates merged into a line that never was."""
    for agent, memory in sorted(projection.items()):
        for line in memory.lines:
            behind = ledger.sources(agent, line.id)
            if not behind:
                yield _violation(agent, f"line {line.id} in topic memory has no source: no decision names it")
            elif len(behind) != line.sources:
                yield _violation(agent, f"line {line.id} in topic memory counts {line.sources} sources; decisions lead to {len(behind)}")
            for source in line.last_sources:
                if behind and source not in behind:
                    yield _violation(agent, f"line {line.id} in topic memory names candidate {source}, whose decision does not lead to it")
    rows = ledger.database.execute(
        "SELECT decision.agent, candidate, line, at FROM decision "
        "LEFT JOIN line ON line.agent = decision.agent AND line.id = decision.line "
        "WHERE (line IS NOT NULL OR verdict = ?) AND (line.id IS NULL OR line.put > at)",
        (Verdict.MERGED,),
    )
    for agent, candidate, line_id, offset in rows:
        named = f"line {line_id}, which was not put by then" if line_id else "no line"
        yield _violation(agent, f"{JOURNAL}{offset} decides candidate {candidate} and names {named}")


async def judge_evidence(settings: Settings, ledger: Ledger) -> AsyncIterator[Violation | None]:
    """Read back all records that stand behind lines; yield None for each that is as it is named, else the violation."""
    cited = ledger.evidence()
    waiting = next(cited, None)
    async for position, record in read_positions(settings, (row[0] for row in ledger.evidence())):
        found = dict(record.headers).get("ce_id", b"").decode(errors="replace") if record is not None else None
        while waiting is not None and waiting[0] == position:
            _, event, agent, candidate = waiting
            if found is None:
                yield _violation(agent, f"candidate {candidate} cites event {event} at {position}, where no record lies")
            elif found != event:
                yield _violation(agent, f"candidate {candidate} cites event {event} at {position}, where another event lies")
            elif record is not None and record.key != agent.encode():
                yield _violation(agent, f"candidate {candidate} cites event {event} at {position}, which is another agent's")
            else:
                yield None
            waiting = next(cited, None)


def without_evidence(ledger: Ledger) -> Iterator[Violation]:
    """Name candidates behind a line that cite nothing at all."""
    rows = ledger.database.execute(
        "SELECT DISTINCT agent, candidate, line FROM decision WHERE line IS NOT NULL AND NOT EXISTS (SELECT 1 FROM evidence "
        "WHERE evidence.agent = decision.agent AND evidence.candidate = decision.candidate)"
    )
    for agent, candidate, line in rows:
        yield _violation(agent, f"candidate {candidate} behind line {line} cites no record")


def _violation(agent: str, sentence: str) -> Violation:
    return Violation(Invariant.LINEAGE, agent, sentence)
