"""Running the worker, and reading back what it recorded."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from schemas.codec import decode_key
from schemas.extraction import (
    EXTRACTIONS,
    MARKS,
    AgentMark,
    Answered,
    Attempted,
    Done,
    ExtractionRecord,
    ExtractionRequest,
    Mark,
    Planned,
)
from streams.extraction.worker import run
from streams.kafka.reading import read_to_end
from streams.kafka.topics import topic_name
from streams.models.port import Extractor
from streams.observability.health import Health
from streams.settings import Settings

Recorded = TypeVar("Recorded", bound=ExtractionRecord)


@asynccontextmanager
async def extracting(settings: Settings, extractor: Extractor) -> AsyncIterator[None]:
    """Run the worker in this process until the body ends; a fault of it fails the test at once."""
    stop, health = asyncio.Event(), Health("extraction")
    worker = asyncio.create_task(run(settings, health, stop, extractor))
    body = asyncio.current_task()
    assert body is not None

    def fail(ended: "asyncio.Task[None]") -> None:
        if not stop.is_set():
            body.cancel()

    worker.add_done_callback(fail)
    try:
        yield
    finally:
        faulty = worker.done()
        stop.set()
        await asyncio.wait([worker], timeout=40)
        assert worker.done(), "the worker did not stop"
        if faulty or worker.exception() is not None:
            await worker


async def records(settings: Settings, request: ExtractionRequest | None = None) -> list[ExtractionRecord]:
    """All records of `extractions`, or those of one request, by offset within a partition."""
    found = [EXTRACTIONS.decode(record.value) async for record in read_to_end(settings, topic_name(settings, "extractions"))]
    assert all(hasattr(one, "type") for one in found)
    return [one for one in found if request is None or one.request == request.id]  # type: ignore[union-attr, misc]


async def types(settings: Settings, request: ExtractionRequest | None = None) -> list[str]:
    return [one.type.removeprefix("extraction.") for one in await records(settings, request)]


async def of(settings: Settings, kind: type[Recorded], request: ExtractionRequest | None = None) -> list[Recorded]:
    return [one for one in await records(settings, request) if isinstance(one, kind)]


async def marks(settings: Settings) -> dict[tuple[str | int, ...], Mark]:
    """The compacted view of `extraction-marks`."""
    view: dict[tuple[str | int, ...], Mark] = {}
    async for record in read_to_end(settings, topic_name(settings, "extraction-marks")):
        mark = MARKS.decode(record.value)
        assert record.key is not None and hasattr(mark, "agent")
        view[decode_key(record.key)] = mark  # type: ignore[assignment]
    return view


async def eventually(condition: Callable[[], Awaitable[object]], what: str, deadline_seconds: float = 40.0) -> None:
    """Wait till an awaited condition holds."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + deadline_seconds
    while not await condition():
        assert loop.time() < deadline, f"waited {deadline_seconds:.0f} s in vain for {what}"
        await asyncio.sleep(0.1)


async def finished(settings: Settings, *requests: ExtractionRequest) -> None:
    """Wait till the marks say that these requests are done."""

    async def marked() -> bool:
        view = await marks(settings)
        found = [view.get(("agent", request.agent)) for request in requests]
        return all(isinstance(mark, AgentMark) and mark.cut >= one.cut for mark, one in zip(found, requests, strict=True))

    await eventually(marked, f"the end of {[f'{one.agent} {one.cut}' for one in requests]}")


async def tries(settings: Settings, request: ExtractionRequest) -> dict[str, list[int]]:
    """The attempts of each Room's chunks."""
    [planned] = await of(settings, Planned, request)
    rooms = {chunk.id: chunk.room for chunk in planned.chunks}
    found: dict[str, list[int]] = {}
    for one in await of(settings, Attempted, request):
        found.setdefault(rooms[one.chunk], []).append(one.attempt)
    return found


async def outcome(settings: Settings, request: ExtractionRequest) -> str:
    [done] = await of(settings, Done, request)
    return done.outcome.value


async def inputs(settings: Settings, request: ExtractionRequest) -> dict[str, list[str]]:
    """What each Room's usable answers were asked about: the new records' texts, in their order."""
    found: dict[str, list[str]] = {}
    for one in await of(settings, Answered, request):
        if one.usable:
            found.setdefault(one.room, []).extend(record.text for record in one.input.records if record.new)
    return found
