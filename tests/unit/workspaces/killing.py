"""Runs a piece of work in a process of its own that kills itself at the n-th call to the system, as `kill -9` would."""

import fcntl
import json
import os
import signal
from collections.abc import Callable
from typing import Any

CALLS = ("open", "write", "fsync", "rename", "unlink", "mkdir", "rmdir")


def calls_of(work: Callable[[], object]) -> list[tuple[str, str]]:
    """The calls that the work makes, in a process of its own: the call's name and what it was called with first."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        trace: list[tuple[str, str]] = []
        _run(work, lambda name, arguments: trace.append((name, str(arguments[0]))))
        os.close(out)
        with open(into, "w") as pipe:
            json.dump(trace, pipe)
        os._exit(0)
    os.close(into)
    with open(out) as pipe:
        trace = [tuple(call) for call in json.load(pipe)]
    assert os.waitpid(child, 0)[1] == 0
    return trace


def killed_at(number: int, work: Callable[[], object]) -> bool:
    """Do the work in a process that dies at its call of this number, from 1, a write in its middle; give whether it came so far."""
    child = os.fork()
    if child == 0:
        seen = 0
        write = os.write

        def die(name: str, arguments: tuple[Any, ...]) -> None:
            nonlocal seen
            seen += 1
            if seen == number:
                if name == "write":
                    write(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            _run(work, die)
        except BaseException:
            os._exit(1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert status in (0, signal.SIGKILL), f"the work failed by itself (status {status})"
    return status != 0


def _run(work: Callable[[], object], before: Callable[[str, tuple[Any, ...]], None]) -> None:
    """Only ever called in a child, whose calls are changed for good."""

    def traced(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            before(name, arguments)
            return real(*arguments, **named)

        return call

    real = {name: getattr(os, name) for name in CALLS}
    lock = fcntl.flock
    for name in CALLS:
        setattr(os, name, traced(name, real[name]))
    fcntl.flock = traced("flock", lock)  # type: ignore[assignment]
    work()
    for name in CALLS:
        setattr(os, name, real[name])
