"""The role `extraction`: takes requests, pays for model calls, records all it does (X10, X11).

One task polls for ever, also while nothing is admitted, so that Kafka never thinks a worker dead that waits for a model; others work.
Requests are finished in any order, so only the contiguous prefix of a partition is committed; a kill reads the rest again, and what is
recorded of it is not done again.

When partitions go to another worker, or at the stop: nothing more is admitted, work in hand may end its present step for a bounded time,
then it is given up. Giving up is cheap: at most one call of each request is paid again.
"""

import asyncio
from collections.abc import Collection
from typing import Any

import structlog
from aiokafka import AIOKafkaProducer, ConsumerRebalanceListener, TopicPartition
from aiokafka.errors import IllegalStateError, KafkaError

from schemas.codec import Undecodable, encode
from schemas.extraction import REQUESTS
from streams.extraction.admission import Admission, Queued
from streams.extraction.extracting import Work
from streams.extraction.metrics import WAITING
from streams.extraction.partitions import REQUESTS_TOPIC, ROLE, OwnedPartition, dead_letter
from streams.extraction.reading import RequestReader
from streams.extraction.recording import GivenUp
from streams.extraction.tail import ExtractionsTail
from streams.extraction.topic_reader import TopicReader
from streams.kafka.clients import make_consumer, make_producer, start
from streams.kafka.reading import Record
from streams.kafka.topics import topic_name
from streams.models.port import Extractor
from streams.observability.health import Health
from streams.settings import Settings

_POLL_MS = 200
_WAITING_MOST = 1_000
_DRAIN_MOST_SECONDS = 20.0  # well below the rebalance time-out of 60 s

_log = structlog.get_logger()


async def run(settings: Settings, health: Health, stop: asyncio.Event, extractor: Extractor | None = None) -> None:
    """Extract until `stop` is set. Raises Kafka's errors, and BrokerUnavailable at the start."""
    if extractor is None:
        from streams.models import choose

        extractor = choose.extractor(settings)
    worker = Worker(settings, health, extractor)
    try:
        await worker.start()
        await worker.work_until(stop)
    finally:
        await worker.stop()


