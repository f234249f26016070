"""The small log that the audit is tried on."""

from collections.abc import AsyncIterator

import pytest

from streams.kafka.clients import make_producer, start
from streams.settings import Settings
from tests.kafka.audit.small_log import SmallLog
from tests.kafka.audit.story import AGENT, tell_story


@pytest.fixture
async def empty_log(settings: Settings, topics: tuple[str, ...]) -> AsyncIterator[SmallLog]:
    """Topics without a record."""
    producer = make_producer(settings)
    await start(producer, settings)
    yield SmallLog(settings, producer)
    await producer.stop()


@pytest.fixture
async def small_log(empty_log: SmallLog) -> SmallLog:
    """One agent with two Rooms, three cuts and revisions, published."""
    await tell_story(empty_log, AGENT)
    await empty_log.publish()
    return empty_log
