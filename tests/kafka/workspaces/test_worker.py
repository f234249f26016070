"""From committed records of `memory` to files, also when the worker is killed in the middle [W1, W4, W5, C10]."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from schemas.memory import AgentMemory
from streams.observability.health import Health
from streams.settings import Settings
from streams.workspaces.render import render
from streams.workspaces.worker import run
from tests.kafka.producing import until
from tests.kafka.workspaces.memory_topic import MemoryTopic, remembering
from tests.unit.workspaces.test_writer import stands

pytestmark = pytest.mark.usefixtures("topics")


@asynccontextmanager
async def working(settings: Settings) -> AsyncIterator[Health]:
    """The worker, in this process, until the end of the block."""
    health, stop = Health("workspaces"), asyncio.Event()
    task = asyncio.create_task(run(settings, health, stop))
    try:
        await until(lambda: health.ready or task.done(), "the worker to be ready")
        yield health
    finally:
        stop.set()
        await asyncio.wait_for(task, 30)


def holds(settings: Settings, place: str, memory: AgentMemory) -> Callable[[], bool]:
    return lambda: stands(settings.workspaces_directory, f"team/{place}") == render(memory)


@pytest.mark.case("U14")
async def test_what_is_committed_stands_in_the_files_and_what_is_taken_back_never_does_U14_W1(settings: Settings) -> None:
    async with MemoryTopic(settings) as memories, working(settings):
        await memories.publish(AgentMemory(state=remembering(0).state.model_copy(update={"revised_at": None})))
        await memories.publish(remembering(1, desk=True), remembering(1, "other"))
        await until(holds(settings, "desk", remembering(1)), "the first revision")
        await memories.abort(remembering(2, text="Never said.", desk=True))
        await memories.publish(remembering(1, "later", table=True))
        await until(holds(settings, "table", remembering(1, "later")), "what was committed after it")
        assert holds(settings, "desk", remembering(1))()
        await memories.publish(remembering(3, desk=True))
        await until(holds(settings, "desk", remembering(3)), "the third revision")
        assert sorted(path.name for path in (settings.workspaces_directory / "team").iterdir()) == ["desk", "table"]


async def test_a_workspace_attached_later_gets_the_current_memory_and_a_detached_one_stays_W5(settings: Settings) -> None:
    async with MemoryTopic(settings) as memories, working(settings):
        await memories.publish(remembering(1, desk=True))
        await until(holds(settings, "desk", remembering(1)), "the first workspace")
        await memories.publish(remembering(1, desk=True, late=True))
        await until(holds(settings, "late", remembering(1)), "the workspace that came later")
        await memories.publish(remembering(2, desk=False, late=True))
        await until(holds(settings, "late", remembering(2)), "the second revision")
        assert stands(settings.workspaces_directory, "team/desk") == render(remembering(1))


async def test_a_start_reads_everything_and_mends_what_is_amiss_W4(settings: Settings) -> None:
    async with MemoryTopic(settings) as memories:
        await memories.publish(*(remembering(1, f"agent-{n}", **{f"desk-{n}": True}) for n in range(20)))
    async with working(settings):
        for n in range(20):
            await until(holds(settings, f"desk-{n}", remembering(1, f"agent-{n}")), f"workspace {n}")
    (settings.workspaces_directory / "team/desk-7/agent-memory/summary.md").unlink()
    async with working(settings):
        await until(holds(settings, "desk-7", remembering(1, "agent-7")), "the lost file")


def _start(settings: Settings, log: Path) -> subprocess.Popen[bytes]:
    """The role as a process of its own."""
    values = settings.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    environment = {**os.environ, **{f"LINGER_MEMORY_{name.upper()}": str(value) for name, value in values.items()}}
    with log.open("ab") as errors:
        return subprocess.Popen([sys.executable, "-m", "streams.cli.main", "run", "workspaces"], env=environment, stderr=errors)


@pytest.mark.case("U40")
@pytest.mark.case("U41")
async def test_a_worker_killed_again_and_again_leaves_whole_files_and_then_the_newest_U40_U41_W4(
    settings: Settings, tmp_path: Path
) -> None:
    places = {f"desk-{n}": True for n in range(6)}
    log = tmp_path / "worker.log"
    async with MemoryTopic(settings) as memories:
        await memories.publish(remembering(1, **places))
        version, known = 1, {1: render(remembering(1))}
        for _ in range(3):
            worker = _start(settings, log)
            try:
                # A kill counts when it falls between the first file of a revision and the last one.
                await until(_some_hold(settings, places, known[version]), "the worker to write", 60)
                version += 1
                known[version] = render(remembering(version, **places))
                await memories.publish(remembering(version, **places))
                await until(_some_hold(settings, places, known[version]), "the worker to write a new revision", 60)
            finally:
                os.kill(worker.pid, signal.SIGKILL)
                worker.wait(30)
            for place in places:
                _whole(settings, place, list(known.values()))
        starts = log.read_text().count("memory read")
        worker = _start(settings, log)
        await until(lambda: log.read_text().count("memory read") > starts, "the worker to start", 60)
        for place in places:
            await until(holds(settings, place, remembering(version)), f"{place} to hold the newest revision", 60)
        os.kill(worker.pid, signal.SIGTERM)
        assert worker.wait(40) == 0, log.read_text()[-2000:]
        assert "files differ" not in log.read_text()


def _some_hold(settings: Settings, places: dict[str, bool], files: dict[str, bytes]) -> Callable[[], bool]:
    team = settings.workspaces_directory / "team"
    return lambda: any(
        (file := team / place / "agent-memory/MEMORY.md").exists() and file.read_bytes() == files["MEMORY.md"] for place in places
    )


def _whole(settings: Settings, place: str, known: list[dict[str, bytes]]) -> None:
    now = stands(settings.workspaces_directory, f"team/{place}") if (settings.workspaces_directory / "team" / place).exists() else {}
    for name in ("MEMORY.md", "summary.md"):
        assert name not in now or now[name] in [files[name] for files in known], f"{name} is no file that ever was rendered"
    if "summary.md" in now:
        newest = next(index for index, files in enumerate(known) if files["summary.md"] == now["summary.md"])
        assert now["MEMORY.md"] in [files["MEMORY.md"] for files in known[newest:]], "summary.md is newer than its MEMORY.md"
