"""One child process: started, watched, started anew when it ends by itself, and ended with us.

A child has a session of its own, so that Ctrl-C in a terminal reaches only its parent, and a pipe of ours as standard input: when we
die, also by SIGKILL, the pipe closes and the child ends itself. It is signalled through its process object, never by a name, so a
process id that the system has given to another program is never hit.
"""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import aiohttp

from streams.errors import LingerMemoryError

_POLL_SECONDS = 0.2
_LIVENESS_EVERY_SECONDS = 5.0
_LIVENESS_MISSES = 3
_LONG_ENOUGH_SECONDS = 60.0  # ready for so long: the tries before are forgotten
_LOG_MAX_BYTES = 16 << 20


class ChildGaveUp(LingerMemoryError):
    """A child ended by itself too often in a row, or for good; the message has what it said last."""


@dataclass(frozen=True)
class Launch:
    """How to start a child once."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    log: Path
    """Its standard error, and its output if nobody reads that, are appended here."""
    health: str | None = None
    """Base address of its health page; None: it says itself when it is ready, see `on_output`."""


@dataclass
class Child:
    """`begin` starts it, `end` ends it; in between `task` keeps it running, and fails if that can't be done."""

    name: str
    launch: Callable[[], Launch]
    """Called before each start, so that a port that was taken is not taken again."""
    grace_seconds: float
    tries_max: int
    tell: Callable[[str], None]
    on_output: Callable[[str], bool] | None = None
    """Called with each line of its output; True once says that it is ready."""
    back_off_seconds: float = 0.5
    final_code: int | None = None
    """The exit code after which it is given up at once."""
    process: asyncio.subprocess.Process | None = None
    current: Launch | None = None
    became_ready: asyncio.Event = field(default_factory=asyncio.Event)
    starts: int = 0
    task: asyncio.Task[None] | None = None

    def begin(self) -> asyncio.Task[None]:
        """Start it, and give the task that keeps it running."""
        self.task = asyncio.create_task(self.keep_running(), name=self.name)
        return self.task

    async def end(self) -> None:
        """End it within its grace, by SIGTERM first."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait((self.task,))

    async def keep_running(self) -> None:
        """Start it, and again whenever it ends, with a growing pause.

        Raises ChildGaveUp after `tries_max` short lives in a row, or at once after `final_code`.
        """
        tries = 0
        while True:
            ready_since = None
            try:
                code, ready_since = await self._live()
            finally:
                self.became_ready.clear()
            if ready_since is not None and time.monotonic() - ready_since > _LONG_ENOUGH_SECONDS:
                tries = 0
            tries += 1
            if code == self.final_code:
                raise ChildGaveUp(f"{self.name} can't be started. {self.last_words()}".strip())
            if tries >= self.tries_max:
                raise ChildGaveUp(f"{self.name} has ended {tries} times in a row, last with {_in_words(code)}. {self.last_words()}".strip())
            pause = min(self.back_off_seconds * 2 ** (tries - 1), 30.0)
            self.tell(f"{self.name} has ended with {_in_words(code)}; it is started again in {pause:g} s (log: {self._log_path()})")
            await asyncio.sleep(pause)

    def last_words(self) -> str:
        """The last sentence for people in its log."""
        path = self._log_path()
        try:
            with path.open("rb") as file:
                file.seek(max(0, path.stat().st_size - 20_000))
                text = file.read().decode(errors="replace")
        except OSError:
            return ""
        _, found, sentence = ("\n" + text).rpartition("\nlinger-memory: ")
        return sentence.strip()[:2_000] if found else f"See {path}."

    def _log_path(self) -> Path:
        return self.current.log if self.current else Path()

    async def _live(self) -> tuple[int, float | None]:
        """One life; gives the exit code and since when it was ready. It is ended if this is cancelled."""
        self.current = launch = self.launch()
        self.starts += 1
        _rotate(launch.log)
        with _appending(launch.log) as log:
            self.process = process = await asyncio.create_subprocess_exec(
                *launch.command,
                env=dict(launch.environment),
                stdin=asyncio.subprocess.PIPE,
                stdout=log if self.on_output is None else asyncio.subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        reading = asyncio.create_task(self._read_output(process))
        try:
            ready_since = await self._watch(process, launch)
            return await process.wait(), ready_since
        finally:
            await self._end(process)
            reading.cancel()

    async def _read_output(self, process: asyncio.subprocess.Process) -> None:
        if process.stdout is None or self.on_output is None:
            return
        async for line in process.stdout:
            if self.on_output(line.decode(errors="replace").strip()):
                self.became_ready.set()

    async def _watch(self, process: asyncio.subprocess.Process, launch: Launch) -> float | None:
        """Return when it has ended; end it when it hangs. Gives since when it was ready."""
        ready_since: float | None = None
        misses, next_liveness = 0, time.monotonic() + _LIVENESS_EVERY_SECONDS
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=2.0)) as client:
            while process.returncode is None:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), _POLL_SECONDS)
                if process.returncode is not None:
                    break
                if (
                    launch.health is not None
                    and not self.became_ready.is_set()
                    and await _answers(client, f"{launch.health}/readyz") == 200
                ):
                    self.became_ready.set()
                if ready_since is None and self.became_ready.is_set():
                    ready_since = time.monotonic()
                # Before it is ready a page that does not answer is a process that is still being loaded; a 503 is a loop that hangs.
                if launch.health is not None and time.monotonic() >= next_liveness:
                    next_liveness = time.monotonic() + _LIVENESS_EVERY_SECONDS
                    status = await _answers(client, f"{launch.health}/livez")
                    failed = status == 503 or (status is None and ready_since is not None)
                    misses = misses + 1 if failed else 0
                    if misses >= _LIVENESS_MISSES:
                        self.tell(f"{self.name} hangs; it is killed")
                        _signal(process, signal.SIGKILL)
        return ready_since

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        """SIGTERM, its grace and two seconds, SIGKILL. A cancellation in between kills at once."""
        if process.returncode is not None:
            return
        _signal(process, signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), self.grace_seconds + 2.0)
        except (TimeoutError, asyncio.CancelledError) as interrupted:
            _signal(process, signal.SIGKILL)
            await process.wait()
            if isinstance(interrupted, asyncio.CancelledError):
                raise


async def _answers(client: aiohttp.ClientSession, address: str) -> int | None:
    try:
        async with client.get(address) as response:
            return response.status
    except (aiohttp.ClientError, OSError, TimeoutError):
        return None


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(number)


def _appending(log: Path) -> BinaryIO:
    """Open a log that only its owner may read."""
    return open(log, "ab", opener=lambda path, flags: os.open(path, flags, 0o600))


def _rotate(log: Path) -> None:
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > _LOG_MAX_BYTES:
        os.replace(log, log.with_suffix(log.suffix + ".1"))


def _in_words(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
