"""Reading parts of a topic that end: a range of one partition, or all that is there now.

A read ends when the consumer's *position* has passed the end, never at an empty poll and never at the last record's offset: a log may
end in a transaction's marker, which is an offset without a record (F30).
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import TypeAlias

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import OffsetOutOfRangeError

from streams.kafka.clients import Isolation, make_consumer, start
from streams.kafka.errors import KafkaFault, OffsetGone
from streams.settings import Settings

Record: TypeAlias = "ConsumerRecord[bytes | None, bytes | None]"
_POLL_MS = 200


async def read_range(
    settings: Settings, topic: str, partition: int, first: int, last_exclusive: int, isolation: Isolation = "read_uncommitted"
) -> AsyncIterator[Record]:
    """Yield the records of a partition from offset `first` up to, and without, `last_exclusive`; `topic` is a whole name.

    Raises OffsetGone if a part of the range is not in the partition, no longer or, under this isolation, not yet.
    """
    if first >= last_exclusive:
        return
    where = TopicPartition(topic, partition)
    consumer = make_consumer(settings, isolation=isolation)
    try:
        await start(consumer, settings)
        await _assign(consumer, [where])
        beginning = (await consumer.beginning_offsets([where]))[where]
        end = (await consumer.end_offsets([where]))[where]
        if first < beginning or last_exclusive > end:
            raise OffsetGone(_not_there(topic, partition, first, last_exclusive, beginning, end))
        consumer.seek(where, first)
        async for record in _up_to(consumer, {where: last_exclusive}):
            yield record
    finally:
        await consumer.stop()


async def read_to_end(
    settings: Settings,
    topic: str,
    partitions: Iterable[int] | None = None,
    start_at: Mapping[int, int] | None = None,
    isolation: Isolation = "read_uncommitted",
) -> AsyncIterator[Record]:
    """Yield the records up to the end as it is at the call: by offset within a partition, in no order between partitions.

    `partitions`: all of them by default. `start_at`: the first offset of a partition; the beginning for one that it leaves out.
    Raises OffsetGone if a start lies outside of its partition, KafkaFault if the topic does not exist.
    """
    consumer = make_consumer(settings, isolation=isolation)
    try:
        await start(consumer, settings)
        wanted = await _partitions(consumer, topic, partitions)
        await _assign(consumer, wanted)
        beginnings, ends = await consumer.beginning_offsets(wanted), await consumer.end_offsets(wanted)
        for where in wanted:
            first = beginnings[where] if start_at is None else start_at.get(where.partition, beginnings[where])
            if not beginnings[where] <= first <= ends[where]:
                raise OffsetGone(_not_there(topic, where.partition, first, ends[where], beginnings[where], ends[where]))
            consumer.seek(where, first)
        async for record in _up_to(consumer, ends):
            yield record
    finally:
        await consumer.stop()


async def end_offsets(settings: Settings, topic: str, isolation: Isolation = "read_uncommitted") -> dict[int, int]:
    """Give the end of each partition, exclusive: the high watermark, or under read_committed the last stable offset."""
    consumer = make_consumer(settings, isolation=isolation)
    try:
        await start(consumer, settings)
        wanted = await _partitions(consumer, topic, None)
        return {where.partition: end for where, end in (await consumer.end_offsets(wanted)).items()}
    finally:
        await consumer.stop()


async def _up_to(consumer: AIOKafkaConsumer, ends: Mapping[TopicPartition, int]) -> AsyncIterator[Record]:
    unread = set(ends)
    while True:
        for where in sorted(unread):
            if await consumer.position(where) >= ends[where]:
                unread.remove(where)
                consumer.pause(where)
        if not unread:
            return
        try:
            fetched = await consumer.getmany(*unread, timeout_ms=_POLL_MS)
        except OffsetOutOfRangeError as error:
            raise OffsetGone(
                f"While reading, a record was removed from the topic: {error}. Read again from its present beginning."
            ) from error
        for where, records in fetched.items():
            for record in records:
                if record.offset < ends[where]:
                    yield record


async def _partitions(consumer: AIOKafkaConsumer, topic: str, partitions: Iterable[int] | None) -> list[TopicPartition]:
    # `partitions_for_topic` knows only topics that were subscribed to; this asks the broker.
    await consumer._client.add_topic(topic)
    known = consumer.partitions_for_topic(topic)
    if not known:
        raise KafkaFault(f"There is no topic {topic}; create it with `linger-memory topics create`.")
    wanted = sorted(known if partitions is None else set(partitions))
    absent = [number for number in wanted if number not in known]
    if absent:
        raise KafkaFault(f"Topic {topic} has no partition {absent[0]}; it has {len(known)}.")
    return [TopicPartition(topic, number) for number in wanted]


async def _assign(consumer: AIOKafkaConsumer, partitions: list[TopicPartition]) -> None:
    consumer.assign(partitions)
    await consumer._client.force_metadata_update()


def _not_there(topic: str, partition: int, first: int, last_exclusive: int, beginning: int, end: int) -> str:
    return (
        f"Offsets {first} to {last_exclusive} (exclusive) of {topic}, partition {partition}, were asked for, "
        f"but it holds {beginning} to {end} (exclusive). "
        "Older records were deleted or newer ones are not there yet; nothing was read instead."
    )
