"""One workspace on a real disk: whose it is, what is written and what is left alone [W4, W5, W6, W7]."""

import os
import stat
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import pytest

from streams.workspaces.confinement import folder_names
from streams.workspaces.errors import ManifestBroken, StaleRevision, UnsafePath, WorkspaceBusy, WorkspaceTaken
from streams.workspaces.render import render
from streams.workspaces.writer import Revision, WorkspaceWriter, Written
from tests.unit.workspaces.memories import a_line, a_memory, a_section, a_summary

FIRST = Revision("agent", 1, 10, {"MEMORY.md": b"one\n", "summary.md": b"short one\n", "session_summaries/room-a.md": b"a\n"})
SECOND = Revision("agent", 2, 20, {"MEMORY.md": b"two\n", "summary.md": b"short two\n", "session_summaries/room-b.md": b"b\n"})
NOTHING = Revision("agent", 3, 30, {})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspaces"
    folder.mkdir()
    return folder


@pytest.fixture
def write(root: Path, tmp_path: Path) -> Iterator[Callable[..., Written]]:
    def write_once(revision: Revision, path: str = "desk", holders: Collection[str] = ("agent", "other")) -> Written:
        with WorkspaceWriter(root, tmp_path / "data", path) as writer:
            return writer.write("workspace-1", revision, holders=holders)

    yield write_once


def stands(root: Path, path: str = "desk") -> dict[str, bytes]:
    """The files in a workspace's folder, hidden ones too."""
    folder = root / path / "agent-memory"
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def edits(tmp_path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted((tmp_path / "data").glob("workspaces-state/*/edits/*"))}


# --- what is written ------------------------------------------------------------------------------------------------------------


def test_a_workspace_holds_what_was_rendered_and_nothing_else_W1(root: Path, tmp_path: Path) -> None:
    memory = a_memory(a_section(1, a_line(1)), summaries=(a_summary("room-1"),))
    with WorkspaceWriter(root, tmp_path / "data", "team/desk") as writer:
        writer.write("workspace-1", Revision("agent", 1, 10, render(memory)), holders=["agent"])
    assert stands(root, "team/desk") == render(memory)


def test_a_later_revision_takes_the_place_of_the_earlier_one_and_removes_what_is_gone_W2(root: Path, write: Callable[..., Written]) -> None:
    write(FIRST)
    written = write(SECOND)
    assert stands(root) == SECOND.files
    assert written.files == ["session_summaries/room-b.md", "MEMORY.md", "summary.md"]
    assert written.removed == ["session_summaries/room-a.md"]


def test_what_is_the_same_is_not_written_again_W4(root: Path, write: Callable[..., Written]) -> None:
    write(FIRST)
    before = {path: (root / "desk/agent-memory" / path).stat() for path in FIRST.files}
    write(FIRST)
    write(Revision("agent", 2, 20, {**FIRST.files, "MEMORY.md": b"other\n"}))
    for path, earlier in before.items():
        now = (root / "desk/agent-memory" / path).stat()
        assert (now.st_ino == earlier.st_ino) == (path != "MEMORY.md")


def test_what_was_deleted_by_hand_comes_back_W6(root: Path, write: Callable[..., Written]) -> None:
    write(FIRST)
    (root / "desk/agent-memory/MEMORY.md").unlink()
    write(FIRST)
    assert stands(root) == FIRST.files


@pytest.mark.case("U14")
def test_no_files_make_no_folder_U14_C10(root: Path, write: Callable[..., Written]) -> None:
    write(Revision("agent", 0, 0, {}))
    assert list(root.iterdir()) == []


def test_a_memory_that_is_gone_leaves_no_file_of_ours_C11(root: Path, write: Callable[..., Written]) -> None:
    write(FIRST)
    (root / "desk/own.txt").write_text("mine")
    write(NOTHING)
    assert [path.name for path in (root / "desk").iterdir()] == ["own.txt"]


def test_only_files_of_ours_are_ever_removed_W5(root: Path, write: Callable[..., Written]) -> None:
    write(FIRST)
    (root / "desk/agent-memory/own.txt").write_text("mine")
    (root / "desk/agent-memory/session_summaries/own.md").write_text("mine too")
    write(SECOND)
    write(NOTHING)
    assert stands(root) == {"own.txt": b"mine", "session_summaries/own.md": b"mine too"}


