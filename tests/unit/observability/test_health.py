"""The health page says whether a role lives and is ready; nothing on it is text of a conversation [O2, S1]."""

import asyncio
import socket
from collections.abc import AsyncIterator

import aiohttp
import pytest

from streams.observability.health import Health, HealthUnavailable, health_pages, serve_health
from streams.settings import Settings, load_settings


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def settings() -> Settings:
    return load_settings(health_port=free_port(), beat_timeout_seconds=10.0)


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.mark.spec("O2")
async def test_a_role_without_a_beat_for_too_long_fails_livez_and_lives_again_with_the_next_one_O2(
    settings: Settings, client: aiohttp.ClientSession
) -> None:
    clock = Clock()
    health = Health("extraction", clock)
    async with health_pages(settings, health) as address:
        clock.seconds += 9
        assert (await client.get(f"{address}/livez")).status == 200
        clock.seconds += 2
        failed = await client.get(f"{address}/livez")
        assert failed.status == 503
        assert "no beat for 11 s" in await failed.text()
        health.beat()
        assert (await client.get(f"{address}/livez")).status == 200


@pytest.mark.spec("O2")
async def test_readyz_says_why_a_role_is_not_ready_O2(settings: Settings, client: aiohttp.ClientSession) -> None:
    health = Health("activity")
    async with health_pages(settings, health) as address:
        assert (await client.get(f"{address}/readyz")).status == 503
        health.set_ready()
        assert (await client.get(f"{address}/readyz")).status == 200
        health.set_unready("the broker is away")
        answer = await client.get(f"{address}/readyz")
        assert (answer.status, await answer.text()) == (503, "activity: the broker is away\n")
        assert not health.ready


@pytest.mark.spec("O2")
async def test_metrics_show_readiness_by_role_O2(settings: Settings, client: aiohttp.ClientSession) -> None:
    health = Health("workspaces")
    health.set_ready()
    async with health_pages(settings, health) as address:
        text = await (await client.get(f"{address}/metrics")).text()
    assert 'linger_memory_ready{role="workspaces"} 1.0' in text
    assert "process_resident_memory_bytes" in text


@pytest.mark.spec("S1")
async def test_the_page_listens_on_loopback_only_S1(settings: Settings) -> None:
    assert load_settings().health_host == "127.0.0.1"
    async with health_pages(settings, Health("activity")):
        with socket.socket() as other, pytest.raises(OSError):
            other.bind(("127.0.0.1", settings.health_port))
        with socket.socket() as other:
            other.bind(("127.0.0.2", settings.health_port))  # a page on all addresses would hold this one too


@pytest.mark.spec("O2")
async def test_a_port_that_is_taken_is_said_in_a_sentence_O2(settings: Settings) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", settings.health_port))
        other.listen()
        with pytest.raises(HealthUnavailable, match="LINGER_MEMORY_HEALTH_PORT"):
            await serve_health(settings, Health("activity"))


@pytest.mark.spec("O2")
async def test_without_a_port_there_is_no_page_O2() -> None:
    async with health_pages(load_settings(), Health("activity")) as address:
        assert address is None
    await asyncio.sleep(0)
