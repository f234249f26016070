"""Commands that no other test calls as a process: `broker start|stop`, `topics create|check`, `import events` [O1, O3, E7]."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from streams.kafka.reading import end_offsets
from streams.kafka.topics import all_topics, topic_name
from streams.settings import Settings
from tests.kafka.audit.guarded import command

STANDING_RULE = sorted((Path(__file__).parents[1] / "material" / "standing_rule").glob("*.jsonl"))


@pytest.mark.spec("E7")
async def test_topics_are_created_and_events_imported_once_by_command_O3_E7(settings: Settings, tmp_path: Path) -> None:
    files = [str(path) for path in STANDING_RULE]
    code, _, error = await command(settings, tmp_path, "import", "events", *files)
    assert code == 1 and f"Topic {settings.topic_prefix}messages is missing" in error
    code, _, _ = await command(settings, tmp_path, "topics", "check", "--json")
    assert code == 1
    code, out, error = await command(settings, tmp_path, "topics", "create", "--json")
    assert code == 0, error
    assert len(json.loads(out)["created"]) == len(all_topics())
    code, out, error = await command(settings, tmp_path, "topics", "check", "--json")
    assert code == 0, error

    lines = sum(len(path.read_text().splitlines()) for path in STANDING_RULE)
    for sent, present in ((lines, 0), (0, lines)):
        code, out, error = await command(settings, tmp_path, "import", "events", *files, "--json")
        assert code == 0, error
        assert (json.loads(out)["sent"], json.loads(out)["present"]) == (sent, present)
    ends = [await end_offsets(settings, topic_name(settings, topic)) for topic in ("messages", "tool-calls")]
    assert sum(sum(end.values()) for end in ends) == lines


@pytest.mark.spec("O1")
async def test_a_broker_is_started_and_stopped_by_command_O1(settings: Settings, tmp_path: Path) -> None:
    data = str(tmp_path / "other")
    code, out, error = broker("start", data)
    try:
        assert code == 0, error
        there = settings.model_copy(update={"bootstrap_servers": json.loads(out)["address"]})
        code, _, error = await command(there, tmp_path, "topics", "create")
        assert code == 0, error
    finally:
        code, out, error = broker("stop", data)
    assert (code, json.loads(out)) == (0, {"stopped": True}), error
    code, _, error = await command(there, tmp_path, "topics", "check")
    assert code == 1 and "No Kafka broker answers" in error


def broker(verb: str, data: str) -> tuple[int, str, str]:
    """Run `broker start` or `broker stop` on a free port; no setting may name another broker."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LINGER_MEMORY_") or name.endswith("_CI_MARK")}
    environment |= {"LINGER_MEMORY_BROKER_PORT": "0"}
    call = [sys.executable, "-m", "streams.cli.main", "broker", verb, "--data", data, "--json"]
    done = subprocess.run(call, capture_output=True, text=True, env=environment, timeout=150, check=False)
    return done.returncode, done.stdout, done.stderr
