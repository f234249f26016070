"""What is recorded on `extractions`, read back by its writer: a worker goes on only from what stands there (X10).

A worker that was thought dead may still record something beside its successor, and for every reader the first plan, usable answer and end
count. So after recording, a worker waits until it has read its own record back, with all that lies before it, and takes what the log says.
One consumer reads the assigned partitions once, whatever the number of requests in work.
"""

import asyncio
from dataclasses import dataclass, field

from aiokafka import TopicPartition

from schemas.codec import Undecodable
from schemas.extraction import EXTRACTIONS, ExtractionRequest
from streams.extraction.marks import Marks
from streams.extraction.progress import Progress
from streams.kafka.clients import make_consumer, start
from streams.kafka.reading import Record
from streams.kafka.topics import topic_name
from streams.settings import Settings

EXTRACTIONS_TOPIC = "extractions"
_POLL_MS = 200
_FETCH_WAIT_MS = 20  # a partition whose records were just taken waits for the end of the fetch that asks for the others


@dataclass
class _Followed:
    """One partition: how far it is read, and the requests that are not finished."""

    marks: Marks
    next_offset: int
    requests: dict[str, Progress] = field(default_factory=dict)

    def take(self, record: Record) -> None:
        if record.offset < self.next_offset:
            return
        self.next_offset = record.offset + 1
        one = EXTRACTIONS.decode(record.value)
        if isinstance(one, Undecodable) or one.cut <= self.marks.agent(one.agent).cut:
            return
        known = self.requests.get(one.request) or Progress(one.request)
        self.requests[one.request] = known.after(one, record.offset)


class ExtractionsTail:
    """Follows `extractions` in the partitions that this worker has."""

    def __init__(self, settings: Settings, *, role: str = "reader") -> None:
        self._settings = settings
        self._topic = topic_name(settings, EXTRACTIONS_TOPIC)
        self._consumer = make_consumer(settings, fetch_wait_ms=_FETCH_WAIT_MS, role=role)
        self._followed: dict[int, _Followed] = {}
        self._changed = asyncio.Event()
        self._moved = asyncio.Condition()

    async def start(self) -> None:
        """Connect. Raises BrokerUnavailable."""
        await start(self._consumer, self._settings)

    async def stop(self) -> None:
        """Let the connection go."""
        await self._consumer.stop()

    def follow(self, partition: int, first: int, marks: Marks) -> None:
        """Read a partition from offset `first` on. Requests that its marks know as done are left out."""
        self._followed[partition] = _Followed(marks, first)
        self._changed.set()

    def leave(self, partition: int) -> None:
        """Read a partition no more."""
        if self._followed.pop(partition, None) is not None:
            self._changed.set()

    def progress(self, partition: int, request: ExtractionRequest) -> Progress:
        """Give how far the work on a request has come, by what is read."""
        return self._followed[partition].requests.get(request.id) or Progress(request.id)

    def finished(self, partition: int, request: ExtractionRequest) -> None:
        """Say that the request's marks are written: nothing of it is needed any more."""
        if partition in self._followed:
            self._followed[partition].requests.pop(request.id, None)

    async def has_read(self, partition: int, end: int) -> None:
        """Wait until all below offset `end` is read. Raises KeyError if the partition is left meanwhile."""
        async with self._moved:
            await self._moved.wait_for(lambda: partition not in self._followed or self._followed[partition].next_offset >= end)
        if partition not in self._followed:
            raise KeyError(partition)

    async def run(self) -> None:
        """Read for ever. Raises Kafka's errors."""
        while True:
            if self._changed.is_set():
                await self._assign()
            if not self._followed:
                await self._changed.wait()
                continue
            for where, records in (await self._consumer.getmany(timeout_ms=_POLL_MS)).items():
                if where.partition in self._followed:
                    for record in records:
                        self._followed[where.partition].take(record)
            await self._pass_markers()
            async with self._moved:
                self._moved.notify_all()

    async def _pass_markers(self) -> None:
        """An offset without a record, such as a transaction's marker, is passed as well (F30)."""
        for where in self._consumer.assignment():
            followed = self._followed.get(where.partition)
            if followed is not None and not self._changed.is_set():
                followed.next_offset = max(followed.next_offset, await self._consumer.position(where))

    async def _assign(self) -> None:
        self._changed.clear()
        partitions = {TopicPartition(self._topic, partition): one for partition, one in self._followed.items()}
        if partitions:
            self._consumer.assign(list(partitions))
            await self._consumer._client.force_metadata_update()
            for where, one in partitions.items():
                self._consumer.seek(where, one.next_offset)
        async with self._moved:
            self._moved.notify_all()  # who waits for a partition that is left
