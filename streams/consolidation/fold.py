"""The fold: one agent's memory and one journal record give the next memory and what was decided (C1, C9).

It knows no clock, settings, gates or model. A running consolidator and a rebuild fold the same sequence, so they have the same memory,
also with later code (T1).
"""

from dataclasses import dataclass, replace

from schemas.base import MAIN
from schemas.journal import (
    AgentBusy,
    AgentIdle,
    CandidateDecided,
    CandidateProposed,
    CandidateRejected,
    ConsolidationAnswered,
    ConsolidationFailed,
    ConsolidationStarted,
    DecisionRecord,
    FoldSkipped,
    Forwarded,
    Journal,
    LineEnded,
    MemoryChanged,
    RequestDone,
    RoomSummarised,
)
from schemas.memory import AgentMemory, AgentState, Licence, OpenStep, Pending, Summary
from schemas.operations import EndLine
from streams.consolidation.errors import FoldFault
from streams.consolidation.forwarded import forward
from streams.consolidation.operations import apply_operation
from streams.consolidation.progress import taken_done, taken_from_activity, taken_from_answer


@dataclass(frozen=True, slots=True)
class Folded:
    """What a record made of a memory."""

    memory: AgentMemory
    decided: tuple[DecisionRecord, ...] = ()


def fold(memory: AgentMemory, record: Journal, offset: int, derivation: str = MAIN) -> Folded:
    """Give the memory after the record at `offset` of the journal, and the decisions that it brought into force.

    A repeat, a record of another derivation and a `memory.changed` whose base no longer holds leave the memory as it is.
    Raises FoldFault if the record can't be applied; the caller skips it and says so (C13).
    """
    # What activity sends belongs to every derivation.
    if not isinstance(record, AgentIdle | AgentBusy | Forwarded) and record.derivation != derivation:
        return Folded(memory)
    match record:
        case CandidateProposed() | CandidateRejected():
            return Folded(_candidate(memory, record, offset))
        case RoomSummarised():
            return Folded(_summary(memory, record, offset))
        case RequestDone():
            done = taken_done(memory.state, record.cut)
            return Folded(memory if done is None else _changed(replace(memory, state=done), offset))
        case AgentIdle() | AgentBusy() | Forwarded():
            return Folded(_from_activity(memory, record, offset))
        case ConsolidationStarted():
            return Folded(_started(memory, record))
        case ConsolidationAnswered():
            return Folded(_answered(memory, record, offset))
        case MemoryChanged():
            return _memory_changed(memory, record, offset, derivation)
        case ConsolidationFailed() | FoldSkipped():
            return Folded(memory)


def holds(state: AgentState, changed: MemoryChanged) -> bool:
    """Say whether a `memory.changed` takes effect on this state: nothing that it was decided on has changed since its base."""
    return (state.changed_at is None or state.changed_at < changed.base) and changed.version == state.version + 1


def apply(memory: AgentMemory, changed: MemoryChanged, offset: int) -> AgentMemory:
    """Give the memory after a `memory.changed` that holds. Raises FoldFault if it names what is not there."""
    for operation in changed.operations:
        memory = apply_operation(memory, operation)
    pending = dict(memory.pending)
    for decision in changed.decisions:
        if pending.pop(decision.candidate, None) is None:
            raise FoldFault(f"candidate {decision.candidate} is not pending")
    state = memory.state.model_copy(
        update={
            "version": changed.version,
            "changed_at": offset,
            "revised_at": offset,
            "licence_used": max(memory.state.licence_used, changed.licence or 0),
            "step": None,
            "dropped": changed.dropped,
            "files": changed.files,
            "rendered_window": changed.window,
            "render_format": changed.render_format,
        }
    )
    return replace(memory, state=state, pending=pending)


def _memory_changed(memory: AgentMemory, changed: MemoryChanged, offset: int, derivation: str) -> Folded:
    if not holds(memory.state, changed):
        return Folded(memory)
    after = apply(memory, changed, offset)
    agent, version = changed.agent, changed.version
    decided: list[DecisionRecord] = [
        CandidateDecided(derivation=derivation, agent=agent, decision=decision, version=version, offset=offset)
        for decision in changed.decisions
    ]
    decided += [
        LineEnded(derivation=derivation, agent=agent, ending=operation, version=version, offset=offset)
        for operation in changed.operations
        if isinstance(operation, EndLine)
    ]
    return Folded(after, tuple(decided))


def _candidate(memory: AgentMemory, record: CandidateProposed | CandidateRejected, offset: int) -> AgentMemory:
    candidate = record.candidate
    state = taken_from_answer(memory.state, candidate.cut, candidate.chunk, record.origin)
    if state is None or candidate.id in memory.pending:
        return memory
    reason = record.reason if isinstance(record, CandidateRejected) else ""
    pending = Pending(candidate=candidate, offset=offset, gate_reason=reason)
    return _changed(replace(memory, state=state, pending={**memory.pending, candidate.id: pending}), offset)


def _summary(memory: AgentMemory, record: RoomSummarised, offset: int) -> AgentMemory:
    state = taken_from_answer(memory.state, record.cut, record.chunk, record.origin)
    if state is None:
        return memory
    new = Summary(
        agent=record.agent,
        room=record.room,
        title=record.title,
        project=record.project,
        text=record.text,
        newest=record.newest,
        cut=record.cut,
        extractor=record.extractor,
    )
    old = memory.summaries.get(record.room)
    # What is in the files stays until a revision publishes the newer one (C10).
    summary = old.model_copy(update={"waiting": new}) if old is not None and old.published else new
    return _changed(replace(memory, state=state, summaries={**memory.summaries, record.room: summary}), offset)


def _from_activity(memory: AgentMemory, record: AgentIdle | AgentBusy | Forwarded, offset: int) -> AgentMemory:
    state = taken_from_activity(memory.state, record.origin)
    if state is None:
        return memory
    memory = replace(memory, state=state)
    match record:
        case AgentBusy():
            return replace(memory, state=state.model_copy(update={"busy": record.busy}))
        case AgentIdle():
            return replace(memory, state=_licensed(state, record))
        case Forwarded():
            after, decisive = forward(memory, record)
            return _changed(after, offset) if decisive else after


def _licensed(state: AgentState, record: AgentIdle) -> AgentState:
    last = max(state.licence_used, state.licence.number if state.licence else 0)
    if record.number <= last or state.deleted:
        return state
    licence = Licence(number=record.number, kind=record.kind, cut=record.cut, at=record.at, who=record.who)
    return state.model_copy(update={"licence": licence})


def _started(memory: AgentMemory, record: ConsolidationStarted) -> AgentMemory:
    step = memory.state.step
    if memory.state.deleted or (step is not None and step.step != record.step):
        return memory
    if step is None:
        # A step that is done can't begin again: its base lies before the revision that ended it.
        if memory.state.changed_at is not None and memory.state.changed_at >= record.base:
            return memory
        step = OpenStep(step=record.step, base=record.base, licence=record.licence, candidates=record.candidates, attempts=0)
    step = step.model_copy(update={"attempts": max(step.attempts, record.attempt)})
    return replace(memory, state=memory.state.model_copy(update={"step": step}))


def _answered(memory: AgentMemory, record: ConsolidationAnswered, offset: int) -> AgentMemory:
    step = memory.state.step
    if step is None or step.step != record.step or step.answer is not None or not record.usable:
        return memory
    return replace(memory, state=memory.state.model_copy(update={"step": step.model_copy(update={"answer": offset})}))


def _changed(memory: AgentMemory, offset: int) -> AgentMemory:
    return replace(memory, state=memory.state.model_copy(update={"changed_at": offset}))
