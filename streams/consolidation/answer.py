"""From a model's answer to its operations. One bad operation does not spoil its neighbours; a bad answer is never "nothing to do" (U13)."""

from dataclasses import dataclass

import orjson
from pydantic import TypeAdapter, ValidationError

from schemas.answers import Operation
from streams.consolidation.errors import UnusableAnswer

LONGEST_ANSWER_CHARACTERS = 250_000
"""Four times what the most candidates of one step can need; a record of it fits every limit."""
_operation: TypeAdapter[Operation] = TypeAdapter(Operation)


@dataclass(frozen=True, slots=True)
class Malformed:
    """An item of the answer that is no operation."""

    fault: str


def read_answer(text: str) -> tuple[Operation | Malformed, ...]:
    """Give the operations in their order. Raises UnusableAnswer with a reason that holds none of the text."""
    if not text.strip():
        raise UnusableAnswer("empty")
    if len(text) > LONGEST_ANSWER_CHARACTERS:
        raise UnusableAnswer("too long")
    try:
        answer = orjson.loads(_without_fence(text))
    except (orjson.JSONDecodeError, RecursionError):
        raise UnusableAnswer("not JSON, or cut off") from None
    operations = answer.get("operations") if isinstance(answer, dict) else None
    if not isinstance(operations, list):
        raise UnusableAnswer("no list of operations")
    if not operations:
        raise UnusableAnswer("no operation")
    return tuple(_read(item) for item in operations)


def _read(item: object) -> Operation | Malformed:
    try:
        # Through JSON, so that arrays are taken for tuples as in a record.
        return _operation.validate_json(orjson.dumps(item))
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        return Malformed(f"wrong shape: {fault['type']}")


def _without_fence(text: str) -> str:
    """Models put a code fence around JSON now and then."""
    stripped = text.strip()
    if stripped.startswith("```") and stripped.endswith("```") and "\n" in stripped:
        return stripped[stripped.index("\n") + 1 : -3]
    return stripped
