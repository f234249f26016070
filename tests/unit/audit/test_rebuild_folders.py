"""Where a rebuild writes: below its folder and nowhere else, whatever an agent is called (T1, W5)."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.memory import AgentMemory
from streams.audit.rebuild import Rebuilt, folder_name, write
from streams.audit.workspace_files import read_file, workspace_folder


@pytest.mark.spec("T1")
@given(st.text(min_size=1, max_size=300), st.text(min_size=1, max_size=300))
def test_every_agent_has_a_plain_folder_name_of_its_own_T1(one: str, other: str) -> None:
    name = folder_name(one)
    assert name not in ("", ".", "..") and "/" not in name and "\\" not in name and "\x00" not in name
    assert not name.startswith(".") and len(name.encode()) <= 255
    assert (name == folder_name(other)) == (one == other)


@pytest.mark.spec("T1")
def test_a_write_that_fails_leaves_nothing_behind_T1(tmp_path: Path) -> None:
    class Broken(Rebuilt):
        def files(self):  # type: ignore[no-untyped-def]
            yield "a1", {"MEMORY.md": b"half"}
            raise OSError("no space left")

    with pytest.raises(OSError, match="no space"):
        write(Broken({"a1": AgentMemory.empty("a1")}, 0), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.spec("W5")
def test_what_lies_in_a_workspace_is_read_without_being_led_away_W5(tmp_path: Path) -> None:
    root = tmp_path / "workspaces"
    memory = root / "shop" / "agent-memory"
    memory.mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "MEMORY.md").write_text("secret")
    (memory / "MEMORY.md").symlink_to(tmp_path / "secret" / "MEMORY.md")
    (memory / "session_summaries").symlink_to(tmp_path / "secret")
    import os

    os.mkfifo(memory / "summary.md")
    folder = workspace_folder(root, "shop")
    assert folder is not None
    assert isinstance(read_file(folder, "MEMORY.md"), str)
    assert read_file(folder, "session_summaries/MEMORY.md") == "lies behind a link that leads out of the workspace"
    assert read_file(folder, "summary.md") == "is no plain file"
    assert read_file(folder, "../../../secret/MEMORY.md") == "lies behind a link that leads out of the workspace"
    assert read_file(folder, "none.md") == "is missing"
    (root / "led-away").symlink_to(tmp_path / "secret")
    for path in ("led-away", "../secret", str(tmp_path / "secret"), "missing", "a\x00b"):
        assert workspace_folder(root, path) is None
