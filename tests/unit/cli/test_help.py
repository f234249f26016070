"""What the command line says of itself is for people: no type behind a flag, no plural of one, no library's line [O5]."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from streams.audit.verify import Report
from streams.cli.counting import counted
from streams.cli.main import application
from streams.cli.verify import _print


@pytest.mark.parametrize("command", [["verify"], ["rebuild"], ["memory", "show"], ["broker", "start"]])
def test_a_flag_is_shown_as_a_flag(command: list[str]) -> None:
    shown = CliRunner().invoke(application, [*command, "--help"]).output
    assert "--json" in shown and "bool" not in shown


def test_a_time_is_explained_by_examples_and_not_by_a_programs_format() -> None:
    shown = CliRunner().invoke(application, ["candidates", "list", "--help"]).output
    assert "--since TIME" in shown and "2026-03-05T09:00:00+01:00" in shown and "%" not in shown


def test_verify_says_that_there_was_nothing_to_check(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    _print(Report())
    assert capsysbinary.readouterr().out == b"checked: nothing, since nothing is recorded yet\nAll holds.\n"


def test_one_is_no_plural() -> None:
    assert [counted(number, "line") for number in (0, 1, 2)] == ["0 lines", "1 line", "2 lines"]


@pytest.mark.spec("O5")
def test_a_broker_that_is_away_is_one_line_and_no_librarys_O5() -> None:
    others = {name: value for name, value in os.environ.items() if not name.startswith("LINGER_MEMORY_")}
    done = subprocess.run(
        [sys.executable, "-m", "streams.cli.main", "agents", "list"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=others | {"LINGER_MEMORY_BOOTSTRAP_SERVERS": "127.0.0.1:1"},
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("linger-memory: No Kafka broker answers at 127.0.0.1:1. ") and done.stderr.count("\n") == 1
