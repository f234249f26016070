"""Reading ranges of single partitions again and again, over a few connections that stay open.

A read ends when the consumer's *position* has passed the end, not at an empty poll (F30). Ends are high watermarks: under
read_committed they would be the last stable offset, which may lie below what a producer was told to be written (A5).
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import OffsetOutOfRangeError

from streams.kafka.clients import make_consumer, start
from streams.kafka.errors import OffsetGone
from streams.kafka.reading import Record
from streams.settings import Settings

_POLL_MS = 500
_FETCH_WAIT_MS = 5  # only what is there is read


class TopicReader:
    """At most `at_once` reads run side by side, each on a consumer of its own; others wait for one. `topic` is a whole name."""

    def __init__(self, settings: Settings, at_once: int, role: str = "reader") -> None:
        self._settings = settings
        self._role = role
        self._slots = asyncio.Semaphore(at_once)
        self._idle: list[AIOKafkaConsumer] = []

    async def end(self, topic: str, partition: int) -> int:
        """Give the high watermark of a partition, exclusive."""
        where = TopicPartition(topic, partition)
        async with self._lent() as consumer:
            return int((await consumer.end_offsets([where]))[where])

    async def offset_at(self, topic: str, partition: int, time_ms: int) -> int:
        """Give the first offset whose append time is `time_ms` or later; the partition's end if there is none."""
        where = TopicPartition(topic, partition)
        async with self._lent() as consumer:
            found = (await consumer.offsets_for_times({where: max(0, time_ms)}))[where]
            return int(found.offset if found is not None else (await consumer.end_offsets([where]))[where])

    async def read_all(self, topic: str, partition: int, take: Callable[[Record], None]) -> None:
        """Give `take` every record up to the end as it is at the call, in order."""
        where = TopicPartition(topic, partition)
        async with self._lent() as consumer:
            first = (await consumer.beginning_offsets([where]))[where]
            end = (await consumer.end_offsets([where]))[where]
        await self.read(topic, partition, first, end, take)

    async def read(self, topic: str, partition: int, first: int, last_exclusive: int, take: Callable[[Record], None]) -> None:
        """Give `take` every record from offset `first` up to, and without, `last_exclusive`, in order.

        Raises OffsetGone if the beginning of the range is in the partition no longer, or never was.
        """
        if first >= last_exclusive:
            return
        where = TopicPartition(topic, partition)
        async with self._lent() as consumer:
            consumer.assign([where])
            await consumer._client.force_metadata_update()
            consumer.seek(where, first)
            try:
                while await consumer.position(where) < last_exclusive:
                    for records in (await consumer.getmany(where, timeout_ms=_POLL_MS)).values():
                        for record in records:
                            if record.offset < last_exclusive:
                                take(record)
            except OffsetOutOfRangeError as error:
                raise OffsetGone(
                    f"Offset {first} of {topic}, partition {partition}, is not there: {error}. Nothing was read instead; "
                    "bring back the records that the topic has lost."
                ) from error
            consumer.unsubscribe()  # nothing is fetched ahead while it is idle

    async def stop(self) -> None:
        """Let the connections go."""
        while self._idle:
            await self._idle.pop().stop()

    @asynccontextmanager
    async def _lent(self) -> AsyncIterator[AIOKafkaConsumer]:
        async with self._slots:
            new = not self._idle
            consumer = make_consumer(self._settings, fetch_wait_ms=_FETCH_WAIT_MS, role=self._role) if new else self._idle.pop()
            try:
                if new:
                    await start(consumer, self._settings)
                yield consumer
            except BaseException:
                # Left in the middle of a read by a fault or a cancellation: not lent again.
                await consumer.stop()
                raise
            self._idle.append(consumer)
