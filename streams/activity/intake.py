"""A record of an input topic as an event, or as the dead letter that it makes (E1, E6). Never raises."""

from dataclasses import replace
from functools import lru_cache

from schemas.base import Position
from schemas.codec import ORIGINAL_TIME, Event, Undecodable, decode_event
from schemas.dead_letters import DeadLetter, DeadLetterClass
from schemas.events import ClockTicked
from streams.activity.redacting import redacted
from streams.kafka.chain import Record
from streams.kafka.partitioner import partition_for

ROLE = "activity"

_partition_for = lru_cache(maxsize=65_536)(partition_for)


class Intake:
    """Reads the records of one partition of an input topic (base name)."""

    def __init__(self, topic: str, partition: int, partitions: int, max_value_bytes: int) -> None:
        self.topic, self.partition = topic, partition
        self._partitions, self._max_value_bytes = partitions, max_value_bytes

    def read(self, record: Record) -> Event | DeadLetter:
        """Give the record's event, its names redacted, or why it is none. A tick has no key, so it must name the partition it lies in."""
        value = record.value
        if value is not None and len(value) > self._max_value_bytes:
            return self._dead(record, DeadLetterClass.TOO_LARGE, f"{len(value)} bytes, at most {self._max_value_bytes}")
        event = decode_event(self.topic, record.headers, record.key, value)
        if type(event) is Undecodable:
            return self._dead(record, event.reason, event.detail)
        assert type(event) is Event
        if type(event.data) is ClockTicked:
            if record.key is not None:
                return self._dead(record, DeadLetterClass.WRONG_KEY, "a tick has no key")
            right = event.data.partition
        else:
            right = _partition_for(record.key or b"", self._partitions)
        if right != self.partition:
            return self._dead(record, DeadLetterClass.WRONG_PARTITION, f"it belongs into partition {right} of {self._partitions}")
        data = redacted(event.data)
        return event if data is event.data else replace(event, data=data)

    def _dead(self, record: Record, reason: DeadLetterClass, detail: str) -> DeadLetter:
        position = Position(topic=self.topic, partition=self.partition, offset=record.offset)
        return DeadLetter.about(record.value, position, reason, detail, role=ROLE, at_ms=log_time(record))


def log_time(record: Record) -> int:
    """Give when a record was appended, in milliseconds: a copied one carries the original's time, which is not after its own (E1)."""
    time = record.timestamp
    for name, value in record.headers:
        if name == ORIGINAL_TIME and value.isdigit() and len(value) < 16:
            return min(int(value), time)
    return time
