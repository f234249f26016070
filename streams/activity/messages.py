"""One batch of `messages`: records, rows and deadlines in; what to publish and rows out (A1-A8, E6, E9). Pure but for the agenda, a cache.

For each record, in order:

1. Time goes on to its append time, and every deadline that this reaches is met, before the record is applied (A6).
2. It is read; bad input is a dead letter and nothing else (E6).
3. It is applied to the rows of its agent. A row that has applied its offset already (a batch that was cut off after some rows were
   written comes again, perhaps cut elsewhere) stays as it is, and gives no effect.

An agent's row is written before its other rows, so that no row is ahead of it whatever a kill leaves: a repeat is told by the ids that
earlier records left, and the record that is being applied again must not find its own.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from schemas.base import Origin, Position
from schemas.codec import Event
from schemas.dead_letters import DeadLetter
from schemas.events import (
    AgentDeleted,
    AgentEvent,
    AgentUpdated,
    ChunkRedriven,
    Command,
    ConsolidateNow,
    Context,
    ExtractNow,
    MessageDeleted,
    MessageEdited,
    MessagePosted,
    RoomDeleted,
    RoomUpdated,
    RunFinished,
    RunStarted,
    WorkspaceAttached,
    WorkspaceDetached,
)
from schemas.extraction import CutReason
from schemas.memory import LicenceKind
from streams.activity import outgoing, state
from streams.activity.deadlines import Agenda, Timing, next_deadline
from streams.activity.effects import Busy, Cut, Effect, Forward
from streams.activity.intake import Intake, log_time
from streams.activity.moments import microseconds
from streams.activity.outgoing import Defaults, Late, Outcomes
from streams.activity.repeats import RecentIds, Rings, hashed
from streams.activity.rows import (
    PARTITION_KEY,
    UNKNOWN_ROOM,
    AgentRow,
    EndedRun,
    OpenRun,
    PartitionRow,
    RoomRow,
    Row,
    WorkspaceRow,
    agent_key,
    ring_key,
    room_key,
    workspace_key,
)
from streams.activity.state import At
from streams.kafka.chain import Record
from streams.kafka.publishing import Outgoing

RowOf = Callable[[bytes], Row | None]
"""Gives the row of a key as the table has it."""

STARTED, FINISHED, COMMANDS, RECORDS = "runs-started", "runs-finished", "commands", "records"
"""The rings of ids."""


@dataclass(frozen=True, slots=True)
class Calls:
    """What is known of an agent's tool calls at a cut: where they lie, and the next offset that was not seen."""

    spans: Callable[[str, frozenset[str]], Iterable[tuple[int, int]]]
    """Of the agent's runs but those that are open."""
    position: int = 0


