"""Starting, killing and ending worker processes, each by its own process id."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from streams.settings import PREFIX, Settings

ROOT = Path(__file__).parents[3]


def environment(settings: Settings, **changed: object) -> dict[str, str]:
    """Give the environment that makes a process load these settings."""
    values = {name: value for name, value in settings.model_dump(mode="json").items() if value is not None} | changed
    clean = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    return clean | {PREFIX + name.upper(): str(value) for name, value in values.items()}


@dataclass(eq=False)
class Worker:
    """One worker process. Its log is a file, so that a full pipe never stops it."""

    instance: str
    process: asyncio.subprocess.Process
    log: Path

    async def kill(self) -> None:
        """SIGKILL, and wait for the end."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
        await self.process.wait()

    async def stop(self, deadline_seconds: float = 40.0) -> int:
        """SIGTERM; give the exit code."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(self.process.wait(), deadline_seconds)


class Workers:
    """The worker processes of one test; those that are left at its end are killed."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self.settings, self._folder = settings, folder
        self.all: list[Worker] = []

    async def start(self, instance: str = "0", **changed: object) -> Worker:
        log = self._folder / f"worker-{len(self.all)}.log"
        with log.open("wb") as file:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "tests.kafka.activity.worker",
                cwd=ROOT,
                env=environment(self.settings, instance=instance, **changed),
                stdout=file,
                stderr=file,
            )
        worker = Worker(instance, process, log)
        self.all.append(worker)
        return worker

    def running(self) -> list[Worker]:
        return [worker for worker in self.all if worker.process.returncode is None]

    async def show(self) -> str:
        """Give what the running ones wait for, and the ends of all logs, for a failure's message."""
        for worker in self.running():
            worker.process.send_signal(signal.SIGUSR1)
            worker.process.send_signal(signal.SIGUSR2)
        await asyncio.sleep(1)
        return self.logs()

    def logs(self) -> str:
        """Give the ends of all logs."""
        return "\n".join(f"--- {worker.log.name}\n{worker.log.read_text()[-6_000:]}" for worker in self.all)


@asynccontextmanager
async def workers_of(settings: Settings, folder: Path) -> AsyncIterator[Workers]:
    workers = Workers(settings, folder)
    try:
        yield workers
    finally:
        for worker in workers.running():
            await worker.kill()
