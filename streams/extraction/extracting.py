"""One request through its whole path: read, planned, asked chunk by chunk, done (X1, X10, X11).

The order, and the failure that each step prevents:

1. A request that the agent's mark has passed is a repeat and is let go.
2. Its records are read back, and what is recorded of it already is known: a plan that stands is followed, whatever has changed since.
3. The plan is recorded before the first call: a restart asks the same chunks again, and no others.
4. Each try is recorded before its call, so that a call that kills the process counts, and the answer right after it: a usable answer is
   never paid twice.
5. The end, then the marks, then (by the caller) the commit: a kill in between repeats only what is missing.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from typing import Any

import structlog
from aiokafka import AIOKafkaProducer

from schemas.codec import encode
from schemas.extraction import (
    Answered,
    Attempted,
    ChunkInput,
    Done,
    ExtractionRequest,
    Failed,
    Parked,
    Planned,
    PlannedChunk,
)
from streams.extraction.answers import judged
from streams.extraction.budget import NoRoomInStep
from streams.extraction.marks import Marks, marks_after
from streams.extraction.metrics import CALLS, PARKED, REQUESTS, TOKENS
from streams.extraction.pacing import Pacing
from streams.extraction.planning import Inputs, plan_of, plan_request
from streams.extraction.progress import Progress
from streams.extraction.reading import Reading, RequestReader
from streams.extraction.recording import Closing, RequestLog
from streams.extraction.summaries import summaries_after
from streams.extraction.tail import ExtractionsTail
from streams.models.port import Extractor, ModelFault
from streams.settings import Settings

_log = structlog.get_logger()


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass
class Work:
    """What the work on every request needs. Clock, randomness and waiting come from outside."""

    settings: Settings
    producer: AIOKafkaProducer
    tail: ExtractionsTail
    reader: RequestReader
    extractor: Extractor
    now: Callable[[], datetime] = _now
    random: Random = field(default_factory=Random)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def extract(self, request: ExtractionRequest, partition: int, marks: Marks, closing: Closing) -> None:
        """Bring a request to its end, or to where it is let go. Raises GivenUp, and Kafka's errors."""
        done = marks.agent(request.agent).cut
        if request.cut <= done:
            return
        if request.cut > done + 1:
            # Marks that were lost: earlier runs and summaries are not known, but nothing is left out.
            _log.error("marks are behind", agent=request.agent, cut=request.cut, marked=done)
        request = self._with_defaults(request)
        log = RequestLog(self.settings, self.producer, self.tail, partition, request)
        await _OneRequest(self, request, log, marks, closing).run()

    def _with_defaults(self, request: ExtractionRequest) -> ExtractionRequest:
        """Give the request with the settings' model and window where it names none."""
        model, window = request.model or self.settings.default_model, request.window or self.settings.default_window_tokens
        return request.model_copy(update={"model": model, "window": window})


