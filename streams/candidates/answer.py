"""From a recorded answer to its drafts, leniently: one bad draft does not spoil its neighbours (X6, U32). Pure."""

from dataclasses import dataclass

import orjson

from schemas.answers import CandidateDraft

LONGEST_ANSWER = 1_000_000
"""Characters; a longer answer is junk and read as none."""
MOST_CANDIDATES = 8
"""Candidates of a chunk that may pass (X6)."""
MOST_DRAFTS = 32
"""Drafts of a chunk that are looked at; what is over eight is recorded as rejected, what is over this only counted."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """An item that is no draft. `words` is what it says, if it says something."""

    words: str
    fault: str


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """What an answer says. `left_out`: how many drafts were too many to look at."""

    summary: str
    drafts: tuple[CandidateDraft | Malformed, ...]
    left_out: int = 0


def read_answer(output: str) -> ReadAnswer | None:
    """The summary and the drafts in their order; None: no JSON object of the shape `ExtractionAnswer`."""
    if len(output) > LONGEST_ANSWER:
        return None
    answer = _json_object(output)
    items = answer.get("candidates") if answer is not None else None
    if answer is None or not isinstance(items, list):
        return None
    summary = answer.get("summary")
    return ReadAnswer(
        summary=summary if isinstance(summary, str) else "",
        drafts=tuple(_draft(item) for item in items[:MOST_DRAFTS]),
        left_out=max(0, len(items) - MOST_DRAFTS),
    )


def _json_object(output: str) -> dict[str, object] | None:
    """The answer's JSON object, also within a code fence or between other words."""
    for text in (output, output[output.find("{") : output.rfind("}") + 1]):
        try:
            value = orjson.loads(text)
        except (orjson.JSONDecodeError, UnicodeEncodeError):
            continue
        if isinstance(value, dict):
            return value
    return None


def _draft(item: object) -> CandidateDraft | Malformed:
    if not isinstance(item, dict):
        return Malformed("", "no object")
    statement = item.get("statement")
    if not isinstance(statement, str) or not statement.strip():
        return Malformed("", "no statement")

    def text(name: str) -> str:
        value = item.get(name)
        return value if isinstance(value, str) else ""

    def text_or_none(name: str) -> str | None:
        return text(name).strip() or None

    evidence = item.get("evidence")
    cited = [evidence] if isinstance(evidence, str) else evidence
    if not isinstance(cited, list):
        return Malformed(statement, "no evidence")
    return CandidateDraft(
        statement=statement,
        reason=text_or_none("reason"),
        topic=text("topic"),
        kind=text("kind"),
        scope=text("scope"),
        about=text("about"),
        evidence=tuple(dict.fromkeys(name for name in cited[:64] if isinstance(name, str))),
        quote=text("quote"),
        holds_from=text_or_none("holds_from"),
        holds_until=text_or_none("holds_until"),
        corrects=text_or_none("corrects"),
    )
