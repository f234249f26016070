"""Fixtures for tests on real Kafka, and the count of the tests that ran on it.

A test that wants a broker asks for `broker`, `settings` or `topics`. Where none can be had such a test fails; it is never skipped.
"""

import os
import re
import uuid
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path

import pytest

from streams.kafka import local_broker
from streams.kafka.clients import admin
from streams.kafka.topics import all_topics, create_topics, topic_name
from streams.settings import Settings, load_settings

TEST_BOOTSTRAP = "LINGER_MEMORY_TEST_BOOTSTRAP"
_ran_on_kafka: list[str] = []


@pytest.fixture(scope="session")
def broker_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of the session's own broker: free ports, a temporary folder."""
    return load_settings(data_directory=tmp_path_factory.mktemp("broker"), broker_port=0)


@pytest.fixture(scope="session")
def broker(broker_settings: Settings) -> Iterator[str]:
    """Address of a real broker: one of this session's own, or the one that LINGER_MEMORY_TEST_BOOTSTRAP names."""
    given = os.environ.get(TEST_BOOTSTRAP)
    if given:
        yield given
        return
    yield local_broker.start(broker_settings, timeout_seconds=120)
    local_broker.stop(broker_settings, deadline_seconds=0)


@pytest.fixture
def broker_logs(broker: str, broker_settings: Settings) -> Path:
    """Folder of the broker's log segments, one folder for each partition."""
    folder = broker_settings.data_directory / "broker" / "data"
    assert folder.is_dir(), f"this test reads the broker's own files, so it can't use {TEST_BOOTSTRAP}"
    return folder


@pytest.fixture
def settings(broker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings of one test: a topic prefix of its own on the shared broker, temporary folders, short times."""
    for name in [
        name for name in os.environ if name.startswith("LINGER_MEMORY_") and name not in (TEST_BOOTSTRAP, "LINGER_MEMORY_CI_MARK")
    ]:
        monkeypatch.delenv(name)
    return load_settings(
        bootstrap_servers=broker,
        topic_prefix=f"t{uuid.uuid4().hex[:8]}.",
        partitions=4,
        data_directory=tmp_path / "data",
        workspaces_directory=tmp_path / "workspaces",
        idle_after_seconds=2.0,
        run_timeout_seconds=600.0,
        tick_every_seconds=0.2,
        session_timeout_seconds=6.0,
        instance="0",
    )


@pytest.fixture
async def topics(settings: Settings) -> AsyncIterator[tuple[str, ...]]:
    """Whole names of all topics, created for this test and deleted after it."""
    await create_topics(settings)
    names = tuple(topic_name(settings, spec.name) for spec in all_topics())
    yield names
    async with admin(settings) as client:
        left = [name for name in await client.list_topics() if name.startswith(settings.topic_prefix)]
        if left:
            await client.delete_topics(left)


_NUMBER = re.compile(r"_([A-Z]\d{1,2})(?=_|\[|$)")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what a test's name says: the numbers of SPEC and CASES that it shows, so that `-m` can select by kind."""
    for item in items:
        for number in _NUMBER.findall(item.name):
            item.add_marker(pytest.mark.case(number) if number.startswith("U") else pytest.mark.spec(number))
        if "broker" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.kafka)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    try:
        yield
    except pytest.skip.Exception:
        raise
    except BaseException:
        _count(item)
        raise
    _count(item)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"{len(_ran_on_kafka)} tests ran on real Kafka")


def _count(item: pytest.Item) -> None:
    if "broker" in getattr(item, "fixturenames", ()):
        _ran_on_kafka.append(item.nodeid)
