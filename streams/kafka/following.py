"""Following one partition of a topic from its beginning on: all that is there now, and then what comes.

Position and end are compared, never records: a log may end in a transaction's marker, which is an offset without a record (F30).
"""

import asyncio
from collections.abc import Callable

from aiokafka import TopicPartition

from streams.kafka.clients import Isolation, make_consumer, start
from streams.kafka.errors import KafkaFault
from streams.kafka.reading import Record
from streams.kafka.topics import topic_name
from streams.settings import Settings

_POLL_MS = 200


class TopicFollower:
    """Partition 0 of a topic, named without prefix. One caller at a time reads; others wait for it.

    `take` gets every record once, in order, at once when it was fetched: a caller that is cancelled loses none.
    """

    def __init__(
        self,
        settings: Settings,
        name: str,
        take: Callable[[Record], None],
        *,
        isolation: Isolation = "read_uncommitted",
        role: str = "reader",
    ) -> None:
        self._settings = settings
        self._where = TopicPartition(topic_name(settings, name), 0)
        self._take = take
        self._consumer = make_consumer(settings, isolation=isolation, role=role)
        # A fetch waits at the broker for what comes, and so would a question behind it on the same connection.
        self._asking = make_consumer(settings, isolation=isolation, role=role)
        self._reading = asyncio.Lock()

    async def start(self) -> None:
        """Connect, and stand at the beginning. Raises BrokerUnavailable, KafkaFault if there is no such topic."""
        await start(self._asking, self._settings)
        await self._asking._client.add_topic(self._where.topic)
        if not self._asking.partitions_for_topic(self._where.topic):  # asked for an offset of it, the client would wait and try again
            raise KafkaFault(f"There is no topic {self._where.topic}; create it with `linger-memory topics create`.")
        await start(self._consumer, self._settings)
        self._consumer.assign([self._where])
        await self._consumer._client.force_metadata_update()
        self._consumer.seek(self._where, (await self._consumer.beginning_offsets([self._where]))[self._where])

    async def poll(self, timeout_seconds: float) -> None:
        """Take the next records, none if none come within the time-out."""
        async with self._reading:
            await self._fetch(int(timeout_seconds * 1000))

    async def catch_up(self, end: int | None = None) -> None:
        """Take all records up to the topic's end as it is at the call, under read_committed its last stable offset; or up to `end`."""
        if end is None:
            end = (await self._asking.end_offsets([self._where]))[self._where]
        async with self._reading:
            while await self._consumer.position(self._where) < end:
                await self._fetch(_POLL_MS)

    async def stop(self) -> None:
        """Let the connections go."""
        await self._consumer.stop()
        await self._asking.stop()

    async def _fetch(self, timeout_ms: int) -> None:
        for records in (await self._consumer.getmany(self._where, timeout_ms=timeout_ms)).values():
            for record in records:
                self._take(record)