class MessagesBatch:
    """Applies one batch; used once. `row_of` gives the rows as they are written, and nothing is changed in them."""

    def __init__(
        self, intake: Intake, row_of: RowOf, rings: Rings, agenda: Agenda, calls: Calls, timing: Timing, defaults: Defaults
    ) -> None:
        self._intake, self._row_of, self._kept, self._agenda, self._calls = intake, row_of, rings, agenda, calls
        self._timing, self._defaults = timing, defaults
        partition = row_of(PARTITION_KEY)
        self._partition = partition if isinstance(partition, PartitionRow) else PartitionRow(-1)
        self._agents: dict[str, AgentRow] = {}
        self._touched: dict[str, int] = {}  # agent: the last record that was applied to its row
        self._last: dict[str, int] = {}  # agent: its own last record
        self._others: dict[str, dict[bytes, Row]] = {}  # by agent
        self._rooms: dict[tuple[str, str], RoomRow] = {}  # by agent and Room
        self._rings: dict[str, dict[bytes, RecentIds]] = {}  # by agent
        self._publish: list[Outgoing] = []
        self._ordinals: Counter[str] = Counter()  # effects so far of the record being applied, by agent
        self._counts: Counter[str] = Counter()
        self._late: list[Late] = []

    def apply(self, records: Sequence[Record]) -> Outcomes:
        """Give what these records come to."""
        time, offset = self._partition.log_time, self._partition.applied
        for record in records:
            if record.offset <= offset:
                continue
            offset = record.offset
            time = max(time, log_time(record))
            if self._ordinals:
                self._ordinals.clear()
            for agent in self._agenda.met_by(time):
                self._meet_deadlines(agent, At(offset, time))
            event = self._intake.read(record)
            if isinstance(event, DeadLetter):
                self._counts[f"dead_letter_{event.reason}"] += 1
                self._publish.append(outgoing.dead_letter(event, record.key))
            elif isinstance(event.data, AgentEvent):
                self._apply(event, event.data, offset, time)
        return self._outcomes(PartitionRow(offset, time))

    # --- one record ----------------------------------------------------------------------------------------------------------------

    def _apply(self, event: Event, data: AgentEvent, offset: int, time: int) -> None:
        agent = data.agent
        before = row = self._agent(agent, offset)
        fresh = offset > row.applied
        if row.deleted and offset >= row.begin:  # after its deletion
            self._touched[agent] = max(offset, row.applied)
            return
        at = At(offset, time, self._last.get(agent, row.last), self._calls.position)
        if fresh and not isinstance(data, Command):  # a command is an operator's, and shows no life of a server
            known = row.boots.get(event.source)
            if known is None or data.boot > known.number:
                row = self._step(agent, state.met_boot(row, event.source, data.boot, microseconds(event.time) // 1000, at), at)
            elif data.boot < known.number:
                self._counts["late_boot"] += 1
                if microseconds(event.time) // 1000 > known.start:
                    self._late.append(Late(agent, event.id, offset))
        apply = _APPLY.get(type(data))
        if apply is not None:
            row = apply(self, event, data, row, fresh, at)
        if not fresh:
            return
        if row.rooms is not before.rooms or row.withheld is not before.withheld:
            row = self._step(agent, state.cut_if_full(row, at), at)
        if row.open is not before.open or row.stretch is not before.stretch or row.unnamed_since is not before.unnamed_since:
            row = self._step(agent, state.meet_deadlines(row, at, self._timing), at)
            self._set_deadline(agent, row)
        self._agents[agent] = row
        self._touched[agent] = offset
        self._last[agent] = offset

    def _message(self, event: Event, data: MessagePosted, row: AgentRow, fresh: bool, at: At) -> AgentRow:
        if data.context is not Context.ROOM:
            return row
        repeat = self._is_repeat(data.agent, ring_key(RECORDS, data.agent, data.room), hashed(event.source, event.id), at)
        if not fresh:
            return row
        if repeat:
            return state.leave_out(row, at)
        if not self._room(data.agent, data.room).shared:
            return state.leave_out(row, at, data.room)
        return state.room_record(row, data.room)

    def _message_changed(self, event: Event, data: MessageEdited | MessageDeleted, row: AgentRow, fresh: bool, at: At) -> AgentRow:
        repeat = self._is_repeat(data.agent, ring_key(RECORDS, data.agent, data.room), hashed(event.source, event.id), at)
        if not fresh:
            return row
        if repeat:
            return state.leave_out(row, at)
        self._emit(data.agent, (Forward(event),), at)
        if isinstance(data, MessageEdited) and data.context is Context.ROOM and self._room(data.agent, data.room).shared:
            return state.room_record(row, data.room)
        return row

    def _run_started(self, event: Event, data: RunStarted, row: AgentRow, fresh: bool, at: At) -> AgentRow:
        agent, one = data.agent, hashed(data.run)
        repeat = self._is_repeat(agent, ring_key(STARTED, agent), one, at)
        if not fresh or repeat or state.is_stale(row, event.source, data.boot):
            return row
        if self._ring(agent, ring_key(FINISHED, agent)).seen(one):
            return row
        read = data.context is Context.ROOM and self._room(agent, data.room).shared
        opened = OpenRun(at.time, data.room, data.context.value, event.source, data.boot, read)
        return self._step(agent, state.run_started(row, data.run, opened, at), at)

    def _run_finished(self, event: Event, data: RunFinished, row: AgentRow, fresh: bool, at: At) -> AgentRow:
        agent = data.agent
        repeat = self._is_repeat(agent, ring_key(FINISHED, agent), hashed(data.run), at)
        if not fresh or repeat:
            return row
        read = data.context is Context.ROOM and self._room(agent, data.room).shared
        stale = state.is_stale(row, event.source, data.boot)
        ended = EndedRun(data.room, data.outcome.value, at.offset)
        return self._step(agent, state.run_finished(row, data.run, ended, read=read, stale=stale, at=at, timing=self._timing), at)

    def _room_updated(self, event: Event, data: RoomUpdated | RoomDeleted, row: AgentRow, fresh: bool, at: At) -> AgentRow:
        room = self._room(data.agent, data.room)
        if at.offset <= room.applied:
            return row
        told = (microseconds(event.time), event.id)
        if room.told is not None and told <= room.told:
            self._counts["repeat"] += 1
            self._put_room(data.agent, data.room, room._replace(applied=at.offset))
            return row
        if isinstance(data, RoomDeleted):
            changed = room._replace(applied=at.offset, told=told, deleted=True)
        else:
            said = {
                name: value
                for name, value in (("title", data.title), ("project", data.project), ("zone", data.zone), ("people", data.people))
                if value is not None
            }
            memory = room.memory if data.memory is None else data.memory.value
            changed = room._replace(applied=at.offset, told=told, memory=memory, deleted=False, **said)  # type: ignore[arg-type]
        self._put_room(data.agent, data.room, changed)
        if not fresh:
            return row
        self._emit(data.agent, (Forward(event),), at)
        return row if changed.shared else state.room_left(row, data.room)

    def _agent_changed(self, event: Event, data: AgentUpdated | AgentDeleted, row: AgentRow, fresh: bool, at: At) -> AgentRow:
        told = (microseconds(event.time), event.id)
        if not fresh:
            return row
        if row.told is not None and told <= row.told:
            self._counts["repeat"] += 1
            return row
        self._emit(data.agent, (Forward(event),), at)
        if isinstance(data, AgentDeleted):
            return self._step(data.agent, state.agent_left(row._replace(told=told), at), at)
        return row._replace(
            told=told,
            name=row.name if data.name is None else data.name,
            model=row.model if data.model is None else data.model,
            window=row.window if data.window is None else data.window,
        )

    def _workspace_changed(self, event: Event, data: WorkspaceAttached | WorkspaceDetached, row: AgentRow, fresh: bool, at: At) -> AgentRow:
        key = workspace_key(data.agent, data.workspace)
        known = self._other(data.agent, key)
        told = (microseconds(event.time), event.id)
        if isinstance(known, WorkspaceRow):
            if at.offset <= known.applied:
                return row
            if told <= known.told:
                self._counts["repeat"] += 1
                self._put(data.agent, key, known._replace(applied=at.offset))
                return row
        self._put(data.agent, key, WorkspaceRow(at.offset, told))
        if fresh:
            self._emit(data.agent, (Forward(event),), at)
        return row

    def _command(self, event: Event, data: Command, row: AgentRow, fresh: bool, at: At) -> AgentRow:
        agent = data.agent
        repeat = self._is_repeat(agent, ring_key(COMMANDS, agent), hashed(event.source, event.id), at)
        if not fresh or repeat:
            return row
        match data:
            case ExtractNow():
                return self._step(agent, state.cut(row, CutReason.NOW, at, data.who), at)
            case ConsolidateNow():
                return self._step(agent, state.licence(row, LicenceKind.NOW, at, data.who), at)
            case ChunkRedriven():
                return self._step(agent, state.redrive(row, data.chunk, data.who, at), at)
        return row

    # --- deadlines -------------------------------------------------------------------------------------------------------------------

    def _meet_deadlines(self, agent: str, at: At) -> None:
        row = self._agent(agent, at.offset)
        before = row
        row = self._step(agent, state.meet_deadlines(row, at._replace(tool_position=self._calls.position), self._timing), at)
        self._agents[agent] = row
        self._set_deadline(agent, row)
        if row is not before:
            self._touched[agent] = at.offset

    def _set_deadline(self, agent: str, row: AgentRow) -> None:
        due = next_deadline(row, self._timing)
        if due is not None:
            self._agenda.put(agent, due[0])

    # --- effects ---------------------------------------------------------------------------------------------------------------------

    def _step(self, agent: str, step: state.Step, at: At) -> AgentRow:
        """Give the row of a step, its effects said."""
        row, effects = step
        if effects:
            self._emit(agent, effects, at)
        return row

    def _emit(self, agent: str, effects: Iterable[Effect], at: At) -> None:
        for effect in effects:
            ordinal = self._ordinals[agent]
            self._ordinals[agent] = ordinal + 1
            if isinstance(effect, Busy):  # as frequent as runs
                topic, partition = self._intake.topic, self._intake.partition
                self._publish.append(outgoing.busy_record(agent, effect, topic, partition, at.offset, ordinal))
                continue
            self._counts[type(effect).__name__.lower()] += 1
            position = Position(topic=self._intake.topic, partition=self._intake.partition, offset=at.offset)
            origin = Origin(position=position, ordinal=ordinal)
            if isinstance(effect, Cut):
                rooms = {room: self._room(agent, room) for room in effect.rooms}
                spans = self._calls.spans(agent, effect.open) if effect.chunk is None else ()
                self._publish.append(outgoing.request(agent, effect, origin, rooms, spans, self._calls.position, self._defaults))
            else:
                self._publish.append(outgoing.journal_record(agent, effect, origin))

    # --- rows ------------------------------------------------------------------------------------------------------------------------

    def _agent(self, agent: str, offset: int) -> AgentRow:
        row = self._agents.get(agent)
        if row is None:
            known = self._row_of(agent_key(agent))
            row = known if isinstance(known, AgentRow) else state.new_agent(offset)
            self._agents[agent] = row
        return row

    def _other(self, agent: str, key: bytes) -> Row | None:
        changed = self._others.get(agent)
        row = None if changed is None else changed.get(key)
        return self._row_of(key) if row is None else row

    def _put(self, agent: str, key: bytes, row: Row) -> None:
        self._others.setdefault(agent, {})[key] = row

    def _put_room(self, agent: str, room: str, row: RoomRow) -> None:
        self._rooms[agent, room] = row
        self._put(agent, room_key(agent, room), row)

    def _room(self, agent: str, room: str) -> RoomRow:
        row = self._rooms.get((agent, room))
        if row is None:
            known = self._row_of(room_key(agent, room))
            row = self._rooms[agent, room] = known if isinstance(known, RoomRow) else UNKNOWN_ROOM
        return row

    def _ring(self, agent: str, key: bytes) -> RecentIds:
        rings = self._rings.get(agent)
        if rings is None:
            rings = self._rings[agent] = {}
        ring = rings.get(key)
        if ring is None:
            ring = rings[key] = self._kept.ring(key)
        return ring

    def _is_repeat(self, agent: str, key: bytes, one: bytes, at: At) -> bool:
        """Say whether this id came before, and note it if it did not. No repeat of itself: a record that the ring has applied."""
        ring = self._ring(agent, key)
        if at.offset <= ring.applied:
            return False
        if ring.seen(one):
            self._counts["repeat"] += 1
            return True
        self._rings[agent][key] = ring.with_id(one, at.offset)
        return False

    def _outcomes(self, partition: PartitionRow) -> Outcomes:
        rows: dict[bytes, Row] = {}
        for agent, row in self._agents.items():
            if agent in self._touched:
                rows[agent_key(agent)] = row._replace(applied=self._touched[agent], last=self._last.get(agent, row.last))
            rows.update(self._others.get(agent, {}))
            for ring in self._rings.get(agent, {}).values():
                rows.update(ring.rows())
        rows[PARTITION_KEY] = partition
        rings = tuple(ring for of_agent in self._rings.values() for ring in of_agent.values())
        return Outcomes(tuple(self._publish), rows, dict(self._counts), tuple(self._late), rings)


_APPLY: dict[type[AgentEvent], Callable[..., AgentRow]] = {
    MessagePosted: MessagesBatch._message,
    MessageEdited: MessagesBatch._message_changed,
    MessageDeleted: MessagesBatch._message_changed,
    RunStarted: MessagesBatch._run_started,
    RunFinished: MessagesBatch._run_finished,
    RoomUpdated: MessagesBatch._room_updated,
    RoomDeleted: MessagesBatch._room_updated,
    AgentUpdated: MessagesBatch._agent_changed,
    AgentDeleted: MessagesBatch._agent_changed,
    WorkspaceAttached: MessagesBatch._workspace_changed,
    WorkspaceDetached: MessagesBatch._workspace_changed,
    ExtractNow: MessagesBatch._command,
    ConsolidateNow: MessagesBatch._command,
    ChunkRedriven: MessagesBatch._command,
}
