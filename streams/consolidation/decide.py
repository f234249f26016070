"""Decides a step: what becomes of each candidate and each line, as one `memory.changed` (C7, C8, C9).

Pure: the same memory, answer and limits give the same event, whose operations the fold applies without any gate of its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from schemas.answers import Operation
from schemas.base import MAIN, Moment
from schemas.ids import digest, step_id
from schemas.journal import MemoryChanged
from schemas.memory import AgentMemory, Pending
from schemas.operations import AppliedOperation, Decision, Ending, EndLine, ReturnCandidate, Verdict
from streams.consolidation.answer import Malformed, read_answer
from streams.consolidation.budgets import Limits
from streams.consolidation.draft import Draft
from streams.consolidation.drops import over_budget, score, without
from streams.consolidation.due import Step, due, resumed
from streams.consolidation.fold import apply
from streams.consolidation.gates import Refused
from streams.consolidation.judge import Judged, judge
from streams.consolidation.lines import new_line
from streams.consolidation.merging import attach
from streams.consolidation.operations import between
from streams.consolidation.summaries import published
from streams.workspaces.render import RENDER_FORMAT, render

REFUSALS = 2
"""So often an answer may fail a candidate before it is decided without one (C8)."""


def decide(
    memory: AgentMemory, answer: str | None, limits: Limits, *, base: int, at: Moment, derivation: str = MAIN
) -> MemoryChanged | None:
    """Give the decision of the open step with its answer, or, without an answer, of a step that needs no model. None: there is none.

    `base` is the next journal offset to fold. Raises UnusableAnswer.
    """
    step = resumed(memory, limits) if answer is not None else due(memory, limits)
    if step is None or (answer is None and step.offered):
        return None
    operations = read_answer(answer) if answer is not None and step.offered else ()
    window = limits.window(memory.state.window)
    applied, decisions, refused, dropped = _erased(memory) if step.erases else _decided(memory, step, operations, limits, window, at)
    open_step = memory.state.step
    changed = MemoryChanged(
        agent=memory.state.agent,
        derivation=derivation,
        step=open_step.step if open_step else step_id(memory.state.agent, derivation, base),
        base=base,
        licence=step.licence if step.uses_licence else None,
        operations=tuple(applied),
        decisions=tuple(decisions),
        refused=refused,
        version=memory.state.version + 1,
        window=window,
        dropped=dropped,
        render_format=RENDER_FORMAT,
        files=dict(memory.state.files),  # rendering keeps the paths that are given already
        at=at,
    )
    files = render(apply(memory, changed, base))
    return changed.model_copy(update={"files": {path: digest(content) for path, content in sorted(files.items())}})


Parts = tuple[list[AppliedOperation], list[Decision], tuple[str, ...], int]


def _erased(memory: AgentMemory) -> Parts:
    """The agent is deleted: every line and summary ends, every candidate is forgotten."""
    after = replace(memory, sections=(), summaries={})
    endings = {line.id: EndLine(line=line.id, how=Ending.FORGOTTEN) for line in memory.lines}
    decisions = [Decision(candidate=p.candidate.id, verdict=Verdict.FORGOTTEN) for p in _in_order(memory.pending.values())]
    return between(memory, after, endings), decisions, (), 0


def _decided(
    memory: AgentMemory, step: Step, operations: Sequence[Operation | Malformed], limits: Limits, window: int, at: Moment
) -> Parts:
    state = memory.state.model_copy(update={"version": memory.state.version + 1, "rendered_window": window})
    draft = Draft(
        before=memory,
        memory=replace(memory, state=state),
        offered={p.candidate.id: p.candidate for p in step.offered},
        at=step.at or at,
        limits=limits,
    )
    for pending in step.settled:
        verdict, reason = (Verdict.REJECTED, pending.gate_reason) if pending.gate_reason else (Verdict.EXPIRED, "past its holds-until")
        draft = draft.decide(pending.candidate.id, verdict, reason=reason)
    judged = judge(draft, operations)
    draft, returns = _undecided(judged, step.offered)
    draft = _expired(draft)
    draft, dropped = _dropped(draft, window, limits)
    draft = replace(draft, memory=without(draft.memory, ()))
    open_rooms = {p.candidate.room for p in memory.pending.values() if p.candidate.id not in draft.decisions}
    summaries = published(memory.summaries, step.summaries, open_rooms, limits.rooms_with_summary)
    after = replace(draft.memory, summaries=summaries)
    known = {p.candidate.id: p for p in (*step.settled, *step.offered)}
    decisions = [draft.decisions[p.candidate.id] for p in _in_order(known.values()) if p.candidate.id in draft.decisions]
    return [*between(memory, after, draft.endings), *returns], decisions, judged.refused, dropped


def _undecided(judged: Judged, offered: Sequence[Pending]) -> tuple[Draft, list[ReturnCandidate]]:
    """Return what the answer left open or gates refused; the second time it is unreconciled if it is trusted, else rejected."""
    draft = judged.draft
    returns = []
    for pending in offered:
        candidate = pending.candidate
        if candidate.id in draft.decisions:
            continue
        reason = judged.returned.get(candidate.id, "not named by the answer")
        if pending.refusals + 1 < REFUSALS:
            returns.append(ReturnCandidate(candidate=candidate.id, reason=reason))
        elif candidate.trust.trusted:
            draft = _unreconciled(draft, pending, reason)
        else:
            draft = draft.decide(candidate.id, Verdict.REJECTED, reason=reason)
    return draft, returns


def _unreconciled(draft: Draft, pending: Pending, reason: str) -> Draft:
    candidate = pending.candidate
    known = draft.equal_line(candidate.statement, candidate.about, candidate.scope)
    if known is not None:
        return attach(draft, known, [candidate])
    line = new_line(draft.next_line(), candidate.statement, [candidate], draft.version).model_copy(update={"unreconciled": True})
    try:
        draft = draft.in_section(candidate.topic, line, f"{candidate.topic} {candidate.statement}")
    except Refused:
        draft = draft.in_section("Other", line, "")
    return draft.decide(candidate.id, Verdict.UNRECONCILED, line.id, reason)


def _expired(draft: Draft) -> Draft:
    for line in draft.memory.lines:
        if line.holds_until is not None and line.holds_until < draft.at:
            draft = draft.end(line, Ending.EXPIRED, because=None, into=None)
    return draft


def _dropped(draft: Draft, window: int, limits: Limits) -> tuple[Draft, int]:
    """Drop what is over the share. A line that would have come in this step never was: its candidates are over budget."""
    gone = over_budget(draft.memory, window, limits)
    old = {line.id for line in draft.before.lines}
    decisions, endings = dict(draft.decisions), dict(draft.endings)
    for line in gone:
        if line.id in old:
            endings[line.id] = EndLine(line=line.id, how=Ending.DROPPED, score=score(line))
            continue
        for name, decision in decisions.items():
            if decision.line == line.id:
                decisions[name] = Decision(candidate=name, verdict=Verdict.OVER_BUDGET, reason=score(line))
        for name, ending in endings.items():
            if ending.into == line.id and ending.how is Ending.DISPROVED:
                endings[name] = ending.model_copy(update={"into": None})
            elif ending.into == line.id:
                endings[name] = EndLine(line=name, how=Ending.DROPPED, score=score(line))
    memory = without(draft.memory, {line.id for line in gone})
    return replace(draft, memory=memory, decisions=decisions, endings=endings), len(gone)


def _in_order(pending: Iterable[Pending]) -> list[Pending]:
    return sorted(pending, key=lambda p: (p.candidate.order, p.candidate.id))
