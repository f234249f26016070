"""Small roles for tests of the process around a role; run as `python -m tests.unit.supervision.roles NAME`."""

import asyncio
import sys
import time

from streams.observability.health import Health
from streams.settings import Settings, load_settings
from streams.supervision import role


async def obedient(settings: Settings, health: Health, stop: asyncio.Event) -> None:
    """Says that it is ready, and ends when it is asked to."""
    health.set_ready()
    print("ready", flush=True)
    await stop.wait()


async def deaf(settings: Settings, health: Health, stop: asyncio.Event) -> None:
    """Never ends."""
    print("ready", flush=True)
    while True:
        await asyncio.Event().wait()


async def blocked(settings: Settings, health: Health, stop: asyncio.Event) -> None:
    """Blocks its event loop for ever."""
    print("ready", flush=True)
    while True:
        time.sleep(0.05)  # noqa: ASYNC251 (blocking the loop is what it is for)


async def faulty(settings: Settings, health: Health, stop: asyncio.Event) -> None:
    """Fails, with words of a record in its error."""
    raise ValueError("the swordfish record")


async def clinging(settings: Settings, health: Health, stop: asyncio.Event) -> None:
    """Fails, and leaves a task that can't be cancelled."""

    async def cling() -> None:
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                continue

    task = asyncio.create_task(cling())
    await asyncio.sleep(0)
    raise ValueError(task.get_name())


async def short(settings: Settings, health: Health, stop: asyncio.Event) -> None:
    """Ends without having been asked to."""


async def _no_topics(settings: Settings) -> None:
    """These roles read no topic."""


if __name__ == "__main__":
    role.require_topics = _no_topics
    sys.exit(role.run_role(load_settings(), "activity", globals()[sys.argv[1]], end_with_stdin="--end-with-stdin" in sys.argv))
