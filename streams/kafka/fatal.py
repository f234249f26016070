"""Ending the process at once, where going on or unwinding would lose a record.

An exception that leaves the body of a Faust agent acknowledges the message (F02), and a worker that has lost its partitions may still
write (a zombie). Ending without any clean-up leaves all to the redelivery, which loses and doubles nothing.
"""

import os
import sys
import threading
import time
from typing import NoReturn

import structlog

EXIT_FATAL = 70
"""Exit code of a process that ended itself so (EX_SOFTWARE)."""

_log = structlog.get_logger(__name__)


def leave(what: str, error: BaseException | None = None, **where: object) -> NoReturn:
    """End the process with code 70 after one log line: ids, positions and counts only. Whoever supervises it starts it anew."""
    try:
        _log.critical(what, exc_info=error, **where)
        sys.stderr.flush()
    finally:
        os._exit(EXIT_FATAL)


class Watchdog:
    """Ends the process if work takes longer than it may. A thread, so that it also sees an event loop that hangs or was stopped."""

    def __init__(self, check_every_seconds: float = 1.0) -> None:
        self._due: dict[object, tuple[float, str]] = {}
        self._check_every_seconds = check_every_seconds
        self._thread: threading.Thread | None = None

    def watch(self, work: object, what: str, seconds: float) -> None:
        """Begin to watch `work`, which may take so long."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
            self._thread.start()
        self._due[work] = (time.monotonic() + seconds, what)

    def overdue(self, work: object) -> bool:
        """Say whether this work is past its deadline: it must not publish any more."""
        due = self._due.get(work)
        return due is not None and time.monotonic() > due[0]

    def release(self, work: object) -> None:
        """Say that the work has ended in time."""
        self._due.pop(work, None)

    def _run(self) -> None:
        while True:
            time.sleep(self._check_every_seconds)
            now = time.monotonic()
            for due, what in list(self._due.values()):
                if now > due:
                    leave("work took longer than it may", work=what, late_seconds=round(now - due, 1))
