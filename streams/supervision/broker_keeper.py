"""Keeps the local broker for a parent: starts it, says so, and ends it when the parent ends, also when that was killed.

The broker itself knows nothing of a parent; this small process stands between. It talks in lines of JSON on its output: `progress`
for people, then `address`. A broker that ran before is used and left running.
"""

import json
import os
import select
import signal
import sys

from streams.errors import LingerMemoryError
from streams.folders import FolderUnusable
from streams.kafka import local_broker
from streams.kafka.errors import PortTaken
from streams.settings import load_settings

_LOOK_EVERY_SECONDS = 1.0
CANNOT_START = 3
"""The exit code that says that starting it again is no use."""


def main() -> int:
    """Give 0 when standard input has ended or SIGTERM came, 1 when the broker did not start or has ended by itself, 3 if it can't start."""
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        settings = load_settings()
        found = local_broker.running(settings) is not None
        address = local_broker.start(
            settings, timeout_seconds=settings.start_timeout_seconds, progress=lambda line: _say({"progress": line})
        )
        _say({"address": address})
        try:
            while not stopped and not _input_has_ended():
                if local_broker.running(settings) is None:
                    raise LingerMemoryError(f"The local broker has ended by itself; see {local_broker.log_file(settings)}.")
        finally:
            if not found:
                local_broker.stop(settings)
    except LingerMemoryError as error:
        print(f"linger-memory: {error}", file=sys.stderr, flush=True)
        return CANNOT_START if isinstance(error, PortTaken | FolderUnusable) else 1
    return 0


def _say(what: dict[str, str]) -> None:
    try:
        print(json.dumps(what), flush=True)
    except BrokenPipeError:  # the parent is gone; the end of input says so too
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _input_has_ended() -> bool:
    readable, _, _ = select.select([0], [], [], _LOOK_EVERY_SECONDS)
    return bool(readable) and not os.read(0, 4096)


if __name__ == "__main__":
    sys.exit(main())
