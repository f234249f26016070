"""Faust with one message per fetched batch, and offsets committed only for batches that are durably done.

Faust's cost is its work per message (3,600 events/s, where a batch of them gives 120,000), and its acknowledgements lose events (F01,
F02, F33). So for the input topics of an agent:

1. `Consumer._getmany`, which alone fetches, turns what a fetch returned for a partition into one message. It alone seeks and labels too:
   otherwise a batch in hand could be labelled after a rewind.
2. The agent's body is `work_through`: it works on a batch only if that follows what is done (see chain.py), and any exception or
   cancellation between begin and done ends the process before the stream closes, which would acknowledge the batch.
3. A commit takes `Chain.done` and nothing else: Faust's own acknowledgements of these topics only free its buffers.

Changelogs and all else pass as Faust has made them.
"""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import faust
import structlog
from aiokafka.errors import IllegalStateError
from faust.exceptions import ConsumerNotStarted
from faust.serializers import codecs
from faust.transport.drivers import aiokafka as driver
from faust.types import TP

from streams.kafka.chain import Batch, Chain, Record
from streams.kafka.fatal import Watchdog, leave

STALLED_AFTER_SECONDS = 5.0
"""A batch that was handed out so long ago, while its agent has nothing in work, was dropped on its way."""

UNTOUCHED = "linger-untouched"
"""Name of the codec that passes a value as it is: a batch is no bytes, and our tables read and write their own."""

_log = structlog.get_logger(__name__)


class _Untouched(codecs.Codec):
    def _loads(self, s: Any) -> Any:
        return s

    def _dumps(self, obj: Any) -> Any:
        return obj


codecs.register(UNTOUCHED, _Untouched())


@dataclass(eq=False)
class Inputs:
    """The input topics of one agent (whole names), and what its one coroutine does now."""

    topics: frozenset[str]
    row_of: Callable[[TP], int | None] | None = None
    """Gives the next offset that a partition's own row names, None if it has no row: then reading starts at the beginning.
    Without such rows reading starts at the group's commit."""
    deadline_seconds: float = 45.0
    """A batch that takes longer ends the process: less than the rebalance time-out, after which others own its partition."""
    on_progress: Callable[[], None] = lambda: None
    """Called whenever a batch is done, and by every fetch."""
    closing: bool = field(default=False, init=False)
    working: bool = field(default=False, init=False)
    moved_seconds: float = field(default_factory=time.monotonic, init=False)


class _ConsumerThread(driver.AIOKafkaConsumerThread):
    def _create_worker_consumer(self, transport: Any) -> Any:
        consumer = super()._create_worker_consumer(transport)
        consumer._isolation_level = "read_committed"  # Faust offers it only with its own transactions
        return consumer


