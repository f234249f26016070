"""Effects as records of our topics, each with the record that caused it (CONTRACT: origin). Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import orjson

from schemas.base import MAIN, Origin, Span
from schemas.codec import encode
from schemas.dead_letters import DeadLetter
from schemas.events import MemoryMode, Outcome
from schemas.extraction import ExtractionRequest, RoomIndex, RunIndex
from schemas.ids import request_id
from schemas.journal import AgentIdle, Forwarded
from streams.activity.effects import Busy, Cut, Forward, Licence
from streams.activity.moments import moment
from streams.activity.repeats import RecentIds
from streams.activity.rows import RoomRow, Row
from streams.kafka.publishing import Outgoing

REQUESTS = "extraction-requests"
JOURNAL = "memory-candidates"
DEAD_LETTERS = "dead-letters"
_OUTCOMES: Mapping[str | None, Outcome] = {outcome.value: outcome for outcome in Outcome}


@dataclass(frozen=True, slots=True)
class Late:
    """An event of an older boot that happened after the newer boot's first: two processes send as one source (A4)."""

    agent: str
    event: str
    offset: int


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What one batch comes to: what is to be published, in order; then the rows to be written, in order, the partition's last."""

    publish: tuple[Outgoing, ...]
    rows: Mapping[bytes, Row]
    counts: Mapping[str, int] = field(default_factory=dict)
    """How often what happened, for the metrics."""
    late: tuple[Late, ...] = ()
    rings: tuple[RecentIds, ...] = ()
    """The rings of ids that the batch looked at, as they are once its rows are written."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """Model and window of an agent that has named none."""

    model: str
    window: int


def busy_record(agent: str, effect: Busy, topic: str, partition: int, offset: int, ordinal: int) -> Outgoing:
    """Give the journal's `agent.busy`: the bytes that `encode` gives for the model, without making one, since runs are frequent."""
    position = {"topic": topic, "partition": partition, "offset": offset, "generation": 1}
    origin = {"position": position, "ordinal": ordinal}
    value = {"agent": agent, "derivation": MAIN, "type": "agent.busy", "origin": origin, "busy": effect.busy}
    return Outgoing(JOURNAL, 0, agent.encode(), orjson.dumps(value))


def journal_record(agent: str, effect: Licence | Forward, origin: Origin) -> Outgoing:
    """Give the journal's record of an effect."""
    record: AgentIdle | Forwarded
    match effect:
        case Licence():
            record = AgentIdle(
                agent=agent,
                origin=origin,
                number=effect.number,
                kind=effect.kind,
                cut=effect.cut,
                at=moment(effect.at),
                who=effect.who,
            )
        case Forward():
            event = effect.event
            data = event.data
            record = Forwarded.model_validate(
                {"agent": agent, "origin": origin, "event": event.id, "event_type": event.type, "at": event.time, "data": data}
            )
    return Outgoing(JOURNAL, 0, agent.encode(), encode(record))


def request(
    agent: str,
    made: Cut,
    origin: Origin,
    rooms: Mapping[str, RoomRow],
    tool_spans: Iterable[tuple[int, int]],
    tool_position: int,
    defaults: Defaults,
) -> Outgoing:
    """Give the extraction request of a cut. `rooms` has all Rooms of the cut; those that are not shared are left out (W8)."""
    shared = {room: row for room, row in rooms.items() if row.shared}
    record = ExtractionRequest(
        id=request_id(agent, made.number),
        agent=agent,
        cut=made.number,
        reason=made.reason,
        origin=origin,
        interval=_span(made.interval),
        repeats=tuple(_span(offsets) for offsets in made.left_out),
        runs=tuple(
            RunIndex(run=run, room=one.room, outcome=_OUTCOMES.get(one.outcome), end=one.end)
            for run, one in made.ended.items()
            if one.room in shared
        ),
        rooms=tuple(
            RoomIndex(room=room, title=row.title, project=row.project, zone=row.zone, memory=MemoryMode.SHARED)
            for room, row in sorted(shared.items())
        ),
        tool_spans=tuple(_span(offsets) for offsets in tool_spans),
        tool_position=tool_position,
        model=made.model or defaults.model,
        window=made.window or defaults.window,
        name=made.name,
        at=moment(made.at),
        who=made.who,
        redriven_chunk=made.chunk,
    )
    return Outgoing(REQUESTS, origin.position.partition, agent.encode(), encode(record))


def dead_letter(letter: DeadLetter, key: bytes | None) -> Outgoing:
    """Give the record of a dead letter."""
    return Outgoing(DEAD_LETTERS, 0, key, encode(letter))


def _span(offsets: tuple[int, int]) -> Span:
    return Span(first=offsets[0], last=offsets[1])
