"""Requests and read records for the tests of planning, small and by hand."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from schemas.base import Origin, Position, Span
from schemas.codec import Event
from schemas.events import Author, AuthorKind, MessagePosted, Outcome, Role, ToolCalled
from schemas.extraction import CutReason, ExtractionRequest, PlannedChunk, PlannedRecord, RoomIndex, RunIndex
from streams.extraction.framing import framing, run_framing
from streams.extraction.plan import PlannedChunkDraft
from streams.extraction.records import ReadRecord
from streams.extraction.shown import shown_records

AGENT = "agent-1"
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
USER = Author(kind=AuthorKind.USER, id="u1", name="Ada", role=Role.OWNER)
BOT = Author(kind=AuthorKind.AGENT, id=AGENT)


def message(offset: int, text: str, *, room: str = "r1", author: Author = USER, run: str | None = None, **more: Any) -> ReadRecord:
    data = MessagePosted(agent=AGENT, boot=1, room=room, author=author, text=text, run=run, **more)
    return ReadRecord("message", offset, Event(f"m{offset}", "test", START + timedelta(minutes=offset), data))


def call(
    offset: int,
    run: str | None,
    result: Any = "ok",
    *,
    room: str = "r1",
    tool: str = "Read",
    arguments: Any = None,
    error: bool = False,
    late: bool = False,
) -> ReadRecord:
    data = ToolCalled(agent=AGENT, boot=1, room=room, tool=tool, arguments=arguments, result=result, error=error, run=run)
    return ReadRecord("tool_call", offset, Event(f"c{offset}", "test", START + timedelta(minutes=offset), data), late)


def request(runs: Sequence[tuple[str, int]] = (), rooms: Sequence[str | RoomIndex] = ("r1",), window: int = 8_192) -> ExtractionRequest:
    """`runs`: each run's id and the offset of its end."""
    return ExtractionRequest(
        id="q1",
        agent=AGENT,
        cut=1,
        reason=CutReason.RUNS,
        origin=Origin(position=Position(topic="messages", partition=0, offset=10_000)),
        interval=Span(first=0, last=10_000),
        runs=tuple(RunIndex(run=run, room="r1", outcome=Outcome.SUCCEEDED, end=end) for run, end in runs),
        rooms=tuple(room if isinstance(room, RoomIndex) else RoomIndex(room=room) for room in rooms),
        model="m",
        window=window,
        at=START,
    )


def planned(draft: PlannedChunkDraft) -> PlannedChunk:
    return PlannedChunk(
        id=f"{draft.room}-{draft.ordinal}",
        room=draft.room,
        ordinal=draft.ordinal,
        before=draft.before,
        records=draft.records,
        tokens=draft.tokens,
    )


def places(records: Sequence[PlannedRecord]) -> list[str]:
    """Records by short names, such as `m3` and `c7`."""
    return [f"{'m' if record.kind == 'message' else 'c'}{record.offset}" for record in records]


def frame_tokens(seen: Sequence[ReadRecord], new: Sequence[ReadRecord]) -> int:
    """Tokens around the words of these records, and of the new ones' runs."""
    shown = [*shown_records(seen).values(), *shown_records(new).values()]
    runs = {shown_record.run for shown_record in shown_records(new).values() if shown_record.run}
    return sum(framing(record) for record in shown) + sum(run_framing(run) for run in runs)
