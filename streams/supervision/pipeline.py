"""Everything on one machine: the local broker if none is named, the topics, and each role as a child process (O1).

1. One at a time for a data directory, by a lock: two would share group instances and transactional ids, and fence each other.
2. The broker, then the topics, checked: a role that finds them wrong would end at once.
3. The roles; each is started again when it ends by itself.
4. At the end the roles first, side by side, so that what they still write is taken; then the broker, if it was started here.
"""

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from streams.errors import LingerMemoryError
from streams.folders import DATA, WORKSPACES, make_folder
from streams.kafka.topics import create_topics, require_topics
from streams.settings import CONFIG_VARIABLE, PREFIX, Settings
from streams.supervision import locks
from streams.supervision.broker_keeper import CANNOT_START
from streams.supervision.child import Child, Launch
from streams.supervision.role import ROLES

T = TypeVar("T")
Tell = Callable[[str], None]


class AlreadyRunning(LingerMemoryError):
    """Another `up` or `demo` runs on this data directory."""


class NotReady(LingerMemoryError):
    """Something was not ready in time."""


@dataclass(frozen=True)
class Running:
    """What runs where."""

    settings: Settings
    """Those of the roles: with the address of the broker."""
    children: tuple[Child, ...]

    async def while_running(self, work: Coroutine[Any, Any, T]) -> T:
        """Give what this work gives. Raises ChildGaveUp as soon as something can't be kept running; the work is cancelled then."""
        task = asyncio.create_task(work)
        kept = [child.task for child in self.children if child.task is not None]
        try:
            await asyncio.wait((task, *kept), return_when=asyncio.FIRST_COMPLETED)
            for other in kept:
                if other.done():
                    other.result()
            return await task
        finally:
            task.cancel()
            await asyncio.wait((task,))


@asynccontextmanager
async def running(settings: Settings, tell: Tell) -> AsyncIterator[Running]:
    """Run everything while the body runs; all of it is ready then.

    Raises AlreadyRunning, FolderUnusable, NotReady, ChildGaveUp or a KafkaFault.
    """
    make_folder(settings.data_directory, DATA)
    make_folder(settings.workspaces_directory, WORKSPACES)
    for name in ("logs", "run"):
        make_folder(settings.data_directory / name, DATA, private=True)
    with locks.held(locks.everything(settings.data_directory)) as alone:
        if not alone:
            raise AlreadyRunning(
                f"Another linger-memory runs on {settings.data_directory}. End it, or name another data directory with --data."
            )
        await _without_roles(settings, tell)
        broker: tuple[Child, ...] = ()
        roles: tuple[Child, ...] = ()
        try:
            if settings.bootstrap_servers is None:
                address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
                broker = (_broker(settings, tell, address),)
                broker[0].begin()
                await Running(settings, broker).while_running(_in_time(address, settings, "the local broker"))
                settings = settings.model_copy(update={"bootstrap_servers": address.result()})
            created = await create_topics(settings)
            if created:
                tell("1 topic was created" if len(created) == 1 else f"{len(created)} topics were created")
            await require_topics(settings)
            roles = tuple(_role(settings, role, tell) for role in ROLES)
            for role in roles:
                role.begin()
            pipeline = Running(settings, (*broker, *roles))
            for role in roles:
                await pipeline.while_running(_in_time(role.became_ready.wait(), settings, role.name))
            yield pipeline
        finally:
            await asyncio.gather(*(role.end() for role in roles))
            for child in broker:
                await child.end()


async def _without_roles(settings: Settings, tell: Tell) -> None:
    """Wait until no role runs here; those of an `up` that was killed still end within their grace. Raises AlreadyRunning."""
    loop = asyncio.get_running_loop()
    deadline, told = loop.time() + settings.stop_grace_seconds + 2.0, False
    while left := [role for role in ROLES if locks.is_held(locks.of_role(settings, role))]:
        if loop.time() > deadline:
            raise AlreadyRunning(
                f"The role {left[0]} runs on {settings.data_directory} by itself, as instance {settings.instance}. End it, or start "
                "what is missing with `linger-memory run`."
            )
        if not told:
            tell(f"Waiting for {', '.join(left)} of before to end …")
            told = True
        await asyncio.sleep(0.2)


async def _in_time(what: Awaitable[T], settings: Settings, name: str) -> T:
    try:
        return await asyncio.wait_for(what, settings.start_timeout_seconds)
    except TimeoutError:
        raise NotReady(
            f"{name} was not ready within {settings.start_timeout_seconds:g} s; see {_log_of(settings, name)}. "
            "LINGER_MEMORY_START_TIMEOUT_SECONDS gives it longer."
        ) from None


def _broker(settings: Settings, tell: Tell, address: asyncio.Future[str]) -> Child:
    def on_output(line: str) -> bool:
        try:
            said = json.loads(line)
        except ValueError:
            return False
        if "progress" in said:
            tell(str(said["progress"]))
        if "address" in said and not address.done():
            address.set_result(str(said["address"]))
        return "address" in said

    def launch() -> Launch:
        command = (sys.executable, "-m", "streams.supervision.broker_keeper")
        return Launch(command, _environment(settings, "broker", 0), _log_of(settings, "broker"))

    return Child("broker", launch, 25.0, settings.start_tries_max, tell, on_output, final_code=CANNOT_START)


def _role(settings: Settings, role: str, tell: Tell) -> Child:
    def launch() -> Launch:
        port = _free_port(settings.health_host)
        command = (sys.executable, "-m", "streams.cli.main", "run", role, "--end-with-stdin")
        health = f"http://{settings.health_host}:{port}"
        return Launch(command, _environment(settings, role, port), _log_of(settings, role), health)

    return Child(role, launch, settings.stop_grace_seconds, settings.start_tries_max, tell)


def _log_of(settings: Settings, name: str) -> Path:
    return settings.data_directory / "logs" / f"{name.replace(' ', '-')}.jsonl"


def _environment(settings: Settings, name: str, health_port: int) -> dict[str, str]:
    """Give a child's environment: ours, with a settings file that has every setting, since an empty one can't be said by a variable."""
    values = settings.model_dump(exclude_none=True) | {"health_port": health_port}
    lines = [f"{key} = {json.dumps(str(value) if isinstance(value, Path) else value, ensure_ascii=False)}" for key, value in values.items()]
    file = settings.data_directory / "run" / f"{name}.toml"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    own = {PREFIX + field.upper() for field in Settings.model_fields}
    return {key: value for key, value in os.environ.items() if key not in own} | {CONFIG_VARIABLE: str(file)}


def _free_port(host: str) -> int:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port
