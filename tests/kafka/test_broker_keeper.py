"""The local broker ends with the process that it was started for, even when that is killed; its data stays [O1]."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from streams.kafka import local_broker
from streams.settings import load_settings


@pytest.mark.spec("O1")
def test_a_broker_ends_when_its_parent_is_gone_and_one_that_ran_before_is_left_O1(broker: str, tmp_path: Path) -> None:
    settings = load_settings(data_directory=tmp_path, broker_port=0)
    own = {"LINGER_MEMORY_DATA_DIRECTORY": str(tmp_path), "LINGER_MEMORY_BROKER_PORT": "0", "LINGER_MEMORY_START_TIMEOUT_SECONDS": "90"}
    keepers = [keeper(own)]
    try:
        address = address_said_by(keepers[0])
        assert local_broker.running(settings) == address
        keepers.append(keeper(own))
        assert address_said_by(keepers[1]) == address
        end(keepers[1])
        assert local_broker.running(settings) == address
        end(keepers[0])
        assert local_broker.running(settings) is None
        assert (tmp_path / "broker" / "data" / "meta.properties").exists()
    finally:
        for process in keepers:
            process.kill()
            process.wait()
        local_broker.stop(settings, deadline_seconds=0)


def keeper(own: dict[str, str]) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "streams.supervision.broker_keeper"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | own)


def address_said_by(keeper: "subprocess.Popen[bytes]") -> str:
    assert keeper.stdout is not None
    deadline = time.monotonic() + 120
    for line in keeper.stdout:
        said = json.loads(line)
        if "address" in said:
            return str(said["address"])
        assert time.monotonic() < deadline
    raise AssertionError("the keeper said no address")


def end(keeper: "subprocess.Popen[bytes]") -> None:
    """Close its standard input, as the death of its parent does."""
    assert keeper.stdin is not None
    keeper.stdin.close()
    assert keeper.wait(60) == 0
