"""`demo` shows a memory and a note with nothing but the command, twice the same, and leaves no process behind [O1, R1]."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "streams.cli.main", "demo", "--data"]


def environment() -> dict[str, str]:
    """Ours without settings, but for the mark by which a continuous integration finds what it has started."""
    return {name: value for name, value in os.environ.items() if not name.startswith("LINGER_MEMORY_") or name.endswith("_CI_MARK")}


def processes_of(data: Path) -> list[str]:
    """Command lines and settings files of living processes that name the demo's folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            told = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:
            continue
        if str(data).encode() in told:
            found.append(told.replace(b"\0", b" ")[:200].decode(errors="replace"))
    return found


@pytest.mark.spec("R1")
@pytest.mark.timeout(400)
def test_the_demo_shows_a_rule_in_a_room_where_it_was_never_said_and_the_same_again_R1(broker: str, tmp_path: Path) -> None:
    runs = []
    for _ in range(2):
        done = subprocess.run([*COMMAND, str(tmp_path)], capture_output=True, text=True, env=environment(), timeout=190, check=False)
        assert done.returncode == 0, done.stderr
        assert processes_of(tmp_path) == []
        *shown, figures = done.stdout.splitlines()
        runs.append((shown, json.loads(figures)))
    (shown, first), (shown_again, second) = runs
    assert shown == shown_again
    assert (first["first_run"], first["events_present"], second["first_run"], second["events_sent"]) == (True, 0, False, 0)
    assert {name: first[name] for name in ("requests", "note", "verify")} == {"requests": 3, "note": True, "verify": True}
    changing = {"first_run", "events_sent", "events_present", "seconds"}
    assert {name: value for name, value in first.items() if name not in changing} == {
        name: value for name, value in second.items() if name not in changing
    }
    note = "\n".join(shown[next(number for number, line in enumerate(shown) if line.startswith("── The hidden note")) :])
    assert 'None of it was ever said in the Room "Bookkeeping"' in note
    assert "Always open a pull request, even if it is only one line" in note
    assert "Priya Nair" not in note
    assert not [line for line in shown[:10] if line.startswith(("  bootstrap_servers", "  default_model"))], "these are the defaults"
    look_around(shown)


def look_around(shown: list[str]) -> None:
    """Paste the commands that the demo closes with."""
    first = next(number for number, line in enumerate(shown) if line.startswith("── Look around"))
    commands = "\n".join(line.strip() for line in shown[first + 1 : shown.index("", first)])
    done = subprocess.run(["bash", "-ec", commands], capture_output=True, text=True, env=environment(), timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    for words in ("Source 1: candidate", "12 candidates.", "This is what you remember", "All holds.", "Kafka has ended"):
        assert words in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_demo_that_is_interrupted_takes_everything_with_it_O1(broker: str, tmp_path: Path, number: signal.Signals) -> None:
    demo = subprocess.Popen([*COMMAND, str(tmp_path)], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment())
    try:
        assert demo.stderr is not None
        assert any(line.startswith("Everything is ready") for line in demo.stderr)
        assert len(processes_of(tmp_path)) >= 7  # the demo, the broker and its keeper, four roles
        demo.send_signal(number)
        assert demo.wait(60) == (130 if number == signal.SIGINT else -signal.SIGKILL)
        assert ("Interrupted; everything that was started has ended." in demo.stderr.read()) == (number == signal.SIGINT)
        deadline = time.monotonic() + 60
        while left := processes_of(tmp_path):
            assert number == signal.SIGKILL, left
            assert time.monotonic() < deadline, left
            time.sleep(0.1)
    finally:
        demo.kill()
        demo.wait()
