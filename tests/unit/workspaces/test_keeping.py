"""Which workspaces are written when: attached ones at a revision, later ones at once, failed ones again [W5, W7, W8]."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from schemas.events import MemoryMode
from schemas.memory import AgentMemory, KnownRoom, KnownWorkspace
from schemas.workspaces import WorkspaceResult
from streams.audit.outcomes import last_outcome
from streams.settings import Settings, load_settings
from streams.workspaces.keeping import WorkspaceKeeper
from streams.workspaces.render import render
from tests.kafka.producing import until
from tests.unit.workspaces.memories import a_line, a_memory, a_section
from tests.unit.workspaces.test_writer import stands


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "workspaces").mkdir()
    return load_settings(data_directory=tmp_path / "data", workspaces_directory=tmp_path / "workspaces")


def owned(version: int = 1, agent: str = "agent", room_mode: MemoryMode = MemoryMode.SHARED, **attached: bool) -> AgentMemory:
    """A memory whose version shows in its text, with workspaces by name that are attached or not."""
    memory = a_memory(a_section(1, a_line(1, f"Text of {agent} in version {version}.")), version=version, agent=agent)
    workspaces = {
        name: KnownWorkspace(agent=agent, workspace=name, path=name, room="room-1", attached=yes) for name, yes in attached.items()
    }
    return replace(memory, workspaces=workspaces, rooms={"room-1": KnownRoom(agent=agent, room="room-1", memory=room_mode)})


class Keeping:
    """A keeper whose clock the test moves."""

    def __init__(self, settings: Settings) -> None:
        self.root = settings.workspaces_directory
        self.keeper = WorkspaceKeeper(settings)

    async def take(self, memory: AgentMemory) -> None:
        self.keeper.update(memory.state.agent, memory)
        await self.go_on()

    async def go_on(self, later_seconds: float = 0.0) -> None:
        self.keeper.start_due(asyncio.get_running_loop().time() + later_seconds)
        while tasks := [task for desk in self.keeper._desks.values() if (task := desk.task)]:
            await asyncio.wait(tasks)


@pytest.fixture
async def keeping(settings: Settings) -> Any:
    made = Keeping(settings)
    yield made
    await made.keeper.close(5)


async def test_all_attached_workspaces_hold_the_newest_revision_W1(keeping: Keeping) -> None:
    await keeping.take(owned(1, one=True, two=True))
    await keeping.take(owned(2, one=True, two=True))
    assert stands(keeping.root, "one") == stands(keeping.root, "two") == render(owned(2))
    assert keeping.keeper.settled


async def test_a_workspace_attached_later_gets_the_current_memory_and_a_detached_one_is_left_alone_W5(keeping: Keeping) -> None:
    await keeping.take(owned(1, one=True))
    await keeping.take(owned(1, one=True, two=True))
    assert stands(keeping.root, "two") == render(owned(1))
    await keeping.take(owned(2, one=False, two=True))
    assert stands(keeping.root, "one") == render(owned(1))
    assert stands(keeping.root, "two") == render(owned(2))
    await keeping.take(owned(2, one=True, two=True))
    assert stands(keeping.root, "one") == render(owned(2))


async def test_a_folder_that_fails_stops_that_workspace_only_and_is_tried_again_W7(keeping: Keeping) -> None:
    (keeping.root / "one").write_text("a file where a folder must be")
    await keeping.take(owned(1, one=True, two=True))
    assert stands(keeping.root, "two") == render(owned(1))
    assert not keeping.keeper.settled
    (keeping.root / "one").unlink()
    await keeping.go_on()
    assert not (keeping.root / "one").exists(), "it waits before it tries again"
    await keeping.go_on(later_seconds=1.5)
    assert stands(keeping.root, "one") == render(owned(1))
    assert keeping.keeper.settled


async def test_a_write_error_is_healed_by_the_next_try_W7(keeping: Keeping, monkeypatch: pytest.MonkeyPatch) -> None:
    await keeping.take(owned(1, one=True))

    def full_disk(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("streams.workspaces.durable.os.write", full_disk)
        await keeping.take(owned(2, one=True))
    assert stands(keeping.root, "one") == render(owned(1))
    await keeping.go_on(later_seconds=1.5)
    assert stands(keeping.root, "one") == render(owned(2))


async def test_a_memory_that_cannot_be_rendered_stops_nobody_else_C13(keeping: Keeping) -> None:
    odd = owned(1, "odd", one=True)
    await keeping.take(replace(odd, sections=(None,)))  # type: ignore[arg-type]
    await keeping.take(owned(1, "good", two=True))
    assert stands(keeping.root, "two") == render(owned(1, "good"))
    assert not keeping.keeper.settled


async def test_an_unsafe_path_stops_nobody_else_W5(keeping: Keeping) -> None:
    memory = owned(1, good=True)
    bad = KnownWorkspace(agent="agent", workspace="bad", path="../../outside")
    await keeping.take(replace(memory, workspaces={"bad": bad, **memory.workspaces}))
    assert stands(keeping.root, "good") == render(owned(1))
    assert not (keeping.root.parent / "outside").exists()


async def test_a_folder_that_another_agent_holds_is_refused_until_it_is_left_W5_R5(keeping: Keeping) -> None:
    await keeping.take(owned(5, "first", desk=True))
    await keeping.take(owned(1, "second", desk=True))
    assert stands(keeping.root, "desk") == render(owned(5, "first"))
    await keeping.take(owned(5, "first", desk=False))
    await keeping.go_on(later_seconds=5)
    assert stands(keeping.root, "desk") == render(owned(1, "second"))


@dataclass(frozen=True)
class Noted:
    """How it last went with a workspace, as it is noted for others."""

    settings: Settings
    agent: str
    workspace: str
    path: str

    async def becomes(self, result: WorkspaceResult, version: int, reason: str = "") -> None:
        await until(lambda: self._is(result, version, reason), f"{result} to be noted")

    def _is(self, result: WorkspaceResult, version: int, reason: str) -> bool:
        outcome = last_outcome(self.settings.data_directory, self.agent, self.workspace, self.path)
        return outcome is not None and (outcome.result, outcome.version) == (result, version) and reason in outcome.reason


async def test_it_is_noted_which_version_was_written_and_why_a_later_one_was_not_W7(settings: Settings, keeping: Keeping) -> None:
    noted = Noted(settings, "agent", "desk", "desk")
    await keeping.take(owned(1, desk=True))
    await noted.becomes(WorkspaceResult.WRITTEN, 1)
    folder = keeping.root / "desk/agent-memory"
    folder.rename(keeping.root / "elsewhere")
    folder.write_text("a file where a folder must be")
    await keeping.take(owned(2, desk=True))
    await noted.becomes(WorkspaceResult.FAILED, 1, "A link or a file stands where the workspace needs a folder")
    folder.unlink()
    await keeping.go_on(later_seconds=1.5)
    await noted.becomes(WorkspaceResult.WRITTEN, 2)


async def test_a_refused_workspace_is_noted_with_its_reason_W5(settings: Settings, keeping: Keeping) -> None:
    bad = KnownWorkspace(agent="agent", workspace="bad", path="../../outside")
    await keeping.take(replace(owned(1), workspaces={"bad": bad}))
    await Noted(settings, "agent", "bad", bad.path).becomes(WorkspaceResult.REFUSED, 0, "upwards")
    await keeping.take(owned(1, "first", desk=True))
    await keeping.take(owned(1, "second", desk=True))
    await Noted(settings, "second", "desk", "desk").becomes(WorkspaceResult.REFUSED, 0, "belongs to another agent (first)")
    await Noted(settings, "first", "desk", "desk").becomes(WorkspaceResult.WRITTEN, 1)


async def test_two_workspaces_of_one_agent_may_lie_in_one_folder(keeping: Keeping) -> None:
    memory = owned(1, desk=True)
    twice = {**memory.workspaces, "again": KnownWorkspace(agent="agent", workspace="again", path="./desk")}
    await keeping.take(replace(memory, workspaces=twice))
    assert keeping.keeper.settled
    assert stands(keeping.root, "desk") == render(owned(1))


async def test_a_room_whose_mode_is_off_has_no_folder_W8(keeping: Keeping) -> None:
    await keeping.take(owned(1, desk=True, room_mode=MemoryMode.OFF))
    assert not (keeping.root / "desk").exists()
    await keeping.take(owned(1, desk=True))
    assert stands(keeping.root, "desk") == render(owned(1))
    await keeping.take(owned(1, desk=True, room_mode=MemoryMode.OFF))
    assert stands(keeping.root, "desk") == {}


async def test_a_deleted_agent_s_folder_is_empty_and_free_C11(keeping: Keeping) -> None:
    await keeping.take(owned(1, "first", desk=True))
    gone = owned(2, "first", desk=True)
    await keeping.take(replace(gone, state=gone.state.model_copy(update={"deleted": True})))
    assert stands(keeping.root, "desk") == {}
    await keeping.take(owned(1, "second", desk=True))
    assert stands(keeping.root, "desk") == render(owned(1, "second"))


async def test_nothing_is_written_again_for_news_that_change_no_file_C2(keeping: Keeping, monkeypatch: pytest.MonkeyPatch) -> None:
    await keeping.take(owned(1, desk=True))
    writes: list[object] = []
    monkeypatch.setattr(keeping.keeper, "_write", lambda *arguments: writes.append(arguments))
    memory = owned(1, desk=True)
    await keeping.take(replace(memory, state=memory.state.model_copy(update={"busy": True, "cut_done": 9})))
    assert writes == []


@pytest.fixture
def logged(capsys: pytest.CaptureFixture[str]) -> Callable[[], str]:
    return lambda: "".join(capsys.readouterr())


async def test_no_path_and_no_text_is_logged_S3(settings: Settings, keeping: Keeping, logged: Callable[[], str]) -> None:
    import structlog

    structlog.reset_defaults()
    (keeping.root / "Secret Project").write_text("in the way")
    memory = owned(1)
    known = KnownWorkspace(agent="agent", workspace="w-1", path="Secret Project/desk")
    await keeping.take(replace(memory, workspaces={"w-1": known}))
    text = logged()
    assert "workspace not written" in text
    assert "Secret" not in text and "Text of agent" not in text
    (keeping.root / "Secret Project").unlink()
    keeping.root.rmdir()
    await keeping.go_on(later_seconds=1.5)
    text = logged()
    assert "No such file or directory" in text
    assert str(keeping.root) not in text
