"""Work in the foreground that a signal ends in good order: first its own clean-up, at a second signal at once."""

import asyncio
import os
import signal
from collections.abc import Coroutine
from types import FrameType
from typing import Any


def in_foreground(work: Coroutine[Any, Any, int]) -> int:
    """Run `work` and give its exit code, or 128 and the signal's number if Ctrl-C, SIGTERM or SIGHUP ended it, after its clean-up.

    A second signal ends the process at once; children that hold a pipe of ours then end themselves. Only from the main thread.
    """
    ended_by = 0
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        task = loop.create_task(work)

        def on_signal(number: int, _: FrameType | None) -> None:
            nonlocal ended_by
            if ended_by:
                os._exit(128 + number)
            ended_by = number
            loop.call_soon_threadsafe(task.cancel)

        before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        try:
            return loop.run_until_complete(task)
        except asyncio.CancelledError:
            return 128 + ended_by if ended_by else 1
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
