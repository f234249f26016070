"""Model calls that run outside of the fold, at most one for an agent (U36), and what is recorded of them (C9, X10)."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime

from schemas.base import MAIN
from schemas.codec import encode
from schemas.journal import ConsolidationAnswered, ConsolidationFailed, Journal
from schemas.memory import AgentMemory
from streams.consolidation.answer import LONGEST_ANSWER_CHARACTERS, read_answer
from streams.consolidation.errors import UnusableAnswer
from streams.models.port import ConsolidationInput, Consolidator, ModelAnswer, ModelFault
from streams.redaction.redaction import redact

_LONGEST_USELESS_CHARACTERS = 20_000
CUT_OFF = frozenset({"max_tokens", "refusal", "length", "content_filter"})
"""Stop reasons with which an answer is not whole, whatever it looks like."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call ended."""

    step: str
    attempt: int
    records: tuple[Journal, ...]
    """To be appended: the answer if there is one, and that it failed if it is of no use."""
    failed: bool
    retry_after_seconds: float | None = None


class Calls:
    """The calls in flight, and those that ended and are not recorded yet."""

    def __init__(self, consolidator: Consolidator, *, at_once: int, timeout_seconds: float, derivation: str = MAIN) -> None:
        self._consolidator = consolidator
        self._slots = asyncio.Semaphore(at_once)
        self._timeout_seconds = timeout_seconds
        self._derivation = derivation
        self._tasks: dict[str, asyncio.Task[Outcome]] = {}

    def begin(self, memory: AgentMemory, window: int, model: str) -> None:
        """Make the call of the agent's open step."""
        agent, step = memory.state.agent, memory.state.step
        assert step is not None
        pending = [memory.pending[name] for name in step.candidates if name in memory.pending]
        given = ConsolidationInput(agent=agent, sections=memory.sections, candidates=tuple(p.candidate for p in pending), window=window)
        self._tasks[agent] = asyncio.create_task(self._call(step.step, step.attempts, given, model))

    def running(self, agent: str) -> bool:
        """Say whether a call of this agent is in flight, or has ended and is not taken yet."""
        return agent in self._tasks

    def ended(self) -> list[str]:
        """Give the agents whose call has ended."""
        return sorted(agent for agent, task in self._tasks.items() if task.done())

    def take(self, agent: str) -> Outcome | None:
        """Give the outcome of the agent's call if it has ended, once."""
        task = self._tasks.get(agent)
        if task is None or not task.done():
            return None
        del self._tasks[agent]
        return task.result()

    def give_up(self, agent: str) -> None:
        """Cancel the agent's call: its step is gone."""
        task = self._tasks.pop(agent, None)
        if task is not None:
            task.cancel()

    async def drain(self, seconds: float) -> None:
        """Wait for the calls in flight, not longer than this, and cancel the rest; each of those was a try."""
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=seconds)
        for agent in [agent for agent, task in self._tasks.items() if not task.done()]:
            self.give_up(agent)

    async def _call(self, step: str, attempt: int, given: ConsolidationInput, model: str) -> Outcome:
        retry_after: float | None = None
        try:
            async with self._slots:
                answer = await asyncio.wait_for(self._consolidator.consolidate(given, model), self._timeout_seconds)
        except ModelFault as fault:
            failure, retry_after = fault.fault, fault.retry_after_seconds
        except TimeoutError:
            failure = "timeout"
        except Exception as error:  # a side of the port that breaks stops this call, not the consolidator
            failure = f"error: {type(error).__name__}"
        else:
            return self._answered(step, attempt, given, answer)
        return Outcome(step, attempt, (self._failed(given.agent, step, attempt, failure),), failed=True, retry_after_seconds=retry_after)

    def _answered(self, step: str, attempt: int, given: ConsolidationInput, answer: ModelAnswer) -> Outcome:
        text = redact(answer.text[: LONGEST_ANSWER_CHARACTERS + 1])
        fault = _fault(answer, text)
        record = ConsolidationAnswered(
            agent=given.agent,
            derivation=self._derivation,
            step=step,
            attempt=attempt,
            input=encode(given).decode(),
            output=text if not fault else text[:_LONGEST_USELESS_CHARACTERS],
            stop_reason=answer.stop_reason[:512],
            usage=answer.usage,
            usable=not fault,
            fault=fault,
            at=datetime.now(UTC),
        )
        failure = (self._failed(given.agent, step, attempt, fault),) if fault else ()
        return Outcome(step, attempt, (record, *failure), failed=bool(fault))

    def _failed(self, agent: str, step: str, attempt: int, fault: str) -> ConsolidationFailed:
        return ConsolidationFailed(
            agent=agent, derivation=self._derivation, step=step, attempt=attempt, fault=fault[:512], at=datetime.now(UTC)
        )


def _fault(answer: ModelAnswer, text: str) -> str:
    """Give why the answer is of no use; empty if it is."""
    if answer.fault:
        return answer.fault
    if answer.stop_reason in CUT_OFF:
        return f"stopped: {answer.stop_reason}"
    try:
        read_answer(text)
    except UnusableAnswer as fault:
        return str(fault)
    return ""
