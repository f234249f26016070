"""One batch of `tool-calls`: where the calls of each agent's runs lie, until a request has been told (A5, E6, E9). Pure.

`messages` and `tool-calls` have no common order, so this is an index for reading, and may be too wide: a request means the calls of its
runs, wherever they lie. It must not be too narrow, so a span is kept until it is sure that a request had it:

- it lies below the position that the last cut told, and
- its run is neither open nor waiting for the next cut, and
- its run's end has been seen; or the last cut was so long after the call that the run was over by then at the latest.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from schemas.dead_letters import DeadLetter
from schemas.events import Context, ToolCalled
from streams.activity import outgoing
from streams.activity.deadlines import Timing
from streams.activity.intake import Intake, log_time
from streams.activity.messages import FINISHED, RECORDS, RowOf
from streams.activity.outgoing import Outcomes
from streams.activity.repeats import RecentIds, Rings, hashed, read_ring
from streams.activity.rows import PARTITION_KEY, AgentRow, CallSpan, CallsRow, PartitionRow, Row, agent_key, calls_key, ring_key
from streams.kafka.chain import Record
from streams.kafka.publishing import Outgoing

SPANS_MAX = 63
"""Spans of single runs in a row; with the wide one they are at most 64."""


class ToolCallsBatch:
    """Applies one batch; used once. `messages_row_of` reads the rows of `messages`, same partition."""

    def __init__(self, intake: Intake, row_of: RowOf, rings: Rings, messages_row_of: RowOf, timing: Timing) -> None:
        self._intake, self._row_of, self._kept = intake, row_of, rings
        self._messages_row_of, self._timing = messages_row_of, timing
        self._calls: dict[str, CallsRow] = {}
        self._rings: dict[str, dict[bytes, RecentIds]] = {}
        self._counts: Counter[str] = Counter()

    def apply(self, records: Sequence[Record]) -> Outcomes:
        """Give what these records come to."""
        publish: list[Outgoing] = []
        partition = self._row_of(PARTITION_KEY)
        offset, time = (partition.applied, partition.log_time) if isinstance(partition, PartitionRow) else (-1, 0)
        for record in records:
            if record.offset <= offset:
                continue
            offset, appended = record.offset, log_time(record)
            time = max(time, appended)
            event = self._intake.read(record)
            if isinstance(event, DeadLetter):
                self._counts[f"dead_letter_{event.reason}"] += 1
                publish.append(outgoing.dead_letter(event, record.key))
            elif isinstance(event.data, ToolCalled) and event.data.context is Context.ROOM:
                self._apply(event.data, hashed(event.source, event.id), offset, appended)
        rows: dict[bytes, Row] = {}
        for agent, row in self._calls.items():
            rows[calls_key(agent)] = row
            for ring in self._rings[agent].values():
                rows.update(ring.rows())
        rows[PARTITION_KEY] = PartitionRow(offset, time)
        rings = tuple(ring for of_agent in self._rings.values() for ring in of_agent.values())
        return Outcomes(tuple(publish), rows, dict(self._counts), rings=rings)

    def _apply(self, data: ToolCalled, one: bytes, offset: int, appended: int) -> None:
        agent = data.agent
        row = self._calls.get(agent)
        if row is None:
            known = self._row_of(calls_key(agent))
            row = self._pruned(agent, known if isinstance(known, CallsRow) else CallsRow(-1))
        rings = self._rings.setdefault(agent, {})
        key = ring_key(RECORDS, agent, data.room)
        ring = rings.get(key) or self._kept.ring(key)
        repeat = offset > ring.applied and ring.seen(one)
        rings[key] = ring if repeat or offset <= ring.applied else ring.with_id(one, offset)
        if offset > row.applied:
            if not repeat and data.run is not None:
                row = _with_call(row, data.run, offset, appended)
            row = row._replace(applied=offset)
        self._counts["repeat"] += repeat
        self._calls[agent] = row

    def _pruned(self, agent: str, row: CallsRow) -> CallsRow:
        """Give the row without what a request was told; looked at once after each cut."""
        known = self._messages_row_of(agent_key(agent))
        if not isinstance(known, AgentRow) or known.cut == row.pruned_cut:
            return row
        finished = read_ring(ring_key(FINISHED, agent), self._messages_row_of)

        def told(span: CallSpan) -> bool:
            return span.last < known.tool_position

        def surely_over(span: CallSpan) -> bool:
            return known.cut_at >= span.at + self._timing.run_timeout

        kept = {
            run: span
            for run, span in row.spans.items()
            if not told(span) or run in known.open or run in known.ended or not (finished.seen(hashed(run)) or surely_over(span))
        }
        wide = row.wide if row.wide is not None and not (told(row.wide) and surely_over(row.wide)) else None
        return row._replace(spans=kept, wide=wide, pruned_cut=known.cut)


def _with_call(row: CallsRow, run: str, offset: int, appended: int) -> CallsRow:
    known = row.spans.get(run)
    span = CallSpan(offset if known is None else known.first, offset, appended)
    spans = {**row.spans, run: span}
    if len(spans) <= SPANS_MAX:
        return row._replace(spans=spans)
    spans.pop(run)
    older = [*spans.values(), *(() if row.wide is None else (row.wide,))]
    wide = CallSpan(min(one.first for one in older), max(one.last for one in older), max(one.at for one in older))
    return row._replace(spans={run: span}, wide=wide)


def spans_for_cut(row: CallsRow, open_runs: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Give the spans, apart and in order, of all runs but the open ones: also late calls of earlier runs."""
    wanted = [span for run, span in row.spans.items() if run not in open_runs] + ([] if row.wide is None else [row.wide])
    merged: list[tuple[int, int]] = []
    for span in sorted(wanted, key=lambda span: span.first):
        if merged and span.first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], span.last))
        else:
            merged.append((span.first, span.last))
    yield from merged


def calls_row_of(row_of: Callable[[bytes], Row | None], agent: str) -> CallsRow:
    """Give an agent's row, an empty one if there is none."""
    row = row_of(calls_key(agent))
    return row if isinstance(row, CallsRow) else CallsRow(-1)
