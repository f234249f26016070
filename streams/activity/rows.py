"""What the tables hold: frozen values (named tuples: they are made for each event), their keys and their bytes. Pure.

All times are milliseconds since 1970 in UTC. Every row has the last offset of its input partition that it has applied; whoever reads a
record that a row has applied already leaves that row alone.
"""

import struct
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import orjson

Offsets: TypeAlias = tuple[int, int]
"""First and last offset, both inclusive."""


class Boot(NamedTuple):
    """The newest life of one source: its number, and the event time of the first event seen of it."""

    number: int
    start: int


class OpenRun(NamedTuple):
    """A run in progress. `started` is log time; `read`: a Room run, and its Room was shared when it started."""

    started: int
    room: str
    context: str
    source: str
    boot: int
    read: bool


class EndedRun(NamedTuple):
    """A Room run that finished, or was over (outcome None), since the last cut. `end` is an offset."""

    room: str
    outcome: str | None
    end: int


class Stretch(NamedTuple):
    """A stretch of activity: log time of its first and last start or end of a run; whether it has had its idle licence."""

    start: int
    end: int
    licensed: bool = False


class AgentRow(NamedTuple):
    """One agent, in the table of `messages`."""

    applied: int
    begin: int
    """First offset of the interval that the next cut closes."""
    last: int = -1
    """Offset of the agent's last own record."""
    boots: Mapping[str, Boot] = {}
    """By source, at most 64, the one whose newest boot came first first."""
    counted: int = 0
    """Counted runs since the last cut (A3)."""
    cut: int = 0
    cut_at: int = 0
    """Log time of the last cut; 0: none."""
    tool_position: int = 0
    """Next offset of `tool-calls` that was not seen at the last cut."""
    open: Mapping[str, OpenRun] = {}
    ended: Mapping[str, EndedRun] = {}
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
    deleted: bool = False


class RoomRow(NamedTuple):
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


class WorkspaceRow(NamedTuple):
    """The last word about one workspace of an agent."""

    applied: int
    told: tuple[int, str]


class IdBlock(NamedTuple):
    """64 hashes, 8 bytes each, of ids in the order in which they came (E9). `number` counts the blocks of a ring from 0."""

    applied: int
    number: int
    ids: bytes


class PartitionRow(NamedTuple):
    """A whole partition, written last in each batch. `log_time` is the highest append time so far (A6)."""

    applied: int
    log_time: int = 0


class CallSpan(NamedTuple):
    """Where tool calls of a run lie in `tool-calls`, and the append time of the newest."""

    first: int
    last: int
    at: int


class CallsRow(NamedTuple):
    """Where one agent's tool calls lie that were not handed over to a request yet, in the table of `tool-calls`."""

    applied: int
    spans: Mapping[str, CallSpan] = {}
    """By run, at most 63."""
    wide: CallSpan | None = None
    """One span over the older ones, once there were more."""
    pruned_cut: int = 0


Row = AgentRow | RoomRow | WorkspaceRow | IdBlock | PartitionRow | CallsRow

# --- keys: no identifier holds a control character, so a zero byte stands between --------------------------------------------------

PARTITION_KEY = b"partition"


@lru_cache(maxsize=65_536)
def agent_key(agent: str) -> bytes:
    return b"agent\0" + agent.encode()


def agent_of(key: bytes) -> str | None:
    """Give the agent of an agent's key, None for any other key."""
    return key[6:].decode() if key.startswith(b"agent\0") else None


@lru_cache(maxsize=65_536)
def room_key(agent: str, room: str) -> bytes:
    return b"room\0" + agent.encode() + b"\0" + room.encode()


def workspace_key(agent: str, workspace: str) -> bytes:
    return b"workspace\0" + agent.encode() + b"\0" + workspace.encode()


@lru_cache(maxsize=65_536)
def calls_key(agent: str) -> bytes:
    return b"calls\0" + agent.encode()


@lru_cache(maxsize=65_536)
def ring_key(of: str, agent: str, room: str = "") -> bytes:
    """Give the beginning of the keys of a ring of ids; `of` is what it holds, such as `runs-started`."""
    return b"ids\0" + of.encode() + b"\0" + agent.encode() + b"\0" + room.encode() + b"\0"


# --- bytes -----------------------------------------------------------------------------------------------------------------------

_NUMBER = struct.Struct(">q")


def encode_row(row: Row) -> bytes:
    """Give a row's bytes, without `applied`."""
    return _ENCODE[type(row)](row)


def _agent_bytes(row: AgentRow) -> bytes:
    return orjson.dumps(
        (
            row.begin,
            row.last,
            {source: tuple(boot) for source, boot in row.boots.items()},
            row.counted,
            row.cut,
            row.cut_at,
            row.tool_position,
            {run: tuple(one) for run, one in row.open.items()},
            {run: tuple(one) for run, one in row.ended.items()},
            sorted(row.rooms),
            row.left_out,
            sorted(row.withheld),
            row.stretch and tuple(row.stretch),
            row.licence,
            row.unnamed_since,
            row.told,
            row.name,
            row.model,
            row.window,
            row.deleted,
        )
    )


def _calls_bytes(row: CallsRow) -> bytes:
    return orjson.dumps(({run: tuple(span) for run, span in row.spans.items()}, row.wide and tuple(row.wide), row.pruned_cut))


_ENCODE: Mapping[type[Any], Callable[[Any], bytes]] = {
    IdBlock: lambda row: _NUMBER.pack(row.number) + row.ids,
    PartitionRow: lambda row: _NUMBER.pack(row.log_time),
    AgentRow: _agent_bytes,
    RoomRow: lambda row: orjson.dumps(tuple(row[1:])),
    WorkspaceRow: lambda row: orjson.dumps(row.told),
    CallsRow: _calls_bytes,
}


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
    licence, unnamed_since, told, name, model, window, deleted = rest
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
        deleted,
    )
