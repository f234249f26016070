"""Running the command line in a process that can reach nothing but loopback: whatever else it tries ends it."""

import asyncio
import os
import sys
from pathlib import Path

from streams.settings import Settings

_GUARD = """
import sys

_LOOPBACK = ("127.", "::1", "localhost")


def _guard(event, arguments):
    if event == "socket.connect" or event == "socket.sendto":
        address = arguments[1]
        if isinstance(address, tuple) and not str(address[0]).startswith(_LOOPBACK):
            raise RuntimeError(f"the network is cut off: {event} {address[0]}")
    elif event == "socket.getaddrinfo" and arguments[0] is not None and not str(arguments[0]).startswith(_LOOPBACK):
        raise RuntimeError(f"the network is cut off: {event} {arguments[0]}")


sys.addaudithook(_guard)
"""


def cut_off(folder: Path) -> str:
    """Write the guard into this folder; give the PYTHONPATH under which every Python process is held by it."""
    guard = folder / "guard"
    guard.mkdir(exist_ok=True)
    (guard / "sitecustomize.py").write_text(_GUARD)
    return f"{guard}{os.pathsep}{Path.cwd()}"


async def run_guarded(settings: Settings, folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Run Python with these arguments; give exit code, standard output and standard error."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("LINGER_MEMORY_")},
        "PYTHONPATH": cut_off(folder),
        "LINGER_MEMORY_BOOTSTRAP_SERVERS": settings.bootstrap_servers or "",
        "LINGER_MEMORY_TOPIC_PREFIX": settings.topic_prefix,
        "LINGER_MEMORY_PARTITIONS": str(settings.partitions),
        "LINGER_MEMORY_DATA_DIRECTORY": str(settings.data_directory),
        "LINGER_MEMORY_WORKSPACES_DIRECTORY": str(settings.workspaces_directory),
        "LINGER_MEMORY_SESSION_TIMEOUT_SECONDS": str(settings.session_timeout_seconds),
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), 60)
    except TimeoutError:
        process.kill()
        raise
    return process.returncode or 0, out.decode(), err.decode()


async def command(settings: Settings, folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Run `linger-memory` with these arguments."""
    return await run_guarded(settings, folder, "-m", "streams.cli.main", *arguments)


def files_below(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
