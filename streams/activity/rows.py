"""What the tables hold: frozen values, their keys and their bytes. Pure.

All times are milliseconds since 1970 in UTC. Every row has the last offset of its input partition that it has applied; whoever reads a
record that a row has applied already leaves that row alone.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import orjson

Offsets: TypeAlias = tuple[int, int]
"""First and last offset, both inclusive."""


@dataclass(frozen=True, slots=True)
class Boot:
    """The newest life of one source: its number, and the event time of the first event seen of it."""

    number: int
    start: int


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run in progress. `started` is log time; `read`: a Room run, and its Room was shared when it started."""

    started: int
    room: str
    context: str
    source: str
    boot: int
    read: bool


@dataclass(frozen=True, slots=True)
class EndedRun:
    """A Room run that finished, or was over (outcome None), since the last cut. `end` is an offset."""

    room: str
    outcome: str | None
    end: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of activity: log time of its first and last start or end of a run; whether it has had its idle licence."""

    start: int
    end: int
    licensed: bool = False


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One agent, in the table of `messages`."""

    applied: int
    begin: int
    """First offset of the interval that the next cut closes."""
    last: int = -1
    """Offset of the agent's last own record."""
    boots: Mapping[str, Boot] = field(default_factory=dict)
    """By source, the one seen first first."""
    counted: int = 0
    """Counted runs since the last cut (A3)."""
    cut: int = 0
    cut_at: int = 0
    """Log time of the last cut; 0: none."""
    tool_position: int = 0
    """Next offset of `tool-calls` that was not seen at the last cut."""
    open: Mapping[str, OpenRun] = field(default_factory=dict)
    ended: Mapping[str, EndedRun] = field(default_factory=dict)
    """Since the last cut, by run id, by end."""
    rooms: frozenset[str] = frozenset()
    """Rooms with something new since the last cut."""
    left_out: tuple[Offsets, ...] = ()
    """Records since the last cut that are not to be read: repeats (E9), and those of Rooms that were not shared (W8)."""
    withheld: frozenset[str] = frozenset()
    """Rooms with records that would be too many to leave out one by one: not read before the next cut."""
    stretch: Stretch | None = None
    licence: int = 0
    """Number of the last licence."""
    unnamed_since: int | None = None
    """Log time of the first cut that no licence names."""
    told: tuple[int, str] | None = None
    """Time in microseconds and id of the last `agent.updated` or `agent.deleted` (E9)."""
    name: str = ""
    model: str = ""
    window: int = 0


@dataclass(frozen=True, slots=True)
class RoomRow:
    """What is known of one Room of an agent."""

    applied: int
    told: tuple[int, str] | None = None
    title: str = ""
    project: str = ""
    zone: str = ""
    people: int | None = None
    memory: str = "shared"
    deleted: bool = False

    @property
    def shared(self) -> bool:
        """Whether it is extracted and its runs count (W8)."""
        return self.memory == "shared" and not self.deleted


UNKNOWN_ROOM = RoomRow(-1)


@dataclass(frozen=True, slots=True)
class WorkspaceRow:
    """The last word about one workspace of an agent."""

    applied: int
    told: tuple[int, str]


@dataclass(frozen=True, slots=True)
class IdBlock:
    """64 hashes, 8 bytes each, of ids in the order in which they came (E9). `number` counts the blocks of a ring from 0."""

    applied: int
    number: int
    ids: bytes


@dataclass(frozen=True, slots=True)
class PartitionRow:
    """A whole partition, written last in each batch. `log_time` is the highest append time so far (A6)."""

    applied: int
    log_time: int = 0


@dataclass(frozen=True, slots=True)
class CallSpan:
    """Where tool calls of a run lie in `tool-calls`, and the append time of the newest."""

    first: int
    last: int
    at: int


@dataclass(frozen=True, slots=True)
class CallsRow:
    """Where one agent's tool calls lie that were not handed over to a request yet, in the table of `tool-calls`."""

    applied: int
    spans: Mapping[str, CallSpan] = field(default_factory=dict)
    """By run, at most 63."""
    wide: CallSpan | None = None
    """One span over the older ones, once there were more."""
    pruned_cut: int = 0


Row = AgentRow | RoomRow | WorkspaceRow | IdBlock | PartitionRow | CallsRow

# --- keys: no identifier holds a control character, so a zero byte stands between --------------------------------------------------

