"""One role in this process, from its first log line to its exit code (O2).

1. Log as JSON, take SIGTERM and SIGINT.
2. Serve the health page: a process that can't start is seen as alive and not ready, with the reason.
3. Check the topics: with wrong partitions a key would be looked for in the wrong one, so nothing is read before (O3).
4. Run the role till it returns after `stop`, or raises.
5. Exit with 0 after a clean stop, with 1 after a fault. What hangs at the end is cut off when the grace is over.
"""

import asyncio
import contextlib
import importlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable
from types import FrameType

import structlog

from streams.errors import LingerMemoryError
from streams.kafka.topics import require_topics
from streams.observability import logs
from streams.observability.health import Health, health_pages
from streams.settings import Settings

RoleRun = Callable[[Settings, Health, asyncio.Event], Awaitable[None]]

ROLES = {
    "activity": "streams.activity.app",
    "extraction": "streams.extraction.worker",
    "consolidation": "streams.consolidation.worker",
    "workspaces": "streams.workspaces.worker",
}
"""Each role and the module whose `run` it is, in the order in which an event meets them."""

_log = structlog.get_logger()


class RoleEnded(LingerMemoryError):
    """A role returned without having been asked to stop."""


def run_role(settings: Settings, role: str, run: RoleRun | None = None, *, end_with_stdin: bool = False) -> int:
    """Run a role until a signal ends it, and give the exit code: 0 clean, 1 fault.

    With `end_with_stdin` the end of standard input counts as SIGTERM: a parent that dies, even by SIGKILL, closes it. Only from the
    main thread.
    """
    logs.configure(settings, role)
    health = Health(role)
    with asyncio.Runner() as runner:
        stop = asyncio.Event()
        ending = _Ending(runner.get_loop(), stop, settings.stop_grace_seconds)
        signal.signal(signal.SIGTERM, ending.on_signal)
        signal.signal(signal.SIGINT, ending.on_signal)
        if end_with_stdin:
            threading.Thread(target=_terminate_at_end_of_stdin, daemon=True).start()
        try:
            runner.run(_serve(settings, health, stop, run or _load(role)))
        except (Exception, asyncio.CancelledError) as error:
            ending.start_grace()
            _log.error("role failed", exc_info=error)
            print(f"linger-memory: {_sentence(role, error)}", file=sys.stderr, flush=True)
            return 1
    _log.info("role stopped")
    return 0


def _load(role: str) -> RoleRun:
    run: RoleRun = importlib.import_module(ROLES[role]).run
    return run


async def _serve(settings: Settings, health: Health, stop: asyncio.Event, run: RoleRun) -> None:
    async with health_pages(settings, health) as address:
        _log.info("role starting", health=address, process=os.getpid())
        if await _topics_are_right(settings, stop):
            await run(settings, health, stop)
            if not stop.is_set():
                raise RoleEnded(f"The role {health.role} ended by itself; it must run until it is stopped. See its log.")


async def _topics_are_right(settings: Settings, stop: asyncio.Event) -> bool:
    """Raise TopicsWrong or BrokerUnavailable; False if a signal came first."""
    check = asyncio.create_task(require_topics(settings))
    stopped = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait((check, stopped), return_when=asyncio.FIRST_COMPLETED)
        if stop.is_set():
            return False
        await check
        return True
    finally:
        for task in (check, stopped):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, LingerMemoryError):
                await task


def _sentence(role: str, error: BaseException) -> str:
    if isinstance(error, LingerMemoryError):
        return str(error)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if f"{os.sep}streams{os.sep}" in frame.filename]
    where = f" in {frames[-1].filename}, line {frames[-1].lineno}" if frames else ""
    return f"The role {role} has failed: {type(error).__name__}{where}. What it had not finished is done again when it is started anew."


def _terminate_at_end_of_stdin() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


class _Ending:
    """The first signal asks the role to stop; a second one, or the end of the grace, ends the process at once.

    Plain signal handlers and a thread, not the event loop's: they also work when the loop is blocked.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, stop: asyncio.Event, grace_seconds: float) -> None:
        self._loop = loop
        self._stop = stop
        self._grace_seconds = grace_seconds
        self._asked = False

    def on_signal(self, number: int, _: FrameType | None) -> None:
        if self._asked:
            os._exit(128 + number)
        self._asked = True
        self.start_grace()
        with contextlib.suppress(RuntimeError):  # the loop is closed already: the process is at its end
            self._loop.call_soon_threadsafe(self._stop.set)

    def start_grace(self) -> None:
        """From now on the process lives no longer than the grace."""
        timer = threading.Timer(self._grace_seconds, self._cut_off)
        timer.daemon = True
        timer.start()

    def _cut_off(self) -> None:
        _log.error("grace exceeded", grace_seconds=self._grace_seconds)
        os._exit(1)
