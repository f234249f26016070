"""How the process of a role ends: 0 after SIGTERM, else not 0, and never later than its grace [O2]."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

Start = Callable[..., "subprocess.Popen[str]"]
DEADLINE_SECONDS = 60


@pytest.fixture
def start() -> Iterator[Start]:
    processes: list[subprocess.Popen[str]] = []

    def begin(role: str, *arguments: str, grace_seconds: float = 30.0) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.unit.supervision.roles", role, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"LINGER_MEMORY_STOP_GRACE_SECONDS": str(grace_seconds)},
        )
        processes.append(process)
        return process

    yield begin
    for process in processes:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def ready(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"


def ended(process: "subprocess.Popen[str]") -> tuple[int, list[dict[str, object]], list[str]]:
    """Exit code, JSON lines and other lines of standard error."""
    _, errors = process.communicate(timeout=DEADLINE_SECONDS)
    lines = errors.splitlines()
    return (
        process.returncode,
        [json.loads(line) for line in lines if line.startswith("{")],
        [line for line in lines if not line.startswith("{")],
    )


@pytest.mark.spec("O2")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_a_role_with_0_O2(start: Start, number: signal.Signals) -> None:
    process = start("obedient")
    ready(process)
    process.send_signal(number)
    code, log, said = ended(process)
    assert (code, said) == (0, [])
    assert [line["event"] for line in log] == ["role starting", "role stopped"]


@pytest.mark.spec("O2")
@pytest.mark.parametrize("role", ["deaf", "blocked"])
def test_a_role_that_does_not_stop_is_cut_off_after_its_grace_O2(start: Start, role: str) -> None:
    process = start(role, grace_seconds=0.5)
    ready(process)
    process.send_signal(signal.SIGTERM)
    code, log, _ = ended(process)
    assert code == 1
    assert log[-1]["event"] == "grace exceeded"


@pytest.mark.spec("O2")
@pytest.mark.parametrize("role", ["deaf", "blocked"])
def test_a_second_signal_ends_a_role_at_once_O2(start: Start, role: str) -> None:
    process = start(role, grace_seconds=600)
    ready(process)
    process.send_signal(signal.SIGTERM)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)
    process.send_signal(signal.SIGINT)
    assert ended(process)[0] == 128 + signal.SIGINT


@pytest.mark.spec("O2")
def test_a_fault_exits_with_1_and_one_sentence_without_words_of_a_record_O2(start: Start) -> None:
    code, log, said = ended(start("faulty"))
    assert code == 1
    (sentence,) = said
    assert sentence.startswith("linger-memory: The role activity has failed: ValueError")
    assert log[-1]["event"] == "role failed"
    assert "swordfish" not in json.dumps(log) + sentence


@pytest.mark.spec("O2")
def test_a_role_that_returns_unasked_has_failed_O2(start: Start) -> None:
    code, _, said = ended(start("short"))
    assert code == 1
    assert "ended by itself" in said[0]


@pytest.mark.spec("O2")
def test_what_clings_to_a_failed_role_is_cut_off_after_its_grace_O2(start: Start) -> None:
    code, log, _ = ended(start("clinging", grace_seconds=0.5))
    assert code == 1
    assert log[-1]["event"] == "grace exceeded"


@pytest.mark.spec("O1")
def test_a_role_ends_when_the_pipe_of_its_parent_closes_O1(start: Start) -> None:
    process = start("obedient", "--end-with-stdin")
    ready(process)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(DEADLINE_SECONDS) == 0
