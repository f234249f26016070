"""Writes the JSON Schema of every event and record into `schemas/json`, or with `--check` says which files are not up to date (E5)."""

import sys
from pathlib import Path
from typing import Any

import orjson
from pydantic import TypeAdapter

from schemas.dead_letters import DeadLetter
from schemas.events import BY_TYPE
from schemas.extraction import ExtractionRecord, ExtractionRequest, Mark
from schemas.journal import DecisionRecord, Journal
from schemas.memory import MemoryRecord
from schemas.recall import Note, Pin

FOLDER = Path(__file__).parent / "json"

TOPIC_RECORDS: dict[str, Any] = {
    "extraction-requests": ExtractionRequest,
    "extractions": ExtractionRecord,
    "extraction-marks": Mark,
    "memory-candidates": Journal,
    "memory": MemoryRecord,
    "decisions": DecisionRecord,
    "notes": Note,
    "recalls": Pin,
    "dead-letters": DeadLetter,
}
"""What stands on each of our own topics."""


def schemas() -> dict[str, bytes]:
    """File name to content: one file for each event type, one for each of our own topics."""
    models: dict[str, Any] = {f"event.{name}": model for name, model in BY_TYPE.items()} | {
        f"topic.{topic}": model for topic, model in TOPIC_RECORDS.items()
    }
    return {
        f"{name}.json": orjson.dumps(TypeAdapter(model).json_schema(), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"
        for name, model in sorted(models.items())
    }


def differences() -> list[str]:
    """Names of files that are missing, stale or left over."""
    wanted = schemas()
    present = {path.name: path.read_bytes() for path in FOLDER.glob("*.json")}
    return sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))


def main() -> int:
    stale = differences()
    if "--check" in sys.argv[1:]:
        if stale:
            print(f"not up to date in {FOLDER}: {', '.join(stale)}; run `make schemas`", file=sys.stderr)
        return 1 if stale else 0
    FOLDER.mkdir(exist_ok=True)
    wanted = schemas()
    for name in stale:
        if name in wanted:
            (FOLDER / name).write_bytes(wanted[name])
        else:
            (FOLDER / name).unlink()
    print(f"{len(wanted)} schemas, {len(stale)} changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