class _OneRequest:
    def __init__(self, work: Work, request: ExtractionRequest, log: RequestLog, marks: Marks, closing: Closing) -> None:
        self._work, self._request, self._log, self._marks, self._closing = work, request, log, marks, closing
        self._pacing = Pacing(
            work.settings.retry_first_seconds, work.settings.retry_most_seconds, max(work.settings.retry_most_seconds, 600.0)
        )
        self._about = {"agent": request.agent, "cut": request.cut}
        self._said: Any = {"agent": request.agent, "request": request.id, "cut": request.cut}
        self._step_tokens = min(request.window // 2, work.settings.step_max_tokens)

    async def run(self) -> None:
        planned = self._log.progress.plan
        reading = await self._read(planned)
        if planned is None:
            planned = await self._plan(reading)
            if planned.tool_position != reading.tool_position:
                reading = await self._read(planned)  # another worker's plan was first
        if self._log.progress.done is None:
            await self._answer(planned, Inputs(self._request, reading))
            self._closing.check()
            outcome = self._log.progress.outcome()
            await self._log.record(Done(**self._said, plan=planned.id, outcome=outcome, at=self._work.now()))
        self._closing.check()
        await self._finish(reading)

    # --- read and plan -----------------------------------------------------------------------------------------------------------

    async def _read(self, planned: Planned | None) -> Reading:
        agent = self._request.agent
        tails = {room.room: self._marks.summary(agent, room.room).tail for room in self._request.rooms}
        tool_end = None if planned is None else planned.tool_position
        return await self._work.reader.read(self._request, self._marks.agent(agent), tails, tool_end)

    async def _plan(self, reading: Reading) -> Planned:
        """Record the plan and give the one that counts."""
        request, extractor = self._request, self._work.extractor
        try:
            plan = await asyncio.to_thread(
                plan_request, request, reading, self._summaries(), extractor, self._work.settings.step_max_tokens
            )
        except Exception as error:  # one agent's records must not stop the others; the request ends as failed
            _log.error("request could not be planned", exc_info=error, **self._about)
            fault = str(error) if isinstance(error, NoRoomInStep) else type(error).__name__
            plan = plan_of(request, reading, extractor, (), fault)
        size = len(encode(plan))
        if size > self._work.settings.max_event_bytes:  # no broker would take it, today or after a restart
            _log.error("plan is too large to be recorded", records=len(reading.records), bytes=size, **self._about)
            plan = plan_of(request, reading, extractor, (), f"{len(reading.records)} records make a plan of {size} bytes")
        self._closing.check()
        progress = await self._log.record(plan)
        assert progress.plan is not None
        _log.info("planned", chunks=len(progress.plan.chunks), records=len(reading.records), **self._about)
        return progress.plan

    def _summaries(self) -> dict[str, str]:
        """The Rooms' summaries so far: of the chunks that were answered, else of earlier requests."""
        before = {room.room: self._marks.summary(self._request.agent, room.room).text for room in self._request.rooms}
        return summaries_after(self._log.progress, before, self._step_tokens // 16)

    # --- ask ---------------------------------------------------------------------------------------------------------------------

    async def _answer(self, planned: Planned, inputs: Inputs) -> None:
        for chunk in planned.chunks:
            while not self._log.progress.chunk(chunk.id).ended:
                self._closing.check()
                await self._go_on(planned, chunk, inputs)

    async def _go_on(self, planned: Planned, chunk: PlannedChunk, inputs: Inputs) -> None:
        """Make one call more, or give the chunk up."""
        progress, settings = self._log.progress.chunk(chunk.id), self._work.settings
        if progress.failures >= settings.attempts_max:
            return await self._park(planned, chunk, f"{progress.failures} failures")
        if progress.crashes >= settings.crashes_max:
            return await self._park(planned, chunk, f"{progress.crashes} crashes")
        try:
            summary = self._summaries().get(chunk.room, "")
            given = await asyncio.to_thread(inputs.of, chunk, summary)
        except Exception as error:  # one chunk's records must not stop the agent
            _log.error("chunk has no input", chunk=chunk.id, exc_info=error, **self._about)
            return await self._park(planned, chunk, f"input: {type(error).__name__}")
        attempt = progress.last_attempt + 1
        attempted = Attempted(**self._said, plan=planned.id, chunk=chunk.id, attempt=attempt, at=self._work.now())
        if (await self._log.record(attempted)).chunk(chunk.id).ended:
            return
        wish = await self._call(planned, chunk, attempt, given)
        after = self._log.progress.chunk(chunk.id)
        if not after.ended and after.failures < settings.attempts_max:
            await self._pause(self._pacing.pause(after.failures, wish, self._work.random))

    async def _call(self, planned: Planned, chunk: PlannedChunk, attempt: int, given: ChunkInput) -> float | None:
        """Make the call and record what came of it; give the seconds for which the provider wishes to be left alone, if it said so."""
        extractor = self._work.extractor
        try:
            answer = await asyncio.wait_for(extractor.extract(given, planned.model), self._work.settings.call_timeout_seconds)
        except Exception as error:
            # Anything else than a fault of the port is a defect of one side; it fails this call and not the worker.
            fault = error if isinstance(error, ModelFault) else None
            name = fault.fault if fault else "timeout" if isinstance(error, TimeoutError) else f"error: {type(error).__name__}"
            _log.warning("call failed", chunk=chunk.id, attempt=attempt, kind=type(error).__name__, **self._about)
            failed = Failed(**self._said, plan=planned.id, chunk=chunk.id, attempt=attempt, fault=name[:512], at=self._work.now())
            await self._log.record(failed)
            CALLS.labels("failed").inc()
            if fault is not None and not fault.transient:
                await self._park(planned, chunk, name)
            return fault.retry_after_seconds if fault else None
        as_recorded = await asyncio.to_thread(judged, answer)
        await self._log.record(
            Answered(
                **self._said,
                plan=planned.id,
                chunk=chunk.id,
                room=chunk.room,
                ordinal=chunk.ordinal,
                attempt=attempt,
                model=planned.model,
                extractor=extractor.name,
                prompt=extractor.prompt,
                input=given,
                output=as_recorded.text,
                stop_reason=answer.stop_reason[:512],
                usage=answer.usage,
                usable=not as_recorded.fault,
                fault=as_recorded.fault[:512],
                at=self._work.now(),
            )
        )
        CALLS.labels("unusable" if as_recorded.fault else "usable").inc()
        for kind, tokens in answer.usage.model_dump().items():
            TOKENS.labels(kind.removesuffix("_tokens")).inc(tokens)
        if as_recorded.fault:
            _log.warning("answer is of no use", chunk=chunk.id, attempt=attempt, **self._about)
        return None

    async def _park(self, planned: Planned, chunk: PlannedChunk, fault: str) -> None:
        _log.error("chunk parked", chunk=chunk.id, **self._about)
        PARKED.inc()
        await self._log.record(Parked(**self._said, plan=planned.id, chunk=chunk.id, fault=fault[:512], at=self._work.now()))

    async def _pause(self, seconds: float) -> None:
        """Wait, in short pieces, so that a worker that is to stop need not wait."""
        while seconds > 0:
            self._closing.check()
            piece = min(seconds, 0.5)
            await self._work.sleep(piece)
            seconds -= piece

    # --- finish ------------------------------------------------------------------------------------------------------------------

    async def _finish(self, reading: Reading) -> None:
        progress: Progress = self._log.progress
        assert progress.done is not None
        await self._log.record_marks(
            self._marks, marks_after(self._marks, self._request, progress, reading.waiting_calls, self._step_tokens // 16)
        )
        REQUESTS.labels(progress.done.outcome.value).inc()
        _log.info("extracted", outcome=progress.done.outcome.value, **self._about)
