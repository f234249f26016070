"""Events in: the data of every event that a server, an importer or an operator sends (E2, E3, E4).

CloudEvents attributes (id, source, type, time) travel in Kafka headers; the record's value is the data below as JSON. `boot` is the
number of the server's life, `source` (the CloudEvents attribute) names the server instance; together they are the boot.
"""

import math
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, JsonValue

from schemas.base import Identifier, Name, Value, Whole


class Context(StrEnum):
    """Where something happened. Only `room` is read and counted (A2)."""

    ROOM = "room"
    TASK = "task"
    DOCUMENT = "document"


class AuthorKind(StrEnum):
    """Who wrote a message."""

    USER = "user"
    AGENT = "agent"
    TASK_REPORT = "task_report"
    OTHER_AGENT = "other_agent"
    SYSTEM = "system"


class Role(StrEnum):
    """What an author is in the Room; it decides trust (X8)."""

    OWNER = "owner"
    MEMBER = "member"
    GUEST = "guest"


class Outcome(StrEnum):
    """How a run ended. Only a success counts (A3)."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class MemoryMode(StrEnum):
    """A Room's memory mode (W8)."""

    SHARED = "shared"
    READS = "reads"
    OFF = "off"


class Author(Value):
    """Who wrote a message. No role given means guest, the least trusted."""

    kind: AuthorKind
    id: Identifier
    name: Name | None = None
    role: Role = Role.GUEST


def _representable(value: JsonValue) -> JsonValue:
    """Refuse numbers that JSON readers do not agree on: NaN, infinities, whole numbers beyond 64 bits (E6)."""
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
        elif (isinstance(item, float) and not math.isfinite(item)) or (isinstance(item, int) and not -(2**63) <= item < 2**64):
            raise ValueError("a number that is not finite or does not fit 64 bits")
    return value


Json = Annotated[JsonValue, AfterValidator(_representable)]


class EventData(Value):
    """The data of an event; `type` is the CloudEvents type that goes with it."""

    type: ClassVar[str]


class AgentEvent(EventData):
    """What happened to one agent. The record's key is the agent id."""

    agent: Identifier
    boot: Whole
    """Number of the server's life: it only rises for one source, such as its start time in seconds (A4)."""


class RoomEvent(AgentEvent):
    room: Identifier
    context: Context = Context.ROOM


# --- records: messages and tool calls -------------------------------------------------------------------------------------------


class MessagePosted(RoomEvent):
    """A message. Its record id is the event's id; a message seen by three agents is sent once per agent, each with its own id."""

    type: ClassVar[str] = "message.posted"
    author: Author
    text: str
    note: str | None = None
    """Our hidden note, where it was given: never in `text`, never extracted (X5)."""
    run: Identifier | None = None
    conversation: Identifier | None = None


class MessageEdited(RoomEvent):
    """The newest text of an earlier message."""

    type: ClassVar[str] = "message.edited"
    message: Identifier
    """Event id of the `message.posted`."""
    text: str


class MessageDeleted(RoomEvent):
    type: ClassVar[str] = "message.deleted"
    message: Identifier


class ToolCalled(RoomEvent):
    """A tool call with its arguments and result. It travels on `tool-calls`."""

    type: ClassVar[str] = "tool.called"
    tool: Name
    arguments: Json = None
    result: Json = None
    error: bool = False
    run: Identifier | None = None
    conversation: Identifier | None = None


# --- life cycle -----------------------------------------------------------------------------------------------------------------


class RunStarted(RoomEvent):
    type: ClassVar[str] = "run.started"
    run: Identifier
    conversation: Identifier | None = None


class RunFinished(RoomEvent):
    """The end of a run. The run's messages and tool calls are acknowledged by the broker before this is sent (E3)."""

    type: ClassVar[str] = "run.finished"
    run: Identifier
    outcome: Outcome
    conversation: Identifier | None = None


class ConversationStarted(RoomEvent):
    type: ClassVar[str] = "conversation.started"
    conversation: Identifier


class ConversationCompacted(RoomEvent):
    type: ClassVar[str] = "conversation.compacted"
    conversation: Identifier
    compaction: Whole
    """1 for the first compaction of the conversation, then rising."""


class ConversationEnded(RoomEvent):
    type: ClassVar[str] = "conversation.ended"
    conversation: Identifier


class WorkspaceAttached(AgentEvent):
    """A folder of the agent. `path` is relative to the configured root."""

    type: ClassVar[str] = "workspace.attached"
    workspace: Identifier
    path: Annotated[str, Field(min_length=1, max_length=1024)]
    room: Identifier | None = None


