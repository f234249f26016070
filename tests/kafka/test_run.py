"""`run ROLE` and `up` as processes on a real broker: how they start, stop and refuse [O1, O2, O3]."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from streams.settings import Settings
from streams.supervision.role import ROLES

Start = Callable[..., "subprocess.Popen[str]"]
DEADLINE_SECONDS = 90


def environment(settings: Settings, **others: object) -> dict[str, str]:
    values = settings.model_dump(exclude_none=True) | others
    return os.environ | {f"LINGER_MEMORY_{name.upper()}": str(value) for name, value in values.items()}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def status(address: str) -> int | None:
    try:
        with urllib.request.urlopen(address, timeout=2) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


def wait_for(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"waited {DEADLINE_SECONDS} s in vain for {what}"
        time.sleep(0.05)


def lives(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.fixture
def start() -> Iterator[Start]:
    processes: list[subprocess.Popen[str]] = []

    def begin(settings: Settings, *arguments: str, **others: object) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "streams.cli.main", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(settings, **others),
        )
        processes.append(process)
        return process

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


@pytest.mark.spec("O2")
@pytest.mark.parametrize("role", list(ROLES))
def test_a_role_becomes_ready_and_stops_on_sigterm_with_0_O2(settings: Settings, topics: tuple[str, ...], start: Start, role: str) -> None:
    port = free_port()
    process = start(settings, "run", role, health_port=port)
    wait_for(lambda: status(f"http://127.0.0.1:{port}/readyz") == 200 or process.poll() is not None, f"{role} to be ready")
    assert status(f"http://127.0.0.1:{port}/livez") == 200
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=settings.stop_grace_seconds + 10)
    assert process.returncode == 0, errors
    assert [line for line in errors.splitlines() if not json.loads(line)] == []


@pytest.mark.spec("O3")
@pytest.mark.parametrize("role", list(ROLES))
def test_a_role_refuses_wrong_topics_and_says_what_mends_them_O3(
    settings: Settings, topics: tuple[str, ...], start: Start, role: str
) -> None:
    process = start(settings, "run", role, partitions=7)
    _, errors = process.communicate(timeout=DEADLINE_SECONDS)
    assert process.returncode == 1
    assert f"Topic {settings.topic_prefix}messages has 4 partitions where 7 must be" in errors
    assert "set LINGER_MEMORY_PARTITIONS=4" in errors


@pytest.mark.spec("O3")
def test_a_role_without_its_topics_names_the_command_that_creates_them_O3(settings: Settings, broker: str, start: Start) -> None:
    process = start(settings, "run", "activity")
    _, errors = process.communicate(timeout=DEADLINE_SECONDS)
    assert process.returncode == 1
    assert f"Topic {settings.topic_prefix}messages is missing; create it with `linger-memory topics create`." in errors


@pytest.mark.spec("O2")
def test_a_role_whose_broker_is_away_fails_with_its_address_O2(settings: Settings, broker: str, start: Start) -> None:
    address = f"127.0.0.1:{free_port()}"
    process = start(settings, "run", "extraction", bootstrap_servers=address)
    _, errors = process.communicate(timeout=DEADLINE_SECONDS)
    assert process.returncode == 1
    assert f"linger-memory: No Kafka broker answers at {address}" in errors


@pytest.mark.spec("O1")
def test_up_starts_a_killed_role_again_and_takes_all_with_it_even_when_it_is_killed_itself_O1(
    settings: Settings, broker: str, start: Start
) -> None:
    process = start(settings, "up")
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(len(ROLES) + 3)]
    assert said[-1].startswith("Everything is ready."), (said, process.stderr and process.stderr.read())
    pids = {words[0]: int(words[2]) for words in (line.split() for line in said) if words[0] in ROLES}
    assert set(pids) == set(ROLES)

    os.kill(pids["workspaces"], signal.SIGKILL)
    log = settings.data_directory / "logs" / "workspaces.jsonl"
    wait_for(lambda: log.read_text().count('"role starting"') == 2, "the second start")
    again = [json.loads(line) for line in log.read_text().splitlines() if '"role starting"' in line][-1]["process"]

    process.kill()
    for pid in (*pids.values(), again):
        wait_for(lambda pid=pid: not lives(pid), f"process {pid} to end")  # type: ignore[misc]


@pytest.mark.spec("O1")
def test_a_second_up_on_the_same_data_is_refused_O1(settings: Settings, broker: str, start: Start) -> None:
    first = start(settings, "up")
    assert first.stdout is not None
    assert first.stdout.readline().startswith("Kafka")
    second = start(settings, "up")
    _, errors = second.communicate(timeout=DEADLINE_SECONDS)
    assert second.returncode == 1
    assert f"Another linger-memory runs on {settings.data_directory}" in errors
    first.send_signal(signal.SIGINT)
    _, last_words = first.communicate(timeout=DEADLINE_SECONDS)
    assert first.returncode == 0
    assert last_words.splitlines()[-1].startswith("Everything has ended. The data stays in ")