def test_files_have_modes_that_others_may_read_by_umask(root: Path, write: Callable[..., Written], tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        write(FIRST)
    finally:
        os.umask(old)
    assert stat.S_IMODE((root / "desk/agent-memory/MEMORY.md").stat().st_mode) == 0o644
    assert stat.S_IMODE((root / "desk/agent-memory").stat().st_mode) == 0o755
    assert stat.S_IMODE(next((tmp_path / "data/workspaces-state").glob("*/manifest.json")).stat().st_mode) == 0o600


# --- edits by others ------------------------------------------------------------------------------------------------------------


@pytest.mark.case("U39")
def test_an_edit_by_hand_is_noticed_and_kept_before_it_is_overwritten_U39_W6(
    root: Path, write: Callable[..., Written], tmp_path: Path
) -> None:
    write(FIRST)
    (root / "desk/agent-memory/MEMORY.md").write_bytes(b"one\nand my own line\n")
    written = write(SECOND)
    assert written.kept == ["MEMORY.md.1"]
    assert edits(tmp_path) == {"MEMORY.md.1": b"one\nand my own line\n"}
    assert stands(root) == SECOND.files


@pytest.mark.case("U39")
def test_an_edit_of_a_file_that_is_removed_is_kept_too_U39(root: Path, write: Callable[..., Written], tmp_path: Path) -> None:
    write(FIRST)
    (root / "desk/agent-memory/session_summaries/room-a.md").write_bytes(b"mine")
    write(SECOND)
    assert edits(tmp_path) == {"session_summaries__room-a.md.1": b"mine"}


@pytest.mark.case("U39")
def test_the_last_three_edits_are_kept_and_the_same_one_once_U39_W6(root: Path, write: Callable[..., Written], tmp_path: Path) -> None:
    write(FIRST)
    for edit in (b"a", b"b", b"b", b"c", b"d"):
        (root / "desk/agent-memory/MEMORY.md").write_bytes(edit)
        write(FIRST)
    assert edits(tmp_path) == {"MEMORY.md.2": b"b", "MEMORY.md.3": b"c", "MEMORY.md.4": b"d"}


def test_a_file_that_stood_there_before_us_is_kept_W6(root: Path, write: Callable[..., Written], tmp_path: Path) -> None:
    (root / "desk/agent-memory").mkdir(parents=True)
    (root / "desk/agent-memory/MEMORY.md").write_bytes(b"another tool's memory")
    write(FIRST)
    assert edits(tmp_path) == {"MEMORY.md.1": b"another tool's memory"}
    assert stands(root) == FIRST.files


def test_of_a_huge_file_only_the_beginning_is_kept_W5(root: Path, write: Callable[..., Written], tmp_path: Path) -> None:
    write(FIRST)
    with (root / "desk/agent-memory/MEMORY.md").open("wb") as file:
        file.truncate(1 << 40)
    write(SECOND)
    assert len(edits(tmp_path)["MEMORY.md.1"]) == 8 << 20
    assert stands(root) == SECOND.files


# --- paths ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "../out",
        "a/../../out",
        "/etc",
        "",
        ".",
        "a/./..",
        "a\x00b",
        "a\nb",
        "a/" + "b" * 256,
        "x/" * 600,
        "desk/agent-memory",
        "a\\b",
        "a\u202eb",
    ],
)
def test_a_path_that_leads_out_or_is_no_path_is_refused_W5(root: Path, write: Callable[..., Written], path: str) -> None:
    with pytest.raises(UnsafePath):
        write(FIRST, path)
    assert list(root.parent.iterdir()) == [root] or not (root.parent / "out").exists()
    assert list(root.iterdir()) == []


def test_a_path_is_the_same_however_it_is_written() -> None:
    assert folder_names("a//b/./c/") == folder_names("a/b/c") == ("a", "b", "c")


@pytest.mark.parametrize("link", ["desk", "desk/agent-memory", "desk/agent-memory/session_summaries", "team"])
def test_a_link_to_a_folder_is_not_followed_W5(root: Path, write: Callable[..., Written], tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / link).parent.mkdir(parents=True, exist_ok=True)
    (root / link).symlink_to(outside, target_is_directory=True)
    with pytest.raises(UnsafePath):
        write(FIRST, "team/desk" if link == "team" else "desk")
    assert list(outside.iterdir()) == []
    (root / link).unlink()
    write(FIRST)
    assert stands(root) == FIRST.files


def test_a_dangling_link_is_not_followed_W5(root: Path, write: Callable[..., Written], tmp_path: Path) -> None:
    (root / "desk").symlink_to(tmp_path / "absent")
    with pytest.raises(UnsafePath):
        write(FIRST)
    assert not (tmp_path / "absent").exists()


