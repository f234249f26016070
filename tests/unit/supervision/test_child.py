"""A child is started again when it ends by itself, a bounded number of times, and ends with its parent [O1]."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from streams.supervision.child import Child, ChildGaveUp, Launch
from tests.kafka.producing import until

STEADY = "import sys; print('ready', flush=True); sys.stdin.read()"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(600)"
FAILING = "import sys; print('linger-memory: Topic x is missing.', file=sys.stderr); sys.exit(1)"


def child_of(code: str, tmp_path: Path, told: list[str], *, grace_seconds: float = 10.0, tries_max: int = 3) -> Child:
    launch = Launch((sys.executable, "-c", code), os.environ, tmp_path / "child.log")
    return Child("extraction", lambda: launch, grace_seconds, tries_max, told.append, lambda line: line == "ready", back_off_seconds=0.01)


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def wait_ready(child: Child) -> int:
    await asyncio.wait_for(child.became_ready.wait(), 30)
    assert child.process is not None
    return child.process.pid


@pytest.mark.spec("O1")
async def test_a_child_that_dies_is_started_again_O1(tmp_path: Path) -> None:
    told: list[str] = []
    child = child_of(STEADY, tmp_path, told)
    child.begin()
    first = await wait_ready(child)
    os.kill(first, 9)
    await until(lambda: child.starts == 2, "the second start")
    second = await wait_ready(child)
    assert second != first
    assert "ended with SIGKILL" in told[0]
    await child.end()
    assert not lives(second)


@pytest.mark.spec("O1")
async def test_a_child_that_keeps_failing_is_given_up_with_its_last_sentence_O1(tmp_path: Path) -> None:
    child = child_of(FAILING, tmp_path, [], tries_max=3)
    with pytest.raises(ChildGaveUp, match=r"3 times in a row, last with exit code 1\. Topic x is missing\."):
        await asyncio.wait_for(child.begin(), 60)
    assert child.starts == 3


@pytest.mark.spec("O1")
async def test_a_child_that_says_that_it_never_can_is_given_up_at_once_O1(tmp_path: Path) -> None:
    told: list[str] = []
    child = child_of(FAILING, tmp_path, told)
    child.final_code = 1
    with pytest.raises(ChildGaveUp, match=r"extraction can't be started\. Topic x is missing\."):
        await asyncio.wait_for(child.begin(), 60)
    assert (child.starts, told) == (1, [])
    assert child.launch().log.stat().st_mode & 0o077 == 0


@pytest.mark.spec("O1")
async def test_a_child_that_does_not_stop_is_killed_O1(tmp_path: Path) -> None:
    child = child_of(STUBBORN, tmp_path, [], grace_seconds=-1.5)  # half a second with the two that are given besides
    child.begin()
    pid = await wait_ready(child)
    await asyncio.wait_for(child.end(), 30)
    assert not lives(pid)
