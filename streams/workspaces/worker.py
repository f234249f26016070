"""The role `workspaces`: follows `memory` and keeps the files of all attached workspaces at it (W1, W5).

1. All of `memory` is read, committed records only: what a workspace should hold is known before the first file is touched.
2. Every attached workspace is brought up to date, which heals what a killed writer left (W4).
3. What comes is followed; a workspace is written when its agent has a new revision or when it is attached.

It keeps no position: what stands on the disk says how far it is.
"""

import asyncio
import contextlib
import resource
from collections.abc import Coroutine
from typing import Any

import structlog

from streams.memory_follower import MemoryFollower
from streams.observability.health import Health
from streams.settings import Settings
from streams.workspaces.keeping import WorkspaceKeeper

_POLL_SECONDS = 0.5
_CLOSE_SECONDS = 10.0

_log = structlog.get_logger()


async def run(settings: Settings, health: Health, stop: asyncio.Event) -> None:
    """Follow `memory` until `stop`, then finish the writes that are running. Raises BrokerUnavailable at the start, KafkaError later."""
    _allow_many_open_files()
    settings.workspaces_directory.mkdir(parents=True, exist_ok=True)
    loop = asyncio.get_running_loop()
    follower = MemoryFollower(settings, role="workspaces")
    keeper = WorkspaceKeeper(settings)
    try:
        await _while_beating(follower.start(), health, stop)
        _log.info("memory read")
        while not stop.is_set():
            for agent in sorted(follower.changed()):
                keeper.update(agent, follower.memory(agent))
            keeper.start_due(loop.time())
            health.set_ready()
            await follower.poll(_POLL_SECONDS)
    finally:
        await keeper.close(min(_CLOSE_SECONDS, settings.stop_grace_seconds / 2))
        await follower.stop()


async def _while_beating(work: Coroutine[Any, Any, None], health: Health, stop: asyncio.Event) -> None:
    """Reading a long topic is no hanging, and need not be finished once `stop` is set."""
    task = asyncio.create_task(work)
    try:
        while not task.done() and not stop.is_set():
            health.beat()
            await asyncio.wait([task], timeout=_POLL_SECONDS)
        if task.done():
            task.result()
    finally:
        task.cancel()


def _allow_many_open_files() -> None:
    """Every workspace's lock is an open file."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
