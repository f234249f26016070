"""Small chunks, drafts and recorded answers for tests of what is made of them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from schemas.base import Position
from schemas.events import Author, AuthorKind, Role
from schemas.extraction import Answered, ChunkInput, InputRecord, Usage
from schemas.journal import CandidateProposed, CandidateRejected
from streams.candidates.derive import derive

BEGINNING = datetime(2026, 1, 14, 10, 0, tzinfo=UTC)  # a Wednesday
MARIA = Author(kind=AuthorKind.USER, id="u-maria", name="Maria", role=Role.OWNER)
BO = Author(kind=AuthorKind.USER, id="u-bo", name="Bo", role=Role.MEMBER)
GUEST = Author(kind=AuthorKind.USER, id="u-guest", name="Visitor")
AGENT = Author(kind=AuthorKind.AGENT, id="wren", name="Wren")
OTHER_AGENT = Author(kind=AuthorKind.OTHER_AGENT, id="kite", name="Kite")
REPORT = Author(kind=AuthorKind.TASK_REPORT, id="task-1", name="Task")
SYSTEM = Author(kind=AuthorKind.SYSTEM, id="system")


def message(name: str, text: str, by: Author = MARIA, *, minute: int = 0, **given: Any) -> InputRecord:
    """A message; its id is `name`."""
    values: dict[str, Any] = {
        "id": name,
        "kind": "message",
        "position": Position(topic="messages", partition=0, offset=minute),
        "time": BEGINNING + timedelta(minutes=minute),
        "text": text,
        "author": by,
        "run": "run-1",
    }
    return InputRecord(**values | given)


def tool_call(name: str, result: str, *, tool: str = "fetch", arguments: str = "{}", **given: Any) -> InputRecord:
    """A tool call with its result; its id is `name`."""
    values: dict[str, Any] = {
        "id": name,
        "kind": "tool_call",
        "position": Position(topic="tool-calls", partition=0, offset=0),
        "time": BEGINNING,
        "text": result,
        "tool": tool,
        "arguments": arguments,
        "run": "run-1",
    }
    return InputRecord(**values | given)


def a_chunk(*records: InputRecord, **given: Any) -> ChunkInput:
    return ChunkInput(**{"agent": "wren", "room": "room-1", "records": records} | given)


def a_draft(statement: str, quote: str, evidence: list[str], **given: Any) -> dict[str, Any]:
    """What a model might answer for one candidate."""
    values = {"statement": statement, "quote": quote, "evidence": evidence, "topic": "Work", "kind": "rule", "scope": "everywhere"}
    return values | given


def answered(seen: ChunkInput, *drafts: Any, summary: str = "What happened.", output: str | None = None, **given: Any) -> Answered:
    """The recorded answer of a model that said these drafts."""
    values: dict[str, Any] = {
        "agent": seen.agent,
        "request": "request-1",
        "cut": 1,
        "plan": "plan-1",
        "chunk": "chunk-1",
        "room": seen.room,
        "ordinal": 0,
        "attempt": 1,
        "model": "scripted",
        "extractor": "scripted",
        "prompt": "prompt-1",
        "input": seen,
        "output": output if output is not None else orjson.dumps({"summary": summary, "candidates": drafts}).decode(),
        "stop_reason": "end_turn",
        "usage": Usage(),
        "usable": True,
        "at": BEGINNING + timedelta(hours=1),
    }
    return Answered(**values | given)


AT = Position(topic="extractions", partition=0, offset=7)


def gated(chunk: ChunkInput, *drafts: Any) -> list[CandidateProposed | CandidateRejected]:
    """What the gates make of each draft, in order."""
    derived = derive(answered(chunk, *drafts), AT)
    return [one for one in derived if isinstance(one, CandidateProposed | CandidateRejected)]


def proposed(chunk: ChunkInput, draft: Any) -> CandidateProposed:
    """The candidate that the one draft becomes; fails with the gate's reason if it is rejected."""
    (one,) = gated(chunk, draft)
    assert isinstance(one, CandidateProposed), one
    return one


def rejected(chunk: ChunkInput, draft: Any) -> str:
    """The reason why the one draft is rejected; fails if it is proposed."""
    (one,) = gated(chunk, draft)
    assert isinstance(one, CandidateRejected), one
    return one.reason
