"""Activity and candidates in one Faust app: what `linger-memory run activity` runs (A1-A8).

One agent works on all three input topics, so that no second coroutine can write a stale copy of a row. For each batch:

1. Compute effects and new rows from the old rows; nothing is changed yet.
2. Publish the effects, and wait until they are acknowledged. (Rows first, then a kill: the redelivery would be a no-op, and the request
   never sent.)
3. Write the rows, the partition's last, and wait for the changelog.
4. Done: the offset may be committed. A kill at any point before leads to the same effects again, which readers tell by their origin.
"""

import asyncio
import gc
import time
from collections.abc import Callable, Sequence
from typing import Any

import structlog
from faust.types import TP
from mode import CrashingSupervisor

from streams.activity import metrics
from streams.activity.commands import CommandsBatch
from streams.activity.deadlines import Agenda, Timing, next_deadline
from streams.activity.intake import Intake
from streams.activity.messages import Calls, MessagesBatch
from streams.activity.outgoing import Defaults, Outcomes
from streams.activity.repeats import Rings
from streams.activity.rows import PARTITION_KEY, AgentRow, PartitionRow, Row, agent_key, agent_of, decode_row, encode_row
from streams.activity.ticks import tick
from streams.activity.tool_calls import ToolCallsBatch, calls_row_of, spans_for_cut
from streams.candidates.agent import TOPIC as EXTRACTIONS_TOPIC
from streams.candidates.agent import Derive, candidates_work
from streams.kafka.batches import BatchApp, Inputs, drain, work_through
from streams.kafka.chain import Record
from streams.kafka.clients import faust_arguments
from streams.kafka.durable_table import DurableTable
from streams.kafka.fatal import leave
from streams.kafka.publishing import publish
from streams.kafka.topics import require_topics, topic_name
from streams.observability.health import Health
from streams.settings import Settings

MESSAGES, TOOL_CALLS, COMMANDS = "messages", "tool-calls", "commands"
REBALANCE_TIMEOUT_SECONDS = 60.0
RECOVERY_DEADLINE_SECONDS = 600.0
"""A recovery that takes longer has hung (F23): the role then gives no sign of life, and its supervisor starts it anew."""
SILENT_AFTER_SECONDS = 60.0
"""So long without a fetch, with partitions: Faust's fetching has died (F13)."""
STOP_SECONDS = 20.0

_log = structlog.get_logger(__name__)


