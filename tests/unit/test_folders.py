"""A folder that can't be used is one sentence with the setting to change, and what holds conversations is the owner's alone [O1, S1]."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from streams.folders import FolderUnusable, make_folder


@pytest.mark.spec("O1")
@pytest.mark.parametrize(
    ("arguments", "setting"),
    [
        (("up", "--data", "{file}"), "LINGER_MEMORY_DATA_DIRECTORY"),
        (("up", "--data", "{file}/below"), "LINGER_MEMORY_DATA_DIRECTORY"),
        (("up", "--data", "{folder}", "--workspaces", "{file}"), "LINGER_MEMORY_WORKSPACES_DIRECTORY"),
        (("demo", "--data", "{file}"), "LINGER_MEMORY_DATA_DIRECTORY"),
        (("broker", "start", "--data", "{file}"), "LINGER_MEMORY_DATA_DIRECTORY"),
    ],
)
def test_a_command_names_the_unusable_folder_and_its_setting_in_one_line_O1(
    tmp_path: Path, arguments: tuple[str, ...], setting: str
) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")
    given = [one.format(file=file, folder=tmp_path / "data") for one in arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LINGER_MEMORY_")}
    done = subprocess.run(
        [sys.executable, "-m", "streams.cli.main", *given], capture_output=True, text=True, timeout=60, check=False, env=environment
    )
    assert done.returncode == 1
    *before, last = done.stderr.splitlines()
    assert "Traceback" not in done.stderr and len(before) <= 1, done.stderr
    assert last.startswith(f"linger-memory: The folder {file}") and setting in last


@pytest.mark.spec("S1")
def test_a_private_folder_is_the_owners_alone_also_if_it_was_there_S1(tmp_path: Path) -> None:
    folder = tmp_path / "broker"
    folder.mkdir(mode=0o755)
    assert make_folder(folder, "", private=True).stat().st_mode & 0o777 == 0o700
    assert make_folder(tmp_path / "a" / "b", "", private=True).stat().st_mode & 0o777 == 0o700
    with pytest.raises(FolderUnusable, match=r"file can't be used \(.*\)\. Name another\."):
        (tmp_path / "file").write_text("")
        make_folder(tmp_path / "file", "Name another.")
