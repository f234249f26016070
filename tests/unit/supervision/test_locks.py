"""One process for each instance of a role, and nobody takes the broker from under a running `up` [O1, O2]."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from streams.settings import load_settings
from streams.supervision import locks
from streams.supervision.pipeline import AlreadyRunning, running


def command(data: Path, *arguments: str, instance: str = "0") -> "subprocess.CompletedProcess[str]":
    others = {name: value for name, value in os.environ.items() if not name.startswith("LINGER_MEMORY_")}
    own = {"LINGER_MEMORY_DATA_DIRECTORY": str(data), "LINGER_MEMORY_INSTANCE": instance}
    return subprocess.run(
        [sys.executable, "-m", "streams.cli.main", *arguments], capture_output=True, text=True, timeout=60, check=False, env=others | own
    )


@pytest.mark.spec("O2")
def test_a_second_process_of_the_same_instance_ends_and_says_what_to_set_O2(tmp_path: Path) -> None:
    settings = load_settings(data_directory=tmp_path, instance="0")
    with locks.held(locks.of_role(settings, "extraction")) as alone:
        assert alone
        refused = command(tmp_path, "run", "extraction")
        assert refused.returncode == 1
        assert "Another process is instance 0 of extraction" in refused.stderr and "LINGER_MEMORY_INSTANCE" in refused.stderr
        for other in (command(tmp_path, "run", "extraction", instance="1"), command(tmp_path, "run", "activity")):
            assert "no local broker runs" in other.stderr, "it went on, to find that there is no Kafka"
    assert not locks.is_held(locks.of_role(settings, "extraction"))


@pytest.mark.spec("O1")
@pytest.mark.parametrize("arguments", [("broker", "stop"), ("rebuild", "--reset", "--yes")])
def test_what_would_work_against_a_running_up_is_refused_O1(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    with locks.held(locks.everything(tmp_path)):
        refused = command(tmp_path, *arguments)
    assert refused.returncode == 1
    assert f"`up` or `demo` runs on {tmp_path}" in refused.stderr and "Ctrl-C" in refused.stderr


@pytest.mark.spec("O1")
async def test_up_waits_for_roles_of_before_as_long_as_their_grace_and_then_names_one_O1(tmp_path: Path) -> None:
    settings = load_settings(data_directory=tmp_path, instance="0", stop_grace_seconds=0.1)
    told: list[str] = []
    with (
        locks.held(locks.of_role(settings, "workspaces")),
        pytest.raises(AlreadyRunning, match=r"The role workspaces runs on .* as instance 0"),
    ):
        async with running(settings, told.append):
            raise AssertionError("it started beside a role of the same name")
    assert told == ["Waiting for workspaces of before to end …"]