class Activity:
    """The app with its tables, and the work on a batch."""

    def __init__(self, settings: Settings, derive: Derive) -> None:
        self.settings = settings
        self._timing = Timing(
            idle_after=round(settings.idle_after_seconds * 1000),
            run_timeout=round(settings.run_timeout_seconds * 1000),
            overdue_after=round(settings.overdue_after_seconds * 1000),
            overdue_any_after=round(settings.overdue_any_after_seconds * 1000),
            runs_per_cut=settings.runs_per_cut,
        )
        self._defaults = Defaults(settings.default_model, settings.default_window_tokens)
        self._base_names = {topic_name(settings, name): name for name in (MESSAGES, TOOL_CALLS, COMMANDS)}
        self.progress_seconds = time.monotonic()
        deadline_seconds = 0.75 * REBALANCE_TIMEOUT_SECONDS
        self._inputs = Inputs(frozenset(self._base_names), self._next_by_row, deadline_seconds, self._note_progress)
        extractions = Inputs(
            frozenset({topic_name(settings, EXTRACTIONS_TOPIC)}), deadline_seconds=deadline_seconds, on_progress=self._note_progress
        )
        self.inputs = (self._inputs, extractions)
        self.app = BatchApp(
            settings.topic_prefix + "activity",
            inputs=self.inputs,
            autodiscover=False,
            agent_supervisor=CrashingSupervisor,
            broker_commit_interval=1.0,
            broker_rebalance_timeout=REBALANCE_TIMEOUT_SECONDS,
            broker_commit_livelock_soft_timeout=3_600.0,
            stream_processing_timeout=3_600.0,
            processing_guarantee="at_least_once",
            producer_max_batch_size=131_072,
            store="memory://",
            table_standby_replicas=0,
            **faust_arguments(settings),
        )
        self._tables: dict[str, DurableTable[Row]] = {
            name: DurableTable.add_to(self.app, name, encode_row, decode_row) for name in (MESSAGES, TOOL_CALLS, COMMANDS)
        }
        self._agendas: dict[int, Agenda] = {}
        self._rings: dict[tuple[str, int], Rings] = {}
        self._remembered_of = -1  # the assignment under which agendas and rings were made from rows
        self._ticked: dict[int, float] = {}

        @self.app.agent(self.app.batch_topic(self._inputs), name="activity")
        async def activity(batches: Any) -> None:
            await work_through(self.app, batches, self._work)

        @self.app.agent(self.app.batch_topic(extractions), name="candidates")
        async def candidates(batches: Any) -> None:
            await work_through(self.app, batches, candidates_work(derive, lambda records: publish(self.app, settings, records)))

    # --- a batch ---------------------------------------------------------------------------------------------------------------------

    async def _work(self, tp: TP, records: Sequence[Record]) -> None:
        topic = self._base_names[tp.topic]
        rings = self._rings_of(topic, tp.partition)
        outcomes = self._apply(topic, tp.partition, records)
        if self.app.batch_consumer.must_not_publish(tp):
            leave("a batch was computed too late to be published", topic=tp.topic, partition=tp.partition)
        await publish(self.app, self.settings, outcomes.publish)
        await self._tables[topic].write(tp.partition, outcomes.rows)
        rings.written(outcomes.rings)
        metrics.count(topic, len(records), outcomes.counts)
        for late in {late.agent: late for late in outcomes.late}.values():  # one line for each agent will do
            _log.warning(
                "an event of an older boot is dated after the newer boot's first", agent=late.agent, id=late.event, offset=late.offset
            )

    def _apply(self, topic: str, partition: int, records: Sequence[Record]) -> Outcomes:
        settings = self.settings
        intake = Intake(topic, partition, settings.partitions, settings.max_event_bytes)
        row_of, rings = self._rows(topic, partition), self._rings_of(topic, partition)
        if topic == COMMANDS:
            return CommandsBatch(intake, row_of, rings).apply(records)
        if topic == TOOL_CALLS:
            return ToolCallsBatch(intake, row_of, rings, self._rows(MESSAGES, partition), self._timing).apply(records)
        calls_of = self._rows(TOOL_CALLS, partition)
        seen = calls_of(PARTITION_KEY)
        calls = Calls(
            spans=lambda agent, open_runs: spans_for_cut(calls_row_of(calls_of, agent), open_runs),
            position=seen.applied + 1 if isinstance(seen, PartitionRow) else 0,
        )
        agenda = self._agenda(partition)
        return MessagesBatch(intake, row_of, rings, agenda, calls, self._timing, self._defaults).apply(records)

    def _rows(self, topic: str, partition: int) -> Callable[[bytes], Row | None]:
        table = self._tables[topic]
        return lambda key: table.row(partition, key)

    def _next_by_row(self, tp: TP) -> int | None:
        row = self._tables[self._base_names[tp.topic]].row(tp.partition, PARTITION_KEY)
        return None if row is None else row.applied + 1

    def _agenda(self, partition: int) -> Agenda:
        """Give the partition's deadlines, made from its rows."""
        self._forget_older_assignments()
        agenda = self._agendas.get(partition)
        if agenda is None:
            agenda = self._agendas[partition] = Agenda()
            row_of = self._rows(MESSAGES, partition)
            for key in self._tables[MESSAGES].keys_of(partition):
                agent = agent_of(key)
                row = None if agent is None else row_of(key)
                due = next_deadline(row, self._timing) if isinstance(row, AgentRow) else None
                if agent is not None and due is not None:
                    agenda.put(agent, due[0])
        return agenda

    def _rings_of(self, topic: str, partition: int) -> Rings:
        self._forget_older_assignments()
        rings = self._rings.get((topic, partition))
        if rings is None:
            rings = self._rings[topic, partition] = Rings(self._rows(topic, partition))
        return rings

    def _forget_older_assignments(self) -> None:
        if self._remembered_of != self.app.batch_consumer.assignment_number:
            self._agendas.clear()
            self._rings.clear()
            self._remembered_of = self.app.batch_consumer.assignment_number

    # --- the clock of quiet partitions (A6) ------------------------------------------------------------------------------------------

    async def tick_quiet_partitions(self, now_ms: int) -> None:
        """Append a tick to each partition of ours that is read to its end and has a deadline past by the wall clock."""
        consumer = self.app.batch_consumer
        for partition in range(self.settings.partitions):
            tp = TP(topic_name(self.settings, MESSAGES), partition)
            if self.app.rebalancing or self.app.in_recovery or self._inputs.working or not consumer.caught_up(tp):
                continue
            if time.monotonic() - self._ticked.get(partition, float("-inf")) < self.settings.tick_every_seconds:
                continue
            if self._is_due(partition, now_ms):
                self._ticked[partition] = time.monotonic()
                await publish(self.app, self.settings, [tick(self.settings.source_name, partition)])

    def _is_due(self, partition: int, now_ms: int) -> bool:
        agenda, row_of = self._agenda(partition), self._rows(MESSAGES, partition)
        for agent in agenda.met_by(now_ms):
            row = row_of(agent_key(agent))
            due = next_deadline(row, self._timing) if isinstance(row, AgentRow) else None
            if due is not None:
                agenda.put(agent, due[0])
                if due[0] <= now_ms:
                    return True
        return False

    def _note_progress(self) -> None:
        self.progress_seconds = time.monotonic()


