"""Whether a step is due for an agent, and what goes into it (A6, C2). With nothing new there is none, ever, and so no model call (U27)."""

from dataclasses import dataclass

from schemas.base import Moment
from schemas.memory import AgentMemory, LicenceKind, OpenStep, Pending, Summary
from streams.consolidation.budgets import SMALLEST_WINDOW, Limits, fitting, share
from streams.consolidation.drops import memory_tokens, too_many


@dataclass(frozen=True, slots=True)
class Step:
    """What one step decides."""

    licence: int | None
    """Number of the licence that it works under; None: an erasure, which needs none."""
    at: Moment | None
    """The licence's time: what ended before is expired."""
    offered: tuple[Pending, ...] = ()
    """For the model, in order; none: no call."""
    settled: tuple[Pending, ...] = ()
    """Decided without a model: rejected by a gate, or past their holds-until."""
    summaries: tuple[Summary, ...] = ()
    """To be published."""
    uses_licence: bool = False
    erases: bool = False
    """The agent is deleted: all that is left is forgotten."""


def due(memory: AgentMemory, limits: Limits) -> Step | None:
    """Give the step that is due now; None if there is none, or if one is open."""
    state = memory.state
    if state.step is not None:
        return None
    if state.deleted:
        left = memory.sections or memory.summaries or memory.pending or state.files
        return Step(licence=None, at=None, erases=True) if left else None
    licence = state.licence
    if licence is None or licence.cut > state.cut_done or limits.window(state.window) < SMALLEST_WINDOW:
        return None
    if state.busy and licence.kind is not LicenceKind.ANY_MOMENT:
        return None
    step = _under_licence(memory, limits, licence.number, before=None)
    return step if step is not None and _something(step, memory, limits) else None


def resumed(memory: AgentMemory, limits: Limits) -> Step | None:
    """Give the step that is open, as it is now that its answer is there; None if none is open.

    What came after it began is not in it (U36).
    """
    open_step = memory.state.step
    if open_step is None:
        return None
    return _under_licence(memory, limits, open_step.licence, before=open_step)


def _under_licence(memory: AgentMemory, limits: Limits, number: int, before: OpenStep | None) -> Step | None:
    state = memory.state
    licence = state.licence
    if licence is None:
        return None
    ready = sorted(
        (p for p in memory.pending.values() if p.candidate.cut <= licence.cut and (before is None or p.offset < before.base)),
        key=lambda p: (p.candidate.order, p.candidate.id),
    )
    fresh = number > state.licence_used
    if not fresh:
        ready = [p for p in ready if p.refusals]  # what gates returned is due once more under the last licence
    settled = tuple(p for p in ready if p.gate_reason or _past(p, licence.at))
    waiting = [p for p in ready if not p.gate_reason and not _past(p, licence.at)]
    if before is not None:
        offered = tuple(memory.pending[name] for name in before.candidates if name in memory.pending)
        offered = tuple(p for p in offered if p not in settled)
    elif shrunk(memory, limits):
        offered = ()  # what no longer fits goes before the next call (C6)
    else:
        window = limits.window(state.window)
        count = fitting([p.candidate for p in waiting], window, memory_tokens(memory), limits) if waiting else 0
        offered = tuple(waiting[:count])
    return Step(
        licence=number,
        at=licence.at,
        offered=offered,
        settled=settled,
        summaries=_to_publish(memory, licence.cut) if fresh else (),
        uses_licence=fresh and {p.candidate.id for p in waiting} <= {p.candidate.id for p in offered},
    )


def _something(step: Step, memory: AgentMemory, limits: Limits) -> bool:
    if step.offered or step.settled or step.summaries:
        return True
    fresh = step.licence is not None and step.licence > memory.state.licence_used
    expired = any(line.holds_until and step.at and line.holds_until < step.at for line in memory.lines)
    return fresh and (expired or shrunk(memory, limits))


def _past(pending: Pending, at: Moment) -> bool:
    return pending.candidate.holds_until is not None and pending.candidate.holds_until < at


def _to_publish(memory: AgentMemory, cut: int) -> tuple[Summary, ...]:
    newest = (summary.waiting or summary for _, summary in sorted(memory.summaries.items()))
    return tuple(summary for summary in newest if not summary.published and summary.cut <= cut)


def shrunk(memory: AgentMemory, limits: Limits) -> bool:
    """Say whether the agent's window is smaller than at the last revision, and the memory no longer fits (C6)."""
    window = limits.window(memory.state.window)
    if not memory.lines or window >= memory.state.rendered_window:
        return False
    return too_many(memory, window, limits) or memory_tokens(memory) > share(window)
