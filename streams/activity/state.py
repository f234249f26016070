"""One agent's row: what each event and each deadline makes of it, and what comes of that (A1-A6, A8). Pure.

Every function takes a row and gives the new one and the effects, in their order. Whether an event is a repeat has been found out before.
"""

from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple, TypeVar

from schemas.events import Outcome
from schemas.extraction import CutReason
from schemas.memory import LicenceKind
from streams.activity.deadlines import Due, Timing, next_deadline
from streams.activity.effects import Busy, Cut, Effect, Licence
from streams.activity.rows import AgentRow, Boot, EndedRun, Offsets, OpenRun, Stretch

OPEN_RUNS_MAX = 1_000
"""An agent with more runs open has lost the ends of the oldest, which count as over: a row must not grow for ever."""

ENDED_RUNS_MAX = 1_000
"""Of more runs since the last cut, which only failing or unfinished ones can be, the oldest such are left out of the request."""

ROOMS_MAX = 500
"""With so many Rooms that have something new, a cut is made at once: a request names each with its title and must fit a record."""

SOURCES_MAX = 64
"""Of more sources, the one whose newest boot came first is forgotten; a server has as many as it has instances."""

LEFT_OUT_MAX = 1_000
"""Spans of records that are not to be read; of more, repeats are read again and Rooms that were not shared are withheld."""

T = TypeVar("T")
Step = tuple[AgentRow, tuple[Effect, ...]]


class At(NamedTuple):
    """Where the partition stands: the record being applied and its log time.

    `previous` is the agent's record before this one, `tool_position` the next offset of `tool-calls` that was not seen.
    """

    offset: int
    time: int
    previous: int = -1
    tool_position: int = 0


def new_agent(offset: int) -> AgentRow:
    """Give the row of an agent whose first record is at `offset`."""
    return AgentRow(applied=-1, begin=offset)


# --- boots (A4) ------------------------------------------------------------------------------------------------------------------


def met_boot(row: AgentRow, source: str, number: int, event_time: int, at: At) -> Step:
    """A record of this boot: one later than every earlier one of its source is a restart. The first boot of a source is none."""
    known = row.boots.get(source)
    if known is not None and number <= known.number:
        return row, ()
    boots = {**_without(row.boots, [source]), source: Boot(number, event_time)}
    if len(boots) > SOURCES_MAX:
        del boots[next(iter(boots))]
    if known is None:
        return row._replace(boots=boots), ()
    lost = [run for run, one in row.open.items() if one.source == source and one.boot < number]
    return runs_over(row._replace(boots=boots, counted=0), lost, at)


def is_stale(row: AgentRow, source: str, number: int) -> bool:
    """Whether a newer boot of this source has been seen: a late event neither resets nor counts."""
    known = row.boots.get(source)
    return known is not None and number < known.number


# --- runs (A2, A3, A6) -----------------------------------------------------------------------------------------------------------


def run_started(row: AgentRow, run: str, opened: OpenRun, at: At) -> Step:
    """A run of the newest boot of its source begins."""
    effects: tuple[Effect, ...] = ()
    if len(row.open) >= OPEN_RUNS_MAX:
        row, effects = runs_over(row, [min(row.open, key=lambda one: (row.open[one].started, one))], at)
    if not row.open:
        effects += (Busy(True),)
    return row._replace(stretch=_active(row.stretch, at.time), open={**row.open, run: opened}), effects


def run_finished(row: AgentRow, run: str, ended: EndedRun, *, read: bool, stale: bool, at: At, timing: Timing) -> Step:
    """A run's first end. `read`: a Room run in a shared Room; `stale`: of an older boot, so it is only read, with its outcome."""
    effects: tuple[Effect, ...] = ()
    was_open = run in row.open
    counts = read and not stale and ended.outcome == Outcome.SUCCEEDED
    row = row._replace(
        open=_without(row.open, [run]) if was_open else row.open,
        ended=_bounded({**_without(row.ended, [run]), run: ended}) if read else row.ended,
        rooms=row.rooms | {ended.room} if read else row.rooms,
        stretch=row.stretch if stale else _active(row.stretch, at.time),
        counted=row.counted + counts,
    )
    if counts and row.counted >= timing.runs_per_cut:
        row, effects = cut(row, CutReason.RUNS, at)
    if was_open and not row.open:
        effects += (Busy(False),)
    return row, effects


def runs_over(row: AgentRow, runs: Iterable[str], at: At) -> Step:
    """These runs will not finish; what was read of them goes into the next request, without an outcome. It is no end of activity."""
    over = {run: row.open[run] for run in runs}
    if not over:
        return row, ()
    read = {run: EndedRun(one.room, None, at.offset) for run, one in over.items() if one.read}
    row = row._replace(
        open=_without(row.open, over),
        ended=_bounded({**_without(row.ended, read), **read}),
        rooms=row.rooms | {one.room for one in read.values()},
    )
    return row, () if row.open else (Busy(False),)


def _active(stretch: Stretch | None, time: int) -> Stretch:
    if stretch is None or stretch.licensed:
        return Stretch(time, time)
    return Stretch(stretch.start, time)