class WorkspaceDetached(AgentEvent):
    type: ClassVar[str] = "workspace.detached"
    workspace: Identifier


class RoomUpdated(AgentEvent):
    """What a Room is now; a field that is absent stays as it was."""

    type: ClassVar[str] = "room.updated"
    room: Identifier
    title: Name | None = None
    project: Name | None = None
    zone: Name | None = None
    """IANA name of the Room's time zone, such as `Europe/Berlin`."""
    people: Whole | None = None
    memory: MemoryMode | None = None


class RoomDeleted(AgentEvent):
    type: ClassVar[str] = "room.deleted"
    room: Identifier


class AgentUpdated(AgentEvent):
    """What an agent is now; a field that is absent stays as it was."""

    type: ClassVar[str] = "agent.updated"
    name: Name | None = None
    model: Name | None = None
    window: Whole | None = None
    """Context window of the model in tokens."""


class AgentDeleted(AgentEvent):
    """For good: nothing of this id is counted, read or remembered any more. An agent that comes back needs an id of its own."""

    type: ClassVar[str] = "agent.deleted"


class ClockTicked(EventData):
    """Sent by us to a quiet partition that has a deadline past, so that time goes on there (A6). It has no agent and no key."""

    type: ClassVar[str] = "clock.ticked"
    partition: Whole


# --- operators' commands that need the order of `messages` -----------------------------------------------------------------------


class Command(AgentEvent):
    """What an operator asked for, with who and why."""

    who: Identifier
    why: Annotated[str, Field(max_length=1000)] = ""


class ExtractNow(Command):
    """A cut, at once (A8)."""

    type: ClassVar[str] = "extract.now"


class ConsolidateNow(Command):
    """An idle licence, at once (A8)."""

    type: ClassVar[str] = "consolidate.now"


class ChunkRedriven(Command):
    """A parked chunk tried again as a request of its own (X11)."""

    type: ClassVar[str] = "chunk.redriven"
    request: Identifier
    chunk: Identifier


# --- operators' commands on the topic `commands` (C11) ----------------------------------------------------------------------------


class CorrectLine(Command):
    type: ClassVar[str] = "memory.correct"
    line: Identifier
    text: Annotated[str, Field(min_length=1, max_length=500)]


class ForgetLine(Command):
    type: ClassVar[str] = "memory.forget"
    line: Identifier


class PinLine(Command):
    type: ClassVar[str] = "memory.pin"
    line: Identifier


class UnpinLine(Command):
    type: ClassVar[str] = "memory.unpin"
    line: Identifier


class RestoreMemory(Command):
    """Bring back an earlier version, or one dropped line of it."""

    type: ClassVar[str] = "memory.restore"
    version: Whole
    line: Identifier | None = None


class ForgetCandidate(Command):
    type: ClassVar[str] = "candidate.forget"
    candidate: Identifier


class RejectCandidate(Command):
    type: ClassVar[str] = "candidate.reject"
    candidate: Identifier


class ForgetRoom(Command):
    type: ClassVar[str] = "room.forget"
    room: Identifier


class EraseRoom(Command):
    type: ClassVar[str] = "erase.room"
    room: Identifier


class EraseAgent(Command):
    type: ClassVar[str] = "erase.agent"


class SwitchDerivation(Command):
    type: ClassVar[str] = "derivation.switch"
    derivation: Identifier


ON_MESSAGES: tuple[type[EventData], ...] = (
    MessagePosted,
    MessageEdited,
    MessageDeleted,
    RunStarted,
    RunFinished,
    ConversationStarted,
    ConversationCompacted,
    ConversationEnded,
    WorkspaceAttached,
    WorkspaceDetached,
    RoomUpdated,
    RoomDeleted,
    AgentUpdated,
    AgentDeleted,
    ClockTicked,
    ExtractNow,
    ConsolidateNow,
    ChunkRedriven,
)
ON_TOOL_CALLS: tuple[type[EventData], ...] = (ToolCalled,)
ON_COMMANDS: tuple[type[EventData], ...] = (
    CorrectLine,
    ForgetLine,
    PinLine,
    UnpinLine,
    RestoreMemory,
    ForgetCandidate,
    RejectCandidate,
    ForgetRoom,
    EraseRoom,
    EraseAgent,
    SwitchDerivation,
)

BY_TOPIC: dict[str, tuple[type[EventData], ...]] = {"messages": ON_MESSAGES, "tool-calls": ON_TOOL_CALLS, "commands": ON_COMMANDS}
"""Which events may stand on which input topic (E1)."""

BY_TYPE: dict[str, type[EventData]] = {model.type: model for models in BY_TOPIC.values() for model in models}

RecordKind = Literal["message", "tool_call"]