class Consumer(driver.Consumer):
    """Delivers what a fetch returned from an input partition as one message, and commits what is durably done."""

    def __post_init__(self) -> None:
        self._agents: tuple[Inputs, ...] = cast("BatchApp", self.app).inputs
        self._inputs: dict[str, Inputs] = {topic: inputs for inputs in self._agents for topic in inputs.topics}
        self._chains: dict[TP, Chain] = {}
        self._numbers = itertools.count(1)
        self._assignments = 0  # rises with each; a seek that was under way over one counts for nothing
        self._watchdog = Watchdog()
        super().__post_init__()

    def _new_consumer_thread(self) -> Any:
        return _ConsumerThread(self, loop=self.loop, beacon=self.beacon)

    # --- fetching: hand out batches --------------------------------------------------------------------------------------------

    async def _getmany(self, active_partitions: set[TP] | None, timeout: float) -> MutableMapping[TP, list[Any]]:
        if not (self.app.in_recovery or self.app.rebalancing):
            for tp in list(self.assignment()):
                if tp.topic in self._inputs:
                    await self._keep_chain(tp)
        numbers = {tp: chain.number for tp, chain in self._chains.items()}
        fetched = await super()._getmany(active_partitions, timeout)
        for inputs in self._agents:
            inputs.on_progress()
        return {
            tp: records if tp.topic not in self._inputs else self._as_message(tp, records, numbers.get(tp))
            for tp, records in fetched.items()
        }

    async def _keep_chain(self, tp: TP) -> None:
        """Begin a chain for a partition that has none, and seek; rewind one after a gap."""
        chain, assignments, now = self._chains.get(tp), self._assignments, time.monotonic()
        inputs = self._inputs[tp.topic]
        stalled = STALLED_AFTER_SECONDS if not inputs.working and now - inputs.moved_seconds > STALLED_AFTER_SECONDS else float("inf")
        if chain is not None and not chain.must_rewind(now, stalled):
            return
        try:
            start = await self._first_not_done(tp) if chain is None else chain.done
            await self._thread.seek_wait({tp: start})
        except (IllegalStateError, TimeoutError):
            return  # taken away in between; a partition without a chain hands out nothing
        if assignments != self._assignments or self._chains.get(tp) is not chain:
            return
        self._read_offset[tp] = start or None
        if chain is None:
            self._chains[tp] = Chain(next(self._numbers), start, time.monotonic())
        else:
            _log.info("a batch was dropped on its way and is read again", topic=tp.topic, partition=tp.partition, offset=start)
            chain.rewound(next(self._numbers), time.monotonic())

    async def _first_not_done(self, tp: TP) -> int:
        row_of = self._inputs[tp.topic].row_of
        offset = row_of(tp) if row_of is not None else self._committed_offset[tp]
        if offset is None:
            offset = (await self.earliest_offsets(tp))[tp]
        return int(offset)

    def _as_message(self, tp: TP, records: list[Any], number: int | None) -> list[Any]:
        chain = self._chains.get(tp)
        if not records or chain is None or chain.number != number:
            return []
        batch = chain.hand_out(records, time.monotonic())
        return [] if batch is None else [replace(records[-1], key=None, value=batch)]

    # --- working -----------------------------------------------------------------------------------------------------------------

    def begin(self, tp: TP, batch: Batch) -> Chain | None:
        """Give the partition's chain if this batch is to be worked on now, else None."""
        inputs, chain = self._inputs[tp.topic], self._chains.get(tp)
        if inputs.closing or chain is None or not chain.begin(batch):
            return None
        inputs.working = True
        self._watchdog.watch(inputs, f"{tp.topic}[{tp.partition}]@{batch.follows}", inputs.deadline_seconds)
        return chain

    def must_not_publish(self, tp: TP) -> bool:
        """Say whether the work on this topic is past its deadline: its partition may have another owner by now."""
        return self._watchdog.overdue(self._inputs[tp.topic])

    def done(self, tp: TP, chain: Chain, batch: Batch) -> None:
        """Say that the batch is durable: its publications and table rows are acknowledged."""
        inputs = self._inputs[tp.topic]
        self._watchdog.release(inputs)
        chain.finish(batch, time.monotonic())
        inputs.working = False
        inputs.moved_seconds = time.monotonic()
        inputs.on_progress()

    def next_offset(self, tp: TP) -> int | None:
        """Give the next offset that is not durably done; None while that is not known."""
        chain = self._chains.get(tp)
        return None if chain is None else chain.done

    def has_partitions(self) -> bool:
        """Say whether any partition is assigned to this process."""
        try:
            return bool(self.assignment())
        except ConsumerNotStarted:
            return False

    @property
    def assignment_number(self) -> int:
        """Rises with every change of the assignment: what was remembered of a partition under an older one counts for nothing."""
        return self._assignments

    def caught_up(self, tp: TP) -> bool:
        """Say whether all records that the broker is known to have are durably done."""
        chain = self._chains.get(tp)
        if chain is None or tp not in self.assignment():
            return False
        end = self.highwater(tp)
        return end is not None and chain.done >= end

    # --- committing --------------------------------------------------------------------------------------------------------------

    def _filter_tps_with_pending_acks(self, topics: Any = None) -> Iterator[TP]:
        # Faust drops its acknowledgements when a rebalance begins, before its last commit, and has none of what was done before it.
        yield from (tp for tp in super()._filter_tps_with_pending_acks(topics) if tp.topic not in self._inputs)
        yield from (tp for tp in list(self._chains) if topics is None or tp in topics or tp.topic in topics)

    def _new_offset(self, tp: TP) -> int | None:
        if tp.topic not in self._inputs:
            offset: int | None = super()._new_offset(tp)
            return offset
        self._acked[tp].clear()
        self._acked_index[tp].clear()
        return self.next_offset(tp)

    async def _add_gap(self, tp: TP, offset_from: int, offset_to: int) -> None:
        if tp.topic not in self._inputs:
            await super()._add_gap(tp, offset_from, offset_to)

    # --- rebalances --------------------------------------------------------------------------------------------------------------

    async def on_partitions_revoked(self, revoked: set[TP]) -> None:
        await super().on_partitions_revoked(revoked)  # waits for the batch in work
        self._forget(revoked)

    async def on_partitions_assigned(self, assigned: set[TP], generation_id: int = 0) -> None:
        self._forget(list(self._chains))
        await super().on_partitions_assigned(assigned, generation_id)

    def _forget(self, partitions: Iterable[TP]) -> None:
        self._assignments += 1
        for tp in partitions:
            self._chains.pop(tp, None)


