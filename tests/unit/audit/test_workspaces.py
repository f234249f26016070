"""Which files `verify` judges: those that were written, as the outcomes tell [T6, W5]."""

from dataclasses import replace
from pathlib import Path

import pytest

from schemas.ids import digest
from schemas.memory import AgentMemory, KnownWorkspace
from schemas.workspaces import WorkspaceOutcome, WorkspaceResult
from streams.audit.invariants.files import judge_workspaces
from streams.audit.invariants.violation import Violation
from streams.workspaces.outcomes import note_outcome
from streams.workspaces.render import render
from tests.unit.workspaces.memories import BEGINNING, a_line, a_memory, a_section


def _attached(path: str) -> AgentMemory:
    memory = a_memory(a_section(1, a_line(1)))
    state = memory.state.model_copy(update={"files": {name: digest(content) for name, content in render(memory).items()}})
    return replace(memory, state=state, workspaces={"w-1": KnownWorkspace(agent="agent", workspace="w-1", path=path)})


def _noted(data: Path, result: WorkspaceResult, version: int, reason: str = "", path: str = "desk") -> None:
    note_outcome(
        data,
        WorkspaceOutcome(agent="agent", workspace="w-1", path=path, result=result, version=version, reason=reason, at=BEGINNING),
    )


@pytest.mark.parametrize("path", ["../../outside", "/absolute", "desk/agent-memory", "desk"])
def test_a_refused_workspace_is_a_remark_with_its_reason_and_no_violation_T6_W5(tmp_path: Path, path: str) -> None:
    root, data = tmp_path / "workspaces", tmp_path / "data"
    (root / "desk/agent-memory").mkdir(parents=True)  # another agent's
    (remark,) = judge_workspaces(root, data, _attached(path))
    assert isinstance(remark, str) and "w-1" in remark and "not written" in remark
    _noted(data, WorkspaceResult.REFUSED, 0, "The path goes upwards.", path)
    (remark,) = judge_workspaces(root, data, _attached(path))
    assert isinstance(remark, str) and "was refused" in remark and "The path goes upwards." in remark


def test_a_written_workspace_that_is_gone_or_changed_stays_a_violation_T6(tmp_path: Path) -> None:
    root, data = tmp_path / "workspaces", tmp_path / "data"
    folder = root / "desk/agent-memory"
    folder.mkdir(parents=True)
    memory = _attached("desk")
    for name, content in render(memory).items():
        (folder / name).write_bytes(content)
    _noted(data, WorkspaceResult.WRITTEN, 1)
    assert list(judge_workspaces(root, data, memory)) == []
    (folder / "MEMORY.md").write_text("changed")
    _noted(data, WorkspaceResult.FAILED, 0, "No space left on device")
    (found,) = judge_workspaces(root, data, memory)
    assert isinstance(found, Violation) and "MEMORY.md" in found.sentence and "No space left on device" in found.sentence
    (root / "desk").rename(root / "elsewhere")
    (found,) = judge_workspaces(root, data, memory)
    assert isinstance(found, Violation) and "folder of workspace w-1 is missing" in found.sentence
