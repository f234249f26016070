"""A record as it may leave for a model: redacted, without attachments, without what the agent read of its own memory (X3, X5, X9). Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from schemas.events import Author, AuthorKind, MessagePosted, RecordKind, ToolCalled
from schemas.extraction import RoomIndex
from streams.extraction.attachments import as_text, without_attachments
from streams.extraction.own_memory import reads_own_memory, without_own_memory
from streams.extraction.records import ReadRecord
from streams.redaction.redaction import redact, redact_sequence

LONGEST_TITLE = 120
LONGEST_NAME = 64

Place = tuple[RecordKind, int]


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """One message or tool call, whole: what is kept of its words is the plan's matter."""

    kind: RecordKind
    offset: int
    id: str
    time: datetime
    room: str
    text: str
    """A message's text, or a tool call's result."""
    run: str | None = None
    author: Author | None = None
    tool: str = ""
    arguments: str = ""
    error: bool = False
    late: bool = False
    edit: int | None = None

    @property
    def place(self) -> Place:
        return self.kind, self.offset

    @property
    def is_of_user(self) -> bool:
        return self.author is not None and self.author.kind is AuthorKind.USER


def readable(record: ReadRecord) -> bool:
    """Whether a record is read at all: no system text, and nothing that the agent read of its own memory (X5)."""
    data = record.event.data
    if isinstance(data, MessagePosted):
        return data.author.kind is not AuthorKind.SYSTEM
    return isinstance(data, ToolCalled) and not reads_own_memory(data)


def shown_records(records: Iterable[ReadRecord]) -> dict[Place, ShownRecord]:
    """Give records of one Room as they may leave. All at once, since a secret may lie in two neighbouring messages, half in each."""
    messages: list[tuple[ReadRecord, MessagePosted]] = []
    shown: dict[Place, ShownRecord] = {}
    for record in records:
        match record.event.data:
            case MessagePosted() as data:
                messages.append((record, data))
            case ToolCalled() as data:
                shown[record.place] = _call(record, data)
            case _:
                pass
    messages.sort(key=lambda message: message[0].offset)
    texts = redact_sequence([data.text for _, data in messages])
    for (record, data), text in zip(messages, texts, strict=True):
        shown[record.place] = _message(record, data, without_attachments(text))
    return shown


def neighbourhood(records: Mapping[Place, ReadRecord], places: Iterable[Place], room: str) -> list[ReadRecord]:
    """Give the records at these places, and the messages of the Room beside them: with those they are shown as among all."""
    wanted = set(places)
    messages = sorted(
        offset for (kind, offset), record in records.items() if kind == "message" and getattr(record.event.data, "room", None) == room
    )
    among = {offset: at for at, offset in enumerate(messages)}
    for kind, offset in tuple(wanted):
        if kind == "message" and offset in among:
            beside = messages[max(0, among[offset] - 1) : among[offset] + 2]
            wanted |= {("message", one) for one in beside}
    return [records[place] for place in wanted if place in records]


def shown_room(room: RoomIndex) -> RoomIndex:
    """Give a Room's names as they may leave."""
    return room.model_copy(
        update={
            "title": redact(room.title)[:LONGEST_TITLE],
            "project": redact(room.project)[:LONGEST_TITLE],
            "zone": redact(room.zone)[:LONGEST_NAME],
        }
    )


def _message(record: ReadRecord, data: MessagePosted, text: str) -> ShownRecord:
    author = data.author
    if author.name is not None:
        author = author.model_copy(update={"name": redact(author.name)[:LONGEST_NAME]})
    event = record.event
    return ShownRecord("message", record.offset, event.id, event.time, data.room, text, run=data.run, author=author, edit=record.edit)


def _call(record: ReadRecord, data: ToolCalled) -> ShownRecord:
    event = record.event
    return ShownRecord(
        "tool_call",
        record.offset,
        event.id,
        event.time,
        data.room,
        without_attachments(redact(without_own_memory(as_text(data.result)))),
        run=data.run,
        tool=redact(data.tool)[:LONGEST_NAME],
        arguments=without_attachments(redact(as_text(data.arguments))),
        error=data.error,
        late=record.late,
    )
