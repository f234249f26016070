"""`note give` for programs: an agent without a memory has no note, said as `null` with exit code 0 [R4]."""

import json
import os
import subprocess
import sys

import pytest

from streams.settings import Settings


@pytest.mark.spec("R4")
def test_no_memory_yet_is_null_and_0_R4(settings: Settings, topics: tuple[str, ...]) -> None:
    values = settings.model_dump(exclude_none=True)
    own = {f"LINGER_MEMORY_{name.upper()}": str(value) for name, value in values.items()}
    for options in (["--compaction", "0"], ["--json"]):
        command = [sys.executable, "-m", "streams.cli.main", "note", "give", "agent", "room", "conversation", *options]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | own, timeout=60, check=False)
        assert (done.returncode, done.stdout.strip()) == (0, "null"), done.stderr
        assert json.loads(done.stdout) is None
        assert "no agent agent is known" in done.stderr


@pytest.mark.spec("O3")
def test_a_missing_topic_is_named_at_once_with_the_command_that_creates_it_O3(settings: Settings, broker: str) -> None:
    own = {f"LINGER_MEMORY_{name.upper()}": str(value) for name, value in settings.model_dump(exclude_none=True).items()}
    command = [sys.executable, "-m", "streams.cli.main", "note", "give", "agent", "room", "conversation"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | own, timeout=30, check=False)
    assert done.returncode == 1
    name = f"{settings.topic_prefix}memory"
    assert done.stderr == f"linger-memory: There is no topic {name}; create it with `linger-memory topics create`.\n"
