"""Whether a role lives and is ready, over HTTP on loopback: `/livez`, `/readyz`, `/metrics` (O2).

The main loop says that it goes on by `beat()`. If it has said nothing for `beat_timeout_seconds`, it hangs: `/livez` answers 503, and
whoever supervises the process (`up`, a kubelet) starts it anew. A loop that is blocked altogether does not answer at all, which is as good.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from streams.errors import LingerMemoryError
from streams.observability import metrics
from streams.settings import Settings


class HealthUnavailable(LingerMemoryError):
    """The health page can't listen on its address."""


class Health:
    """What one role says of itself. One object for each process; used from its event loop only."""

    def __init__(self, role: str, now_seconds: Callable[[], float] = time.monotonic) -> None:
        self.role = role
        self._now_seconds = now_seconds
        self._last_beat = now_seconds()
        self._reason = "starting"

    @property
    def ready(self) -> bool:
        """Whether the role does its work now."""
        return not self._reason

    @property
    def reason(self) -> str:
        """Why it is not ready, in words without any text of a record; empty if it is."""
        return self._reason

    @property
    def silent_seconds(self) -> float:
        """Seconds since the last beat, or since the start."""
        return self._now_seconds() - self._last_beat

    def set_ready(self) -> None:
        """Say that the role does its work."""
        self._reason = ""
        self.beat()

    def set_unready(self, reason: str) -> None:
        """Say why it can't, such as "the broker is away"; it still lives."""
        self._reason = reason or "not ready"

    def beat(self) -> None:
        """Say that the main loop goes on; called every few seconds, also while it starts or waits."""
        self._last_beat = self._now_seconds()


def health_application(settings: Settings, health: Health) -> web.Application:
    """Give the three pages. They hold no text, id or title, so they need no token (S1)."""
    registry = metrics.registry(health)

    async def livez(_: web.Request) -> web.Response:
        if health.silent_seconds > settings.beat_timeout_seconds:
            return web.Response(status=503, text=f"{health.role}: no beat for {health.silent_seconds:.0f} s\n")
        return web.Response(text="ok\n")

    async def readyz(_: web.Request) -> web.Response:
        if not health.ready:
            return web.Response(status=503, text=f"{health.role}: {health.reason}\n")
        return web.Response(text="ok\n")

    async def show_metrics(_: web.Request) -> web.Response:
        return web.Response(body=metrics.exposition(registry), headers={"Content-Type": metrics.CONTENT_TYPE})

    application = web.Application()
    application.router.add_get("/livez", livez)
    application.router.add_get("/readyz", readyz)
    application.router.add_get("/metrics", show_metrics)
    return application


@asynccontextmanager
async def health_pages(settings: Settings, health: Health) -> AsyncIterator[str | None]:
    """Serve the pages while the body runs; gives their address, None if `health_port` is 0. Raises HealthUnavailable."""
    if not settings.health_port:
        yield None
        return
    runner = web.AppRunner(health_application(settings, health), access_log=None)
    await runner.setup()
    try:
        address = f"{settings.health_host}:{settings.health_port}"
        try:
            await web.TCPSite(runner, settings.health_host, settings.health_port).start()
        except OSError as error:
            raise HealthUnavailable(
                f"The health page can't listen on {address} ({error.strerror}). "
                "Set LINGER_MEMORY_HEALTH_PORT to a free port, or to 0 for none."
            ) from None
        yield f"http://{address}"
    finally:
        await runner.cleanup()


async def serve_health(settings: Settings, health: Health) -> None:
    """Serve the pages until this task is cancelled. Raises HealthUnavailable."""
    async with health_pages(settings, health):
        await asyncio.Event().wait()
