"""Every candidate that ever was, with what became of it (T5)."""

from collections.abc import AsyncIterator

from schemas.base import MAIN
from schemas.journal import DECISIONS, CandidateDecided, CandidateProposed, CandidateRejected, MemoryChanged
from schemas.memory import Pending
from schemas.operations import ReturnCandidate
from streams.audit.candidate_state import EVERYTHING, GATE_REJECTED, PENDING, CandidateState, Filter
from streams.audit.journal import journal_end, of_agent, read_journal
from streams.audit.projection import read_projection
from streams.kafka.reading import read_to_end
from streams.kafka.topics import topic_name
from streams.settings import Settings


async def list_candidates(settings: Settings, wanted: Filter = EVERYTHING, derivation: str = MAIN) -> AsyncIterator[CandidateState]:
    """Yield matching candidates in the order of the journal, each once.

    What the fold left out as a repeat is no candidate and is not listed. Memory grows with the number of decisions, not with their words.
    """
    projection = await read_projection(settings, derivation)
    waiting = {name: held for memory in projection.memories.values() for name, held in memory.pending.items()}
    decided = await _decisions(settings, wanted, derivation)
    returned = await _returned(settings, {name for name, held in waiting.items() if held.refusals})
    folded = 0 if projection.next is None else projection.next
    fresh: set[str] = set()
    async for offset, record in read_journal(settings, await journal_end(settings), of_agent(wanted.agent) if wanted.agent else None):
        if not isinstance(record, CandidateProposed | CandidateRejected) or record.derivation != derivation:
            continue
        name = record.candidate.id
        if name not in decided and name not in waiting and (offset < folded or name in fresh):
            continue
        fresh.add(name)
        found = _state(record, offset, decided.pop(name, ()), waiting.pop(name, None), returned.get(name, ""))
        if wanted.matches(found):
            yield found


async def _decisions(settings: Settings, wanted: Filter, derivation: str) -> dict[str, tuple[CandidateDecided, ...]]:
    decided: dict[str, tuple[CandidateDecided, ...]] = {}
    async for record in read_to_end(settings, topic_name(settings, "decisions"), isolation="read_committed"):
        value = DECISIONS.decode(record.value)
        if isinstance(value, CandidateDecided) and value.derivation == derivation and wanted.agent in (None, value.agent):
            name = value.decision.candidate
            decided[name] = (*decided.get(name, ()), value)
    return decided


async def _returned(settings: Settings, candidates: set[str]) -> dict[str, str]:
    """Why gates have last returned these candidates."""
    reasons: dict[str, str] = {}
    if candidates:
        wanted = read_journal(settings, await journal_end(settings), lambda _, value: value is not None and b'"return_candidate"' in value)
        async for _, record in wanted:
            if isinstance(record, MemoryChanged):
                reasons |= {
                    operation.candidate: operation.reason
                    for operation in record.operations
                    if isinstance(operation, ReturnCandidate) and operation.candidate in candidates
                }
    return reasons


def _state(
    record: CandidateProposed | CandidateRejected,
    offset: int,
    decided: tuple[CandidateDecided, ...],
    pending: Pending | None,
    returned: str,
) -> CandidateState:
    gate = record.reason if isinstance(record, CandidateRejected) else ""
    if decided:
        last = decided[-1].decision
        return CandidateState(record.candidate, offset, last.verdict.value, last.reason or gate, last.line, decided)
    state = GATE_REJECTED if gate else PENDING
    return CandidateState(record.candidate, offset, state, gate or returned, None, (), pending.refusals if pending else 0)
