"""What a request means, read back from the topics: an interval of messages and all tool calls of its runs, each once (X1, A5).

A request has no copy of any record. Messages are those of the agent within its interval, in Rooms that are read; the newest text of an
edited one, none of a deleted one. Tool calls are selected by run, so the spans that a request names may be too wide. They never are too
narrow: a run's calls are acknowledged before its end is sent (E3), so all lie below the end of `tool-calls` as it is asked for *after* the
request was read. A call that breaks that contract lies beyond what its plan has read and is taken by the next plan, once, as late.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from schemas.base import Span
from schemas.codec import Event, decode_event
from schemas.events import Context, MessageDeleted, MessageEdited, MessagePosted, RecordKind, ToolCalled
from schemas.extraction import AgentMark, ExtractionRequest, PlannedRecord
from schemas.ids import short_hash
from streams.extraction.records import ReadRecord
from streams.extraction.shown import readable
from streams.extraction.topic_reader import TopicReader
from streams.kafka.reading import Record
from streams.kafka.topics import topic_name
from streams.settings import Settings

_TOPIC_OF: dict[RecordKind, str] = {"message": "messages", "tool_call": "tool-calls"}
_WAITING_MOST = 64
_GAP = 500
"""Offsets between two spans that are rather read than left out: a seek costs more."""


def call_hash(event: Event) -> str:
    """Give the short hash of a tool call's id, which counts together with its source (E9)."""
    return short_hash(f"{event.source}\0{event.id}")


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read for one request."""

    records: tuple[ReadRecord, ...]
    before: Mapping[str, tuple[ReadRecord, ...]]
    """Per Room the last records of earlier requests, as far as they were not deleted since."""
    tool_position: int
    """The next offset of `tool-calls` that was not read."""
    taken_calls: tuple[str, ...] = ()
    """Hashes of the tool calls among the records, and of those that are not readable."""
    waiting_calls: tuple[int, ...] = ()
    """Offsets of late tool calls in Rooms that this request does not read."""


@dataclass
class _Messages:
    """What a pass over messages finds."""

    posted: dict[int, Event] = field(default_factory=dict)
    edits: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    """Source and message id to the offset and the text of its newest edit: two sources may give one id."""
    deleted: set[tuple[str, str]] = field(default_factory=set)

    def take(self, offset: int, event: Event) -> None:
        match event.data:
            case MessagePosted():
                self.posted[offset] = event
            case MessageEdited(message=message, text=text):
                self.edits[event.source, message] = (offset, text)
            case MessageDeleted(message=message):
                self.deleted.add((event.source, message))
            case _:
                pass

    def records(self) -> Iterable[ReadRecord]:
        """Give the messages as they are now, by offset."""
        for offset, event in self.posted.items():
            one = event.source, event.id
            if one in self.deleted:
                continue
            edit, text = self.edits.get(one, (None, ""))
            yield ReadRecord("message", offset, event if edit is None else _with_text(event, text), edit=edit)


class RequestReader:
    """Reads requests back; several at once are fine."""

    def __init__(self, settings: Settings, topics: TopicReader) -> None:
        self._settings, self._topics = settings, topics

    async def read(
        self,
        request: ExtractionRequest,
        mark: AgentMark,
        tails: Mapping[str, Sequence[PlannedRecord]],
        tool_end: int | None = None,
    ) -> Reading:
        """Give what the request means. `tails` are per Room the last records of earlier requests, which are read again.

        With `tool_end`, a plan's `tool_position`, the same mark and the same tails it gives what that plan was made of. Raises OffsetGone.
        """
        partition = request.origin.position.partition
        if tool_end is None:
            tool_end = await self._topics.end(topic_name(self._settings, "tool-calls"), partition)
        messages, calls = _Messages(), _Calls(request, mark)
        await self._read(request, "message", [request.interval], messages.take, leave_out=request.repeats)
        await self._read(request, "tool_call", _ranges(mark.waiting_calls, request.tool_spans, request.tool_position, tool_end), calls.take)

        rooms = {room.room for room in request.rooms}
        taken = [call for call in calls.found if _room(call) in rooms]
        found = [*(message for message in messages.records() if _room(message) in rooms), *taken]
        return Reading(
            records=tuple(record for record in found if readable(record)),
            before=await self._again(request, {room: tail for room, tail in tails.items() if room in rooms}, messages),
            tool_position=max(tool_end, mark.tool_position),
            taken_calls=tuple(call_hash(call.event) for call in taken),
            waiting_calls=tuple(call.offset for call in calls.found if call.late and _room(call) not in rooms)[-_WAITING_MOST:],
        )

    async def _again(
        self, request: ExtractionRequest, tails: Mapping[str, Sequence[PlannedRecord]], since: _Messages
    ) -> dict[str, tuple[ReadRecord, ...]]:
        """Read records by their places, with what was edited or deleted in this interval."""
        wanted = [one for tail in tails.values() for one in tail]
        at_messages = {one.offset for one in wanted if one.kind == "message"}
        at_calls = {one.offset for one in wanted if one.kind == "tool_call"}
        at_edits = {one.edit for one in wanted if one.edit is not None}
        messages, calls = _Messages(edits={}, deleted=since.deleted), dict[int, Event]()

        def take_message(offset: int, event: Event) -> None:
            if offset in (at_messages if isinstance(event.data, MessagePosted) else at_edits):
                messages.take(offset, event)

        def take_call(offset: int, event: Event) -> None:
            if offset in at_calls:
                calls[offset] = event

        await self._read(request, "message", _merged(Span(first=at, last=at) for at in at_messages | at_edits), take_message)
        await self._read(request, "tool_call", _merged(Span(first=at, last=at) for at in at_calls), take_call)
        messages.edits.update(since.edits)
        found: dict[str, list[ReadRecord]] = {}
        for record in (*messages.records(), *(ReadRecord("tool_call", offset, call) for offset, call in calls.items())):
            found.setdefault(_room(record), []).append(record)
        return {room: tuple(records) for room, records in found.items()}

    async def _read(
        self,
        request: ExtractionRequest,
        kind: RecordKind,
        spans: Iterable[Span],
        take: Callable[[int, Event], None],
        leave_out: Sequence[Span] = (),
    ) -> None:
        """Give `take` the agent's events of a Room conversation. What can't be read is a dead letter of activity's."""
        name, key = _TOPIC_OF[kind], request.agent.encode()
        topic, longest = topic_name(self._settings, name), self._settings.max_event_bytes
        left_out = _Spans(leave_out)

        def look(record: Record) -> None:
            if record.key != key or record.value is None or len(record.value) > longest or record.offset in left_out:
                return
            event = decode_event(name, record.headers, record.key, record.value)
            if isinstance(event, Event) and getattr(event.data, "context", None) is Context.ROOM:
                take(record.offset, event)

        for span in spans:
            await self._topics.read(topic, request.origin.position.partition, span.first, span.last + 1, look)