class Producer(driver.Producer):
    """An idempotent producer: a retry neither doubles nor reorders, so a table's own changelog offsets follow one another."""

    def _settings_extra(self) -> Mapping[str, Any]:
        return {"acks": "all", "enable_idempotence": True}


class Transport(driver.Transport):
    """Faust's aiokafka transport with our consumer and producer."""

    Consumer = Consumer
    Producer = Producer


class BatchApp(faust.App):
    """A Faust app whose agents get batches. `inputs` has one entry for each agent."""

    def __init__(self, *args: Any, inputs: Sequence[Inputs], **options: Any) -> None:
        self.inputs = tuple(inputs)
        super().__init__(*args, **options)

    def _new_transport(self) -> Transport:
        return Transport(self.conf.broker_consumer, self)

    def _new_producer_transport(self) -> Transport:
        return Transport(self.conf.broker_producer, self)

    def _create_directories(self) -> None:
        """Faust would make a folder in the working directory; our store needs none."""

    @property
    def batch_consumer(self) -> Consumer:
        """The consumer, once the app has started."""
        return cast(Consumer, self.consumer)

    def batch_topic(self, inputs: Inputs) -> Any:
        """Give the one topic object of an agent: all its topics, so that one coroutine works on them in turn."""
        # A queue of batches, not of records: a bound on the memory of a worker that catches up.
        return self.topic(*sorted(inputs.topics), key_serializer="raw", value_serializer=UNTOUCHED, maxsize=4)


Work = Callable[[TP, Sequence[Record]], Awaitable[None]]


async def work_through(app: BatchApp, batches: AsyncIterator[Batch], work: Work) -> None:
    """The body of every agent: hand each batch to `work`, which returns when all that came of it is acknowledged."""
    consumer = app.batch_consumer
    async for batch in batches:
        try:
            tp = batches.current_event.message.tp  # type: ignore[attr-defined]
            chain = consumer.begin(tp, batch)
            if chain is not None:
                await work(tp, batch.records)
                consumer.done(tp, chain, batch)
        except BaseException as error:
            leave("a batch could not be finished", error, offset=batch.follows, records=len(batch.records))


async def drain(inputs: Sequence[Inputs], deadline_seconds: float) -> None:
    """Let no agent begin another batch, and wait till none is in work, at most until the deadline."""
    for one in inputs:
        one.closing = True
    deadline = time.monotonic() + deadline_seconds
    while any(one.working for one in inputs) and time.monotonic() < deadline:  # noqa: ASYNC110 (there is no one event for several agents)
        await asyncio.sleep(0.02)
