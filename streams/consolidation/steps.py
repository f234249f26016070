"""What is to be said next for one agent: begin a step, make its call, try again, decide (A6, C9, X11).

Everything is said on the journal first and takes effect when it is read back, so a crash at any point is found there: a try that was
begun and has no end counts as one that failed.
"""

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import structlog

from schemas.base import MAIN, Moment
from schemas.codec import Undecodable, encode
from schemas.ids import step_id
from schemas.journal import JOURNAL, ConsolidationStarted, Journal
from schemas.memory import AgentMemory, LicenceKind, OpenStep
from streams.consolidation.budgets import SMALLEST_WINDOW, Limits
from streams.consolidation.calls import Calls
from streams.consolidation.decide import decide
from streams.consolidation.due import due
from streams.consolidation.errors import ConsolidationError
from streams.consolidation.pacing import Pacing
from streams.models.port import Consolidator

_log = structlog.get_logger()

ReadAnswer = Callable[[str, int], Awaitable[str]]
"""Gives the text of an agent's recorded answer by its journal offset."""


class Steps:
    """The steps of all agents, as far as this process has a part in them. What counts of them is in each memory's state."""

    def __init__(
        self,
        *,
        limits: Limits,
        pacing: Pacing,
        calls: Calls,
        consolidator: Consolidator,
        default_model: str,
        read_answer: ReadAnswer,
        derivation: str = MAIN,
        now_seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = limits
        self._pacing = pacing
        self._calls = calls
        self._consolidator = consolidator
        self._default_model = default_model
        self._read_answer = read_answer
        self._derivation = derivation
        self._now_seconds = now_seconds
        self._begun: dict[str, tuple[str, int]] = {}
        """Tries that this process has announced; the call begins when that is read back."""
        self._not_before: dict[str, float] = {}
        self._stopped: set[str] = set()

    def waiting_no_longer(self) -> list[str]:
        """Give the agents for which something may be said now: their call has ended, or their pause is over."""
        now = self._now_seconds()
        return sorted({*self._calls.ended(), *(agent for agent, then in self._not_before.items() if then <= now)})

    def hold(self, agent: str) -> None:
        """Say nothing for this agent for a long while: what it was last told could not be applied."""
        self._not_before[agent] = self._now_seconds() + self._pacing.outage_seconds

    async def next(self, memory: AgentMemory, position: int, at: Moment) -> tuple[Journal, ...]:
        """Give the journal records to append now, none if there is nothing to say. `position`: the next offset to fold.

        Raises what a fault in the decision raises; the caller holds that agent and goes on with the others.
        """
        agent, step = memory.state.agent, memory.state.step
        if step is None:
            self._calls.give_up(agent)
            self._begun.pop(agent, None)
            return self._begin(memory, position, at)
        if step.answer is not None:
            if not self._rested(agent):
                return ()
            text = await self._read_answer(agent, step.answer)
            return self._decision(memory, text, position, at)
        outcome = self._calls.take(agent)
        if outcome is not None and outcome.step == step.step:
            if outcome.failed:
                self._failed(agent, step, outcome.retry_after_seconds)
            return outcome.records
        if self._calls.running(agent):
            return ()
        if self._begun.pop(agent, None) == (step.step, step.attempts):
            self._calls.begin(memory, self._limits.window(memory.state.window), self._model(memory))
            return ()
        if agent not in self._not_before:
            self._failed(agent, step, None)  # its process died
        if not self._rested(agent) or not _quiet(memory):
            return ()
        del self._not_before[agent]
        return (self._started(memory, step.step, step.base, step.licence, step.candidates, step.attempts + 1),)

    def _begin(self, memory: AgentMemory, position: int, at: Moment) -> tuple[Journal, ...]:
        agent = memory.state.agent
        if not self._rested(agent):
            return ()
        self._not_before.pop(agent, None)
        step = due(memory, self._limits)
        if step is None:
            self._tell_small_window(memory)
            return ()
        if not step.offered or step.licence is None:
            return self._decision(memory, None, position, at)
        names = tuple(pending.candidate.id for pending in step.offered)
        return (self._started(memory, step_id(agent, self._derivation, position), position, step.licence, names, 1),)

    def _decision(self, memory: AgentMemory, text: str | None, position: int, at: Moment) -> tuple[Journal, ...]:
        changed = decide(memory, text, self._limits, base=position, at=at, derivation=self._derivation)
        if changed is None:
            return ()
        if isinstance(JOURNAL.decode(encode(changed)), Undecodable):
            raise ConsolidationError(f"The decision of step {changed.step} breaks its own contract, so no reader could take it.")
        _log.info(
            "memory decided",
            agent=changed.agent,
            version=changed.version,
            decisions=len(changed.decisions),
            operations=len(changed.operations),
            refused=len(changed.refused),
            dropped=changed.dropped,
        )
        return (changed,)

    def _started(
        self, memory: AgentMemory, step: str, base: int, licence: int, candidates: tuple[str, ...], attempt: int
    ) -> ConsolidationStarted:
        agent = memory.state.agent
        self._begun[agent] = (step, attempt)
        return ConsolidationStarted(
            agent=agent,
            derivation=self._derivation,
            step=step,
            base=base,
            licence=licence,
            candidates=candidates,
            attempt=attempt,
            model=self._model(memory),
            consolidator=self._consolidator.name,
            prompt=self._consolidator.prompt,
            at=datetime.now(UTC),
        )

    def _failed(self, agent: str, step: OpenStep, retry_after_seconds: float | None) -> None:
        pause = self._pacing.pause(step.attempts, retry_after_seconds)
        self._not_before[agent] = self._now_seconds() + pause
        tell = _log.error if self._pacing.gives_up(step.attempts) else _log.warning
        tell("consolidation call failed", agent=agent, step=step.step, attempts=step.attempts, next_try_in_seconds=round(pause, 1))

    def _rested(self, agent: str) -> bool:
        return self._not_before.get(agent, 0.0) <= self._now_seconds()

    def _model(self, memory: AgentMemory) -> str:
        return memory.state.model or self._default_model

    def _tell_small_window(self, memory: AgentMemory) -> None:
        state = memory.state
        window = self._limits.window(state.window)
        if state.licence is not None and window < SMALLEST_WINDOW and state.agent not in self._stopped:
            self._stopped.add(state.agent)
            _log.error("window too small for a memory", agent=state.agent, window=window, smallest=SMALLEST_WINDOW)


def _quiet(memory: AgentMemory) -> bool:
    licence = memory.state.licence
    return not memory.state.busy or (licence is not None and licence.kind is LicenceKind.ANY_MOMENT)