class _Calls:
    """Which tool calls a request means: those of its runs, and late ones of runs that were planned before; each once."""

    def __init__(self, request: ExtractionRequest, mark: AgentMark) -> None:
        self._runs = {run.run for run in request.runs}
        self._planned_runs, self._taken_calls = set(mark.runs), set(mark.calls)
        self._late_from, self._waiting = mark.tool_position, set(mark.waiting_calls)
        self.found: list[ReadRecord] = []

    def take(self, offset: int, event: Event) -> None:
        if not isinstance(event.data, ToolCalled) or event.data.run is None:
            return
        run, call = event.data.run, call_hash(event)
        late = run not in self._runs or offset in self._waiting
        if late and offset not in self._waiting and (offset < self._late_from or short_hash(run) not in self._planned_runs):
            return
        if call not in self._taken_calls:
            self._taken_calls.add(call)
            self.found.append(ReadRecord("tool_call", offset, event, late))


class _Spans:
    """Says whether an offset lies in one of some spans."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = sorted(spans, key=attrgetter("first"))
        self._firsts = [span.first for span in self._spans]

    def __contains__(self, offset: int) -> bool:
        at = bisect_right(self._firsts, offset) - 1
        return at >= 0 and offset <= self._spans[at].last


def _room(record: ReadRecord) -> str:
    return str(getattr(record.event.data, "room", ""))


def _with_text(event: Event, text: str) -> Event:
    return Event(event.id, event.source, event.time, event.data.model_copy(update={"text": text}))


def _ranges(offsets: Iterable[int], spans: Iterable[Span], position: int, end: int) -> list[Span]:
    """Give what to read of `tool-calls` up to `end`, exclusive: single offsets, spans, and all from `position` on."""
    wanted = [Span(first=at, last=at) for at in offsets]
    wanted += [Span(first=span.first, last=min(span.last, end - 1)) for span in spans if span.first < end]
    return _merged(wanted + ([Span(first=position, last=end - 1)] if position < end else []))


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Give spans in order, those that overlap or lie close together as one."""
    merged: list[Span] = []
    for span in sorted(spans, key=attrgetter("first")):
        if merged and span.first <= merged[-1].last + _GAP:
            merged[-1] = Span(first=merged[-1].first, last=max(merged[-1].last, span.last))
        else:
            merged.append(span)
    return merged
