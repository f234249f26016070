"""A line that is no event is named with the field and what is expected there, and never with a word of its own [E6, E7]."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from streams.importers.lines import BadLine, read_lines

GOOD: dict[str, Any] = {
    "specversion": "1.0",
    "id": "e1",
    "source": "server",
    "type": "message.posted",
    "time": "2026-03-02T09:00:00Z",
    "data": {"agent": "a", "boot": 1, "room": "r", "text": "t", "author": {"kind": "user", "id": "u"}},
}


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in GOOD.items() if name not in names}


def data(**others: Any) -> dict[str, Any]:
    return GOOD | {"data": GOOD["data"] | others}


@pytest.mark.spec("E7")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        (GOOD | {"specversion": "9"}, ["specversion: 1.0 is needed"]),
        (without("specversion"), ["specversion: missing"]),
        (without("source", "time"), ["source: missing", "time: missing"]),
        (GOOD | {"type": "swordfish"}, ["type: unknown", "message.posted", "run.finished", "tool.called"]),
        (GOOD | {"time": "swordfish"}, ["time: not an RFC 3339 time with a zone"]),
        (GOOD | {"data": "swordfish"}, ["data: "]),
        (data(agent=""), ["data.agent: string should have at least 1 character"]),
        (data(author={"kind": "swordfish", "id": "u"}), ["data.author.kind: input should be 'user', 'agent'"]),
        (data(boot="swordfish", room=7), ["data.boot: input should be a valid integer", "data.room: input should be a valid string"]),
    ],
)
def test_a_bad_line_is_told_in_words_with_its_field_and_what_is_expected_E7(tmp_path: Path, line: dict[str, Any], words: list[str]) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(orjson.dumps(line))
    (bad,) = read_lines(path, agent=None, event_bytes_max=65_536)
    assert isinstance(bad, BadLine)
    for word in words:
        assert word in bad.detail
    assert "swordfish" not in bad.detail