async def run(settings: Settings, health: Health, stop: asyncio.Event, derive: Derive | None = None) -> None:
    """Run activity and candidates until `stop`. Raises TopicsWrong or BrokerUnavailable if it can't start.

    A batch that can't be finished, a crash of Faust's app and a stop that takes longer than it may end the process with code 70: to unwind
    through Faust would acknowledge what is not done.
    """
    await require_topics(settings)
    # Rows are many and have no cycles, so the collector walks them in vain: at its defaults that was a third of this role's CPU.
    gc.set_threshold(200_000, 50, 50)
    activity = Activity(settings, derive or _derive())
    starting = asyncio.create_task(activity.app.start())
    await _supervise(activity, health, stop, starting)
    health.set_unready("stopping")
    await drain(activity.inputs, STOP_SECONDS / 2)
    try:
        await asyncio.wait_for(activity.app.stop(), STOP_SECONDS)
    except Exception as error:
        leave("Faust's app did not stop in time", error)
    if not starting.done():
        starting.cancel()


async def _supervise(activity: Activity, health: Health, stop: asyncio.Event, starting: asyncio.Task[None]) -> None:
    """Until `stop`: say how it fares, and tick; end the process after a crash."""
    app, settled_seconds = activity.app, time.monotonic()
    while not stop.is_set():
        failed = starting.exception() if starting.done() else None
        if app.crashed or failed is not None:
            leave("Faust's app has crashed", app.crash_reason or failed)
        now = time.monotonic()
        if starting.done() and not app.rebalancing and not app.in_recovery:
            settled_seconds = now
            health.set_ready()
            try:
                await activity.tick_quiet_partitions(time.time_ns() // 1_000_000)
            except Exception as error:  # a raised exception must not end the role for a tick (F46); the next round tries again
                _log.warning("a tick could not be sent", exc_info=error)
        else:
            health.set_unready("joining the group and recovering tables")
            activity.progress_seconds = now
        fetching = now - activity.progress_seconds < SILENT_AFTER_SECONDS or not app.batch_consumer.has_partitions()
        if fetching and now - settled_seconds < RECOVERY_DEADLINE_SECONDS:
            health.beat()
        try:
            await asyncio.wait_for(stop.wait(), min(1.0, activity.settings.tick_every_seconds / 2))
        except TimeoutError:
            continue


def _derive() -> Derive:
    from streams.candidates.derive import derive

    return derive