class Worker:
    """One member of the group. Used from one event loop."""

    def __init__(self, settings: Settings, health: Health, extractor: Extractor) -> None:
        self._settings, self._health = settings, health
        self._topic, self._dead_letters = topic_name(settings, REQUESTS_TOPIC), topic_name(settings, "dead-letters")
        self._consumer = make_consumer(
            settings,
            group=f"{settings.topic_prefix}{ROLE}",
            group_instance=settings.instance,
            # Without a commit, from the beginning: what the marks have passed is let go.
            offset_reset="earliest",
            role=ROLE,
        )
        self._producer: AIOKafkaProducer = make_producer(settings, role=ROLE)
        self._topics = TopicReader(settings, settings.extraction_concurrency + 1, ROLE)
        self._tail = ExtractionsTail(settings, role=ROLE)
        reader = RequestReader(settings, self._topics)
        self._work = Work(settings, self._producer, self._tail, reader, extractor)
        self._admission = Admission()
        self._owned: dict[int, OwnedPartition] = {}
        self._in_work: dict[asyncio.Task[None], Queued] = {}
        self._wake = asyncio.Event()
        self._stopping = False
        self._paused = False
        self._fault: BaseException | None = None

    async def start(self) -> None:
        """Connect and join the group. Raises BrokerUnavailable."""
        self._health.set_unready("joining the group")
        await start(self._producer, self._settings)
        await self._tail.start()
        await start(self._consumer, self._settings)
        self._consumer.subscribe([self._topic], listener=_Rebalances(self))

    async def work_until(self, stop: asyncio.Event) -> None:
        """Poll, admit and commit until `stop`; then let the work in hand end. Raises the first fault of any task."""
        tasks: list[asyncio.Task[Any]] = [
            asyncio.create_task(self._poll_forever()),
            asyncio.create_task(self._admit_forever()),
            asyncio.create_task(self._tail.run()),
        ]
        stopped = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait([*tasks, stopped], return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                if task.done():
                    task.result()
            tasks[0].cancel()
            self._stopping = True
            await self._drain(list(self._owned.values()), min(_DRAIN_MOST_SECONDS, self._settings.stop_grace_seconds / 2))
        finally:
            for task in (*tasks, stopped):
                task.cancel()
            await asyncio.gather(*tasks, stopped, return_exceptions=True)

    async def stop(self) -> None:
        """Let all connections go."""
        for task in self._in_work:
            task.cancel()
        await asyncio.gather(*self._in_work, return_exceptions=True)
        await self._consumer.stop()
        await self._tail.stop()
        await self._topics.stop()
        await self._producer.stop()

    # --- polling -----------------------------------------------------------------------------------------------------------------

    async def _poll_forever(self) -> None:
        while True:
            fetched = await self._consumer.getmany(timeout_ms=_POLL_MS)
            for where, records in fetched.items():
                owned = self._owned.get(where.partition)
                if owned is not None:
                    for record in records:
                        await self._take(owned, record)
            WAITING.set(self._admission.waiting)
            self._pause_or_resume()
            await self._commit(list(self._owned.values()))
            self._health.beat()
            if self._fault is not None:
                raise self._fault

    async def _take(self, owned: OwnedPartition, record: Record) -> None:
        owned.window.add(record.offset)
        request = REQUESTS.decode(record.value)
        if isinstance(request, Undecodable):
            await self._producer.send_and_wait(self._dead_letters, encode(dead_letter(record, request)), key=record.key, partition=0)
            owned.window.done(record.offset)
            return
        if owned.ready is None:
            owned.ready = asyncio.create_task(owned.prepare(self._settings, self._topics, self._tail, request))
        self._admission.add(Queued(request, owned.partition, record.offset))
        self._wake.set()

    def _pause_or_resume(self) -> None:
        """Bound what waits in memory; polling goes on."""
        full = self._admission.waiting > (_WAITING_MOST // 2 if self._paused else _WAITING_MOST)
        assigned = self._consumer.assignment()
        if full and assigned:
            self._consumer.pause(*assigned)
        elif self._paused and assigned:
            self._consumer.resume(*assigned)
        self._paused = full

    async def _commit(self, owned: Collection[OwnedPartition]) -> None:
        offsets = {
            TopicPartition(self._topic, one.partition): offset
            for one in owned
            if (offset := one.window.committable()) is not None and offset != one.committed
        }
        if not offsets:
            return
        try:
            await self._consumer.commit(offsets)
        except (IllegalStateError, KafkaError) as error:
            # Another owner reads again from the last commit; nothing is lost, and what is recorded is not done again.
            _log.warning("commit refused", kind=type(error).__name__, partitions=len(offsets))
            return
        for where, offset in offsets.items():
            if where.partition in self._owned:
                self._owned[where.partition].committed = offset

    # --- working -----------------------------------------------------------------------------------------------------------------

    async def _admit_forever(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while len(self._in_work) < self._settings.extraction_concurrency and not self._stopping:
                queued = self._admission.admit()
                if queued is None:
                    break
                owned = self._owned[queued.partition]
                task = asyncio.create_task(self._extract(queued, owned))
                self._in_work[task] = queued
                task.add_done_callback(self._ended)

    async def _extract(self, queued: Queued, owned: OwnedPartition) -> None:
        assert owned.ready is not None
        await asyncio.shield(owned.ready)
        owned.closing.check()
        await self._work.extract(queued.request, queued.partition, owned.marks, owned.closing)
        owned.window.done(queued.offset)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        queued = self._in_work.pop(task)
        self._admission.ended(queued.request.agent)
        self._wake.set()
        if task.cancelled() or isinstance(task.exception(), GivenUp):
            return
        if task.exception() is not None and self._fault is None:
            self._fault = task.exception()

    # --- rebalances --------------------------------------------------------------------------------------------------------------

    async def take_over(self, partitions: Collection[int]) -> None:
        """Begin with these partitions."""
        for partition in partitions:
            self._owned[partition] = OwnedPartition(partition)
        self._paused = False
        self._health.set_ready()
        _log.info("partitions assigned", partitions=sorted(partitions))

    def fail(self, error: BaseException) -> None:
        """End the worker with this fault."""
        self._fault = self._fault or error

    async def give_up(self, partitions: Collection[int]) -> None:
        """End the work on these partitions, within a bounded time, and commit what is done."""
        owned = [self._owned[partition] for partition in partitions if partition in self._owned]
        await self._drain(owned, min(_DRAIN_MOST_SECONDS, self._settings.session_timeout_seconds))
        for one in owned:
            self._tail.leave(one.partition)
            self._owned.pop(one.partition, None)

    async def _drain(self, owned: Collection[OwnedPartition], seconds: float) -> None:
        partitions = {one.partition for one in owned}
        for one in owned:
            one.closing.closed = True
            self._admission.forget(one.partition)
            if one.ready is not None:
                one.ready.cancel()
        tasks = [task for task, queued in self._in_work.items() if queued.partition in partitions]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
            _log.info("work ended", requests=len(tasks), given_up=len(late))
        await self._commit(owned)


class _Rebalances(ConsumerRebalanceListener):  # type: ignore[misc]
    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    async def on_partitions_revoked(self, revoked: Collection[TopicPartition]) -> None:
        try:
            await self._worker.give_up({where.partition for where in revoked})
        except Exception as error:
            self._worker.fail(error)  # aiokafka only logs what a listener raises

    async def on_partitions_assigned(self, assigned: Collection[TopicPartition]) -> None:
        await self._worker.take_over({where.partition for where in assigned})