def _bounded(ended: dict[str, EndedRun]) -> Mapping[str, EndedRun]:
    while len(ended) > ENDED_RUNS_MAX:
        oldest = next((run for run, one in ended.items() if one.outcome != Outcome.SUCCEEDED), next(iter(ended)))
        del ended[oldest]
    return ended


# --- records ---------------------------------------------------------------------------------------------------------------------


def room_record(row: AgentRow, room: str) -> AgentRow:
    """Something new in a shared Room."""
    return row if room in row.rooms else row._replace(rooms=row.rooms | {room})


def leave_out(row: AgentRow, at: At, room: str | None = None) -> AgentRow:
    """A record that is not to be read: a repeat, or (`room` given) one of a Room that is not shared.

    Spans hold for this agent's records alone, so that what lies between two of them is no matter.
    """
    spans = row.left_out
    if spans and spans[-1][1] == at.previous:
        return row._replace(left_out=(*spans[:-1], (spans[-1][0], at.offset)))
    if len(spans) < LEFT_OUT_MAX:
        return row._replace(left_out=(*spans, (at.offset, at.offset)))
    return row if room is None else row._replace(withheld=row.withheld | {room})


def room_left(row: AgentRow, room: str) -> AgentRow:
    """A Room that is no longer shared, or gone: nothing of it is read any more (W8)."""
    ended = {run: one for run, one in row.ended.items() if one.room != room}
    return row._replace(rooms=row.rooms - {room}, ended=ended)


def agent_left(row: AgentRow, at: At) -> Step:
    """The agent is deleted, for good: nothing of it is due, counted or read any more."""
    effects = (Busy(False),) if row.open else ()
    gone = row._replace(
        counted=0, open={}, ended={}, rooms=frozenset(), left_out=(), withheld=frozenset(), stretch=None, unnamed_since=None
    )
    return gone._replace(begin=at.offset + 1, deleted=True), effects


# --- cuts and licences (A5, A6, A8) ----------------------------------------------------------------------------------------------


def cut(row: AgentRow, reason: CutReason, at: At, who: str | None = None) -> Step:
    """Close the interval: a request for all that is new, and a new count from zero."""
    made = Cut(
        number=row.cut + 1,
        reason=reason,
        interval=(row.begin, at.offset),
        at=at.time,
        model=row.model,
        window=row.window,
        name=row.name,
        ended={run: one for run, one in row.ended.items() if one.room not in row.withheld},
        rooms=row.rooms - row.withheld,
        left_out=row.left_out,
        open=frozenset(row.open),
        who=who,
    )
    row = _numbered(row, at)._replace(
        begin=at.offset + 1,
        counted=0,
        ended={},
        rooms=frozenset(),
        left_out=(),
        withheld=frozenset(),
        cut_at=at.time,
        tool_position=at.tool_position,
    )
    return row, (made,)


def cut_if_full(row: AgentRow, at: At) -> Step:
    """A cut of its own where the next request would name too many Rooms; the running count goes on."""
    if len(row.rooms) < ROOMS_MAX and len(row.withheld) < ROOMS_MAX:
        return row, ()
    counted = row.counted
    row, effects = cut(row, CutReason.FULL, at)
    return row._replace(counted=counted), effects


def redrive(row: AgentRow, chunk: str, who: str, at: At) -> Step:
    """A request of its own, with the next cut number, for a parked chunk; the running interval and count go on (X11)."""
    interval: Offsets = (at.offset, at.offset)
    made = Cut(row.cut + 1, CutReason.REDRIVE, interval, at.time, row.model, row.window, row.name, who=who, chunk=chunk)
    return _numbered(row, at), (made,)


def _numbered(row: AgentRow, at: At) -> AgentRow:
    return row._replace(cut=row.cut + 1, unnamed_since=at.time if row.unnamed_since is None else row.unnamed_since)


def licence(row: AgentRow, kind: LicenceKind, at: At, who: str | None = None) -> Step:
    """Fix what may be merged: the candidates of all cuts until now."""
    given = Licence(row.licence + 1, kind, row.cut, at.time, who)
    return row._replace(licence=given.number, unnamed_since=None), (given,)


def meet_deadlines(row: AgentRow, at: At, timing: Timing) -> Step:
    """All that is due by this log time, in the order of time; what comes due by that, such as idleness after a time-out, is met too."""
    effects: tuple[Effect, ...] = ()
    while (due := next_deadline(row, timing)) is not None and due[0] <= at.time:
        match due[1]:
            case Due.RUN_OVER:
                row, more = runs_over(row, [run for run, one in row.open.items() if one.started + timing.run_timeout <= due[0]], at)
            case Due.IDLE:
                row, more = licence(row, LicenceKind.IDLE, at)
                if row.stretch is not None:
                    row = row._replace(stretch=row.stretch._replace(licensed=True))
            case Due.OVERDUE:
                row, more = licence(row, LicenceKind.OVERDUE, at)
            case Due.ANY_MOMENT:
                row, more = licence(row, LicenceKind.ANY_MOMENT, at)
        effects += more
    return row, effects


def _without(runs: Mapping[str, T], gone: Container[str]) -> dict[str, T]:
    return {run: one for run, one in runs.items() if run not in gone}