def test_a_folder_swapped_for_a_link_during_a_write_leads_nowhere_W5(
    root: Path, write: Callable[..., Written], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(FIRST)
    outside = tmp_path / "outside"
    (outside / "session_summaries").mkdir(parents=True)
    (outside / "MEMORY.md").write_text("secret")
    real = os.rename

    def swap_then_rename(*arguments: object, **named: object) -> None:
        if not (root / "away").exists():
            real(root / "desk/agent-memory", root / "away")
            (root / "desk/agent-memory").symlink_to(outside, target_is_directory=True)
        real(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("streams.workspaces.durable.os.rename", swap_then_rename)
    write(SECOND)
    assert (outside / "MEMORY.md").read_text() == "secret"
    assert list((outside / "session_summaries").iterdir()) == []
    assert (root / "away/MEMORY.md").read_bytes() == SECOND.files["MEMORY.md"]


@pytest.mark.parametrize("name", ["MEMORY.md", ".MEMORY.md.new", "session_summaries/room-b.md"])
@pytest.mark.parametrize("kind", ["link", "fifo"])
def test_a_link_or_FIFO_in_place_of_a_file_is_replaced_and_never_opened_W5(
    root: Path, write: Callable[..., Written], tmp_path: Path, name: str, kind: str
) -> None:
    write(FIRST)
    victim = tmp_path / "victim"
    victim.write_text("secret")
    place = root / "desk/agent-memory" / name
    place.unlink(missing_ok=True)
    if kind == "link":
        place.symlink_to(victim)
    else:
        os.mkfifo(place)
    write(SECOND)
    assert victim.read_text() == "secret"
    assert stands(root) == SECOND.files
    assert not any(path.is_symlink() or path.is_fifo() for path in (root / "desk").rglob("*"))


def test_a_folder_in_place_of_a_file_fails_this_write_and_loses_nothing_W7(root: Path, write: Callable[..., Written]) -> None:
    write(FIRST)
    (root / "desk/agent-memory/MEMORY.md").unlink()
    (root / "desk/agent-memory/MEMORY.md").mkdir()
    (root / "desk/agent-memory/MEMORY.md/own.txt").write_text("mine")
    with pytest.raises(OSError):
        write(SECOND)
    assert stands(root)["summary.md"] == FIRST.files["summary.md"], "a summary.md is never newer than its MEMORY.md"
    (root / "desk/agent-memory/MEMORY.md/own.txt").unlink()
    (root / "desk/agent-memory/MEMORY.md").rmdir()
    write(SECOND)
    assert stands(root) == SECOND.files


def test_a_missing_root_is_an_error_and_is_not_made_W7(root: Path, write: Callable[..., Written]) -> None:
    root.rmdir()
    with pytest.raises(FileNotFoundError):
        write(FIRST)
    assert not root.exists()


# --- whose it is ----------------------------------------------------------------------------------------------------------------


def test_two_writers_never_write_one_workspace_W4(root: Path, write: Callable[..., Written], tmp_path: Path) -> None:
    with WorkspaceWriter(root, tmp_path / "data", "desk") as first:
        first.write("workspace-1", FIRST, holders=["agent"])
        with pytest.raises(WorkspaceBusy):
            write(SECOND, "./desk/")
        write(SECOND, "other")
    write(SECOND)
    assert stands(root) == SECOND.files


def test_a_folder_is_never_shared_by_two_agents_W5(root: Path, write: Callable[..., Written]) -> None:
    write(FIRST)
    with pytest.raises(WorkspaceTaken):
        write(Revision("other", 7, 70, {"MEMORY.md": b"other\n"}))
    assert stands(root) == FIRST.files


def test_an_agent_that_takes_over_a_left_folder_finds_nothing_of_the_other_R5(root: Path, write: Callable[..., Written]) -> None:
    write(SECOND)
    mine = Revision("other", 1, 5, {"MEMORY.md": b"other\n", "summary.md": b"short other\n"})
    write(mine, holders=["other"])
    assert stands(root) == mine.files


def test_an_older_revision_never_overwrites_a_newer_one_W4(root: Path, write: Callable[..., Written]) -> None:
    write(SECOND)
    with pytest.raises(StaleRevision):
        write(FIRST)
    assert stands(root) == SECOND.files


def test_a_manifest_that_cannot_be_read_is_said_with_what_to_do(root: Path, write: Callable[..., Written], tmp_path: Path) -> None:
    write(FIRST)
    (manifest,) = (tmp_path / "data/workspaces-state").glob("*/manifest.json")
    manifest.write_bytes(b'{"agent": "age')
    with pytest.raises(ManifestBroken, match="Delete it"):
        write(SECOND)
    manifest.unlink()
    written = write(SECOND)
    assert sorted(written.kept) == ["MEMORY.md.1", "summary.md.1"]