PARTITION_KEY = b"partition"


def agent_key(agent: str) -> bytes:
    return b"agent\0" + agent.encode()


def agent_of(key: bytes) -> str | None:
    """Give the agent of an agent's key, None for any other key."""
    return key[6:].decode() if key.startswith(b"agent\0") else None


def room_key(agent: str, room: str) -> bytes:
    return b"room\0" + agent.encode() + b"\0" + room.encode()


def workspace_key(agent: str, workspace: str) -> bytes:
    return b"workspace\0" + agent.encode() + b"\0" + workspace.encode()


def calls_key(agent: str) -> bytes:
    return b"calls\0" + agent.encode()


def ring_key(of: str, agent: str, room: str = "") -> bytes:
    """Give the beginning of the keys of a ring of ids; `of` is what it holds, such as `runs-started`."""
    return b"ids\0" + of.encode() + b"\0" + agent.encode() + b"\0" + room.encode() + b"\0"


# --- bytes -----------------------------------------------------------------------------------------------------------------------

_NUMBER = struct.Struct(">q")


def encode_row(row: Row) -> bytes:
    """Give a row's bytes, without `applied`."""
    match row:
        case IdBlock():
            return _NUMBER.pack(row.number) + row.ids
        case PartitionRow():
            return _NUMBER.pack(row.log_time)
        case AgentRow():
            stretch = row.stretch and (row.stretch.start, row.stretch.end, row.stretch.licensed)
            return orjson.dumps(
                (
                    row.begin,
                    row.last,
                    {source: (boot.number, boot.start) for source, boot in row.boots.items()},
                    row.counted,
                    row.cut,
                    row.cut_at,
                    row.tool_position,
                    {run: (one.started, one.room, one.context, one.source, one.boot, one.read) for run, one in row.open.items()},
                    {run: (one.room, one.outcome, one.end) for run, one in row.ended.items()},
                    sorted(row.rooms),
                    row.left_out,
                    sorted(row.withheld),
                    stretch,
                    row.licence,
                    row.unnamed_since,
                    row.told,
                    row.name,
                    row.model,
                    row.window,
                )
            )
        case RoomRow():
            return orjson.dumps((row.told, row.title, row.project, row.zone, row.people, row.memory, row.deleted))
        case WorkspaceRow():
            return orjson.dumps(row.told)
        case CallsRow():
            spans = {run: (span.first, span.last, span.at) for run, span in row.spans.items()}
            return orjson.dumps((spans, row.wide and (row.wide.first, row.wide.last, row.wide.at), row.pruned_cut))


def decode_row(key: bytes, applied: int, value: bytes) -> Row:
    """Give the row with these bytes; its key says which kind it is."""
    match key.partition(b"\0")[0]:
        case b"ids":
            return IdBlock(applied, _NUMBER.unpack_from(value)[0], value[8:])
        case b"partition":
            return PartitionRow(applied, _NUMBER.unpack(value)[0])
        case b"agent":
            return _agent(applied, orjson.loads(value))
        case b"room":
            told, *rest = orjson.loads(value)
            return RoomRow(applied, told and tuple(told), *rest)
        case b"workspace":
            return WorkspaceRow(applied, tuple(orjson.loads(value)))
        case b"calls":
            spans, wide, pruned_cut = orjson.loads(value)
            return CallsRow(applied, {run: CallSpan(*span) for run, span in spans.items()}, wide and CallSpan(*wide), pruned_cut)
        case kind:
            raise ValueError(f"there is no row of kind {kind!r}")


def _agent(applied: int, parts: list[Any]) -> AgentRow:
    begin, last, boots, counted, cut, cut_at, tool_position, opened, ended, rooms, left_out, withheld, stretch, *rest = parts
    licence, unnamed_since, told, name, model, window = rest
    return AgentRow(
        applied,
        begin,
        last,
        {source: Boot(*boot) for source, boot in boots.items()},
        counted,
        cut,
        cut_at,
        tool_position,
        {run: OpenRun(*one) for run, one in opened.items()},
        {run: EndedRun(*one) for run, one in ended.items()},
        frozenset(rooms),
        tuple((first, last) for first, last in left_out),
        frozenset(withheld),
        stretch and Stretch(*stretch),
        licence,
        unnamed_since,
        told and tuple(told),
        name,
        model,
        window,
    )
