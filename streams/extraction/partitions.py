"""A partition of `extraction-requests` while this worker has it."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta

import structlog

from schemas.base import Position
from schemas.codec import Undecodable
from schemas.dead_letters import DeadLetter
from schemas.extraction import ExtractionRequest
from streams.extraction.marks import MARKS_TOPIC, Marks
from streams.extraction.recording import Closing
from streams.extraction.tail import EXTRACTIONS_TOPIC, ExtractionsTail
from streams.extraction.topic_reader import TopicReader
from streams.kafka.commit_window import CommitWindow
from streams.kafka.reading import Record
from streams.kafka.topics import topic_name
from streams.settings import Settings

ROLE = "extraction"
REQUESTS_TOPIC = "extraction-requests"
_CLOCKS_APART = timedelta(hours=1)
"""Brokers' clocks are surely closer together."""

_log = structlog.get_logger()


@dataclass
class OwnedPartition:
    """What is known of it, from its assignment to its revocation."""

    partition: int
    marks: Marks = field(default_factory=Marks)
    window: CommitWindow = field(default_factory=CommitWindow)
    closing: Closing = field(default_factory=Closing)
    ready: "asyncio.Task[None] | None" = None
    """Loads the marks and what is recorded already; made at the first request."""
    committed: int | None = None

    async def prepare(self, settings: Settings, topics: TopicReader, tail: ExtractionsTail, first: ExtractionRequest) -> None:
        """Load the marks, then what is recorded of requests that are not committed: none of it is older than the first one's cut."""
        await topics.read_all(topic_name(settings, MARKS_TOPIC), self.partition, self.marks.take)
        extractions = topic_name(settings, EXTRACTIONS_TOPIC)
        since_ms = int((first.at - _CLOCKS_APART).timestamp() * 1000)
        begin = await topics.offset_at(extractions, self.partition, since_ms)
        end = await topics.end(extractions, self.partition)
        self.closing.check()
        tail.follow(self.partition, begin, self.marks)
        await tail.has_read(self.partition, end)
        _log.info("partition ready", partition=self.partition, read_from=begin, read_to=end)


def dead_letter(record: Record, why: Undecodable) -> DeadLetter:
    """Give the dead letter of a request that can't be decoded (E6)."""
    position = Position(topic=REQUESTS_TOPIC, partition=record.partition, offset=record.offset)
    return DeadLetter.about(record.value, position, why.reason, why.detail, role=ROLE, at_ms=record.timestamp)
