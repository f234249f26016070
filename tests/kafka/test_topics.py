"""Topics are ours: made with explicit settings, and a wrong one is named with the command that mends it [O3]."""

import asyncio
import os
import subprocess
import sys

import pytest
from aiokafka.admin import NewTopic

from streams.kafka.clients import admin
from streams.kafka.errors import TopicsWrong
from streams.kafka.reading import read_to_end
from streams.kafka.topics import all_topics, check_topics, create_topics, mend_topics, require_topics, topic_name
from streams.settings import Settings
from tests.kafka.producing import send


@pytest.mark.spec("O3")
async def test_created_topics_are_as_they_must_be_and_a_second_creation_does_nothing_O3(settings: Settings) -> None:
    assert len(await check_topics(settings)) == len(all_topics())
    assert len(await create_topics(settings)) == len(all_topics())
    assert await create_topics(settings) == []
    assert await check_topics(settings) == []
    await require_topics(settings)


@pytest.mark.spec("O3")
async def test_a_wrong_count_policy_and_time_stamp_type_are_each_refused_with_the_command_that_mends_them_O3(settings: Settings) -> None:
    messages, memory = topic_name(settings, "messages"), topic_name(settings, "memory")
    async with admin(settings) as client:
        await client.create_topics(
            [NewTopic(messages, 3, 1, topic_configs={"message.timestamp.type": "CreateTime"}), NewTopic(memory, 1, 1)]
        )
    await create_topics(settings)
    with pytest.raises(TopicsWrong) as refused:
        await require_topics(settings)
    text = str(refused.value)
    assert f"{messages} has 3 partitions where 4 must be" in text
    assert f"{messages} has message.timestamp.type=CreateTime where LogAppendTime must be" in text
    assert f"{memory} has cleanup.policy=delete where compact must be" in text
    assert "LINGER_MEMORY_PARTITIONS=3" in text and "linger-memory topics create --mend" in text
    own = {f"LINGER_MEMORY_{name.upper()}": str(value) for name, value in settings.model_dump(exclude_none=True).items()}
    command = [sys.executable, "-m", "streams.cli.main", "topics", "create"]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=60, check=False, env=os.environ | own)
    assert done.returncode == 1
    assert f"{messages} has 3 partitions where 4 must be" in done.stdout and "All topics are there" not in done.stdout


@pytest.mark.spec("O3")
async def test_mending_sets_what_is_wrong_and_keeps_what_else_was_set_O3(settings: Settings) -> None:
    memory = topic_name(settings, "memory")
    async with admin(settings) as client:
        await client.create_topics([NewTopic(memory, 1, 1, topic_configs={"segment.ms": "3600000"})])
    await create_topics(settings)
    assert await mend_topics(settings) == [memory]
    assert await check_topics(settings) == []
    assert await mend_topics(settings) == []
    async with admin(settings) as client:
        from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

        (response,) = await client.describe_configs([ConfigResource(ConfigResourceType.TOPIC, memory)])
    assert {entry[0]: entry[1] for entry in response.resources[0][4]}["segment.ms"] == "3600000"


@pytest.mark.spec("E6")
async def test_a_value_of_the_greatest_allowed_size_goes_through_producer_topic_and_reader_E6(
    settings: Settings, topics: tuple[str, ...]
) -> None:
    topic, value = topic_name(settings, "tool-calls"), bytes(settings.max_event_bytes)
    partition, offset = await send(settings, topic, value, key=b"agent", headers={"ce_id": b"x" * 1000})
    records = [record async for record in read_to_end(settings, topic, [partition])]
    assert [(record.offset, len(record.value)) for record in records] == [(offset, settings.max_event_bytes)]


@pytest.mark.spec("E1")
async def test_the_broker_stamps_the_append_time_whatever_the_producer_claims_E1(settings: Settings, topics: tuple[str, ...]) -> None:
    topic = topic_name(settings, "messages")
    await send(settings, topic, b"{}", key=b"agent", timestamp_ms=1_000)
    (record,) = [record async for record in read_to_end(settings, topic)]
    assert record.timestamp_type == 1 and record.timestamp > 1_000_000
