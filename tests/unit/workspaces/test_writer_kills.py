"""A kill at any step of a write: old or new file, never half; the next start heals [W4, U40, U41]."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from streams.workspaces.writer import Revision, WorkspaceWriter, Written
from tests.unit.workspaces.killing import calls_of, killed_at
from tests.unit.workspaces.test_writer import FIRST, NOTHING, SECOND, edits, stands

EDIT = b"one\nand what I wrote myself\n"


def _writing(place: Path, revision: Revision) -> Callable[[], Written]:
    def work() -> Written:
        with WorkspaceWriter(place / "workspaces", place / "data", "desk") as writer:
            return writer.write("workspace-1", revision, holders=["agent"])

    return work


def _nothing_yet(place: Path) -> None:
    (place / "workspaces").mkdir(parents=True)


def _an_earlier_revision(place: Path) -> None:
    _nothing_yet(place)
    _writing(place, FIRST)()


def _an_earlier_revision_that_was_edited(place: Path) -> None:
    _an_earlier_revision(place)
    (place / "workspaces/desk/agent-memory/MEMORY.md").write_bytes(EDIT)


def _intact(place: Path, before: dict[str, bytes], after: Revision) -> None:
    """What a reader may see at any moment."""
    now = {path: content for path, content in stands(place / "workspaces").items() if not Path(path).name.startswith(".")}
    for path, content in now.items():
        assert content in (before.get(path), after.files.get(path)), f"{path} is neither the old nor the new file"
    for path in before.keys() & after.files.keys():
        assert path in now, f"{path} is missing though it was there and will be"
    if now.get("summary.md") is not None and now["summary.md"] == after.files.get("summary.md"):
        assert now.get("MEMORY.md") == after.files["MEMORY.md"], "summary.md is newer than its MEMORY.md"
    if "summary.md" in now:
        assert "MEMORY.md" in now
    if EDIT in before.values():
        assert EDIT in (*now.values(), *edits(place).values()), "an edit is lost"


@pytest.mark.case("U40")
@pytest.mark.case("U41")
@pytest.mark.parametrize(
    ("prepare", "revision"),
    [
        (_nothing_yet, FIRST),
        (_an_earlier_revision, SECOND),
        (_an_earlier_revision_that_was_edited, SECOND),
        (_an_earlier_revision, NOTHING),
    ],
    ids=["first", "second", "edited", "removed"],
)
def test_a_kill_at_any_step_leaves_old_or_new_files_and_the_next_start_heals_U40_U41_W4(
    tmp_path: Path, prepare: Callable[[Path], None], revision: Revision
) -> None:
    template = tmp_path / "template"
    prepare(template)
    before = stands(template / "workspaces")
    shutil.copytree(template, tmp_path / "whole")
    steps = len(calls_of(_writing(tmp_path / "whole", revision)))
    assert stands(tmp_path / "whole/workspaces") == revision.files
    assert steps > 15
    place = tmp_path / "place"
    for number in range(1, steps + 1):
        shutil.copytree(template, place)
        assert killed_at(number, _writing(place, revision))
        _intact(place, before, revision)
        # The start after it is killed as well, somewhere else each time, before one comes through.
        killed_at(1 + number * 7 % steps, _writing(place, revision))
        _intact(place, before, revision)
        _writing(place, revision)()
        assert stands(place / "workspaces") == revision.files, f"not healed after a kill at step {number}"
        _intact(place, before, revision)
        shutil.rmtree(place)


@pytest.mark.case("U41")
def test_a_kill_and_then_a_later_revision_heals_as_well_U41_W4(tmp_path: Path) -> None:
    template = tmp_path / "template"
    _an_earlier_revision(template)
    shutil.copytree(template, tmp_path / "whole")
    steps = len(calls_of(_writing(tmp_path / "whole", SECOND)))
    third = Revision("agent", 3, 30, {"MEMORY.md": b"three\n", "summary.md": b"short three\n", "session_summaries/room-c.md": b"c\n"})
    for number in range(1, steps + 1, 3):
        place = tmp_path / f"place-{number}"
        shutil.copytree(template, place)
        killed_at(number, _writing(place, SECOND))
        written = _writing(place, third)()
        assert written.kept == [], "what a killed writer left of ours was taken for an edit"
        assert stands(place / "workspaces") == third.files


@pytest.mark.case("U41")
def test_each_file_is_on_the_disk_before_it_takes_its_place_and_the_folder_before_the_next_U41_W4(tmp_path: Path) -> None:
    _an_earlier_revision(tmp_path)
    trace = calls_of(_writing(tmp_path, SECOND))
    renames = [index for index, (name, _) in enumerate(trace) if name == "rename"]
    assert [trace[index][1] for index in renames] == [
        ".manifest.json.new",
        ".room-b.md.new",
        ".MEMORY.md.new",
        ".summary.md.new",
        ".manifest.json.new",
    ]
    for index in renames:
        assert "fsync" in [name for name, _ in trace[index - 2 : index]], "a file takes its place before it is on the disk"
        assert trace[index + 1][0] == "fsync", "the folder is not brought to the disk at once"
