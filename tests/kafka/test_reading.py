"""A read ends at the end that it saw, and says so when a part is not there [T1, X1]."""

import pytest
from aiokafka import TopicPartition

from streams.kafka.clients import admin, make_consumer, make_transactional_producer, start
from streams.kafka.errors import BrokerUnavailable, KafkaFault, OffsetGone
from streams.kafka.reading import Record, end_offsets, read_range, read_to_end
from streams.kafka.topics import topic_name
from streams.settings import Settings
from tests.kafka.producing import Outgoing, send_all


async def _values(records: list[Record]) -> list[bytes | None]:
    return [record.value for record in records]


async def _fill(settings: Settings, topic: str, count: int, partition: int = 0) -> None:
    await send_all(settings, [Outgoing(topic, b"%d" % number, b"agent", partition) for number in range(count)])


@pytest.mark.spec("X1")
async def test_a_range_gives_each_of_its_records_once_and_no_other_X1(settings: Settings, topics: tuple[str, ...]) -> None:
    topic = topic_name(settings, "messages")
    await _fill(settings, topic, 50, partition=2)
    read = [record.offset async for record in read_range(settings, topic, 2, 7, 31)]
    assert read == list(range(7, 31))
    assert [record async for record in read_range(settings, topic, 2, 7, 7)] == []


async def test_a_range_beyond_the_end_is_an_error_and_not_a_short_answer(settings: Settings, topics: tuple[str, ...]) -> None:
    topic = topic_name(settings, "messages")
    await _fill(settings, topic, 3)
    with pytest.raises(OffsetGone, match="it holds 0 to 3"):
        async for _ in read_range(settings, topic, 0, 1, 4):
            pass


async def test_a_range_whose_beginning_was_deleted_is_an_error(settings: Settings, topics: tuple[str, ...]) -> None:
    from aiokafka.admin import RecordsToDelete

    topic = topic_name(settings, "messages")
    await _fill(settings, topic, 10)
    async with admin(settings) as client:
        await client.delete_records({TopicPartition(topic, 0): RecordsToDelete(before_offset=4)})
    with pytest.raises(OffsetGone, match="it holds 4 to 10"):
        async for _ in read_range(settings, topic, 0, 3, 10):
            pass
    with pytest.raises(OffsetGone):
        async for _ in read_to_end(settings, topic, [0], {0: 3}):
            pass
    assert [record.offset async for record in read_to_end(settings, topic, [0])] == [4, 5, 6, 7, 8, 9]


async def test_a_read_of_all_partitions_gives_every_record_in_the_order_of_its_partition(
    settings: Settings, topics: tuple[str, ...]
) -> None:
    topic = topic_name(settings, "tool-calls")
    for partition in (0, 1, 3):
        await _fill(settings, topic, 20, partition)
    seen: dict[int, list[int]] = {}
    async for record in read_to_end(settings, topic, start_at={1: 15}):
        seen.setdefault(record.partition, []).append(record.offset)
    assert seen == {0: list(range(20)), 1: list(range(15, 20)), 3: list(range(20))}


@pytest.mark.spec("T1")
async def test_a_read_to_the_end_ends_behind_a_transaction_marker_and_leaves_out_what_was_aborted_T1(
    settings: Settings, topics: tuple[str, ...]
) -> None:
    topic = topic_name(settings, "memory-candidates")
    producer = make_transactional_producer(settings, "consolidation-live")
    await start(producer, settings)
    async with producer.transaction():
        await producer.send_and_wait(topic, b"kept", key=b"agent")
    with pytest.raises(RuntimeError, match="give up"):
        async with producer.transaction():
            await producer.send_and_wait(topic, b"aborted", key=b"agent")
            raise RuntimeError("give up")
    await producer.stop()
    assert await end_offsets(settings, topic) == {0: 4}  # two records and two markers
    assert await _values([record async for record in read_to_end(settings, topic, isolation="read_committed")]) == [b"kept"]
    assert await _values([record async for record in read_range(settings, topic, 0, 0, 4, "read_committed")]) == [b"kept"]
    assert await _values([record async for record in read_to_end(settings, topic)]) == [b"kept", b"aborted"]


async def test_an_open_transaction_holds_back_the_committed_end_and_not_the_other(settings: Settings, topics: tuple[str, ...]) -> None:
    topic = topic_name(settings, "memory-candidates")
    producer = make_transactional_producer(settings, "consolidation-live")
    await start(producer, settings)
    async with producer.transaction():
        await producer.send_and_wait(topic, b"open", key=b"agent")
        assert await end_offsets(settings, topic) == {0: 1}
        assert await end_offsets(settings, topic, "read_committed") == {0: 0}
        assert [record async for record in read_to_end(settings, topic, isolation="read_committed")] == []
    await producer.stop()


async def test_an_absent_topic_partition_or_broker_is_named(settings: Settings, topics: tuple[str, ...]) -> None:
    with pytest.raises(KafkaFault, match=r"no topic .*absent"):
        async for _ in read_to_end(settings, topic_name(settings, "absent")):
            pass
    with pytest.raises(KafkaFault, match="no partition 9"):
        async for _ in read_to_end(settings, topic_name(settings, "messages"), [9]):
            pass
    away = settings.model_copy(update={"bootstrap_servers": "127.0.0.1:1"})
    consumer = make_consumer(away)
    with pytest.raises(BrokerUnavailable, match=r"127\.0\.0\.1:1"):
        await start(consumer, away)
    await consumer.stop()
