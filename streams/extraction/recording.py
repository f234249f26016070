"""What is recorded of one request, and read back before the work goes on (X10)."""

from aiokafka import AIOKafkaProducer

from schemas.codec import encode
from schemas.extraction import AgentMark, ExtractionRecord, ExtractionRequest, SummaryMark
from streams.extraction.marks import MARKS_TOPIC, Marks, key_of
from streams.extraction.progress import Progress
from streams.extraction.tail import EXTRACTIONS_TOPIC, ExtractionsTail
from streams.kafka.topics import topic_name
from streams.settings import Settings


class GivenUp(Exception):
    """The partition belongs to another worker now, or this one is to stop: the request is delivered again."""


class Closing:
    """Says that the work on a partition is to end: what is in work stops at its next step."""

    def __init__(self) -> None:
        self.closed = False

    def check(self) -> None:
        """Raise GivenUp if the work is to end."""
        if self.closed:
            raise GivenUp


class RequestLog:
    """The records of one request's work, in its partition of `extractions`."""

    def __init__(
        self, settings: Settings, producer: AIOKafkaProducer, tail: ExtractionsTail, partition: int, request: ExtractionRequest
    ) -> None:
        self._producer, self._tail, self._partition, self._request = producer, tail, partition, request
        self._extractions = topic_name(settings, EXTRACTIONS_TOPIC)
        self._marks = topic_name(settings, MARKS_TOPIC)

    @property
    def progress(self) -> Progress:
        """How far the work has come, by what the log says."""
        return self._tail.progress(self._partition, self._request)

    async def record(self, record: ExtractionRecord) -> Progress:
        """Record, wait for the acknowledgement, and for the record to be read back; give what counts then. Raises GivenUp."""
        sent = await self._producer.send_and_wait(
            self._extractions, encode(record), key=self._request.agent.encode(), partition=self._partition
        )
        try:
            await self._tail.has_read(self._partition, sent.offset + 1)
        except KeyError:
            raise GivenUp from None
        return self.progress

    async def record_marks(self, marks: Marks, written: list[AgentMark | SummaryMark]) -> None:
        """Write the marks of a request that is done, in their order, and forget its progress."""
        for mark in written:
            await self._producer.send_and_wait(self._marks, encode(mark), key=key_of(mark), partition=self._partition)
            marks.put(mark)
        self._tail.finished(self._partition, self._request)
