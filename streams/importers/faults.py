"""Why a line is no event, for the person who made it: which field, and what is expected there. Never a word of the line itself."""

import functools
from collections.abc import Iterator

import orjson
from pydantic import BaseModel, ValidationError

from schemas.codec import Undecodable
from schemas.dead_letters import DeadLetterClass
from schemas.events import BY_TOPIC, AgentEvent

_MODELS: dict[str, type[BaseModel]] = {model.type: model for models in BY_TOPIC.values() for model in models}
IMPORTABLE = tuple(sorted(name for name, model in _MODELS.items() if issubclass(model, AgentEvent)))
"""Types of events that a file may hold."""

_FAULTS_MAX = 5
# Their sentences name what is expected; those of other kinds may quote what was found.
_SAFE_SENTENCES = frozenset(
    {
        "bool_type",
        "datetime_type",
        "datetime_parsing",
        "dict_type",
        "enum",
        "extra_forbidden",
        "finite_number",
        "float_type",
        "greater_than",
        "greater_than_equal",
        "int_parsing_size",
        "int_type",
        "less_than",
        "less_than_equal",
        "list_type",
        "literal_error",
        "missing",
        "model_type",
        "string_pattern_mismatch",
        "string_too_long",
        "string_too_short",
        "string_type",
        "timezone_aware",
        "too_long",
        "too_short",
        "tuple_type",
    }
)


def in_words(line: bytes, fault: Undecodable) -> str:
    """Give the faults of a line of our own JSONL that could not be decoded, at most five."""
    if fault.reason is DeadLetterClass.UNKNOWN_TYPE:
        return f"type: unknown; it must be one of {', '.join(IMPORTABLE)}"
    found = list(_of_data(line)) if fault.reason is DeadLetterClass.INVALID else []
    more = f"; and {len(found) - _FAULTS_MAX} more" if len(found) > _FAULTS_MAX else ""
    return "; ".join(found[:_FAULTS_MAX]) + more if found else fault.detail.removeprefix("ce_")


def _of_data(line: bytes) -> Iterator[str]:
    try:
        outer = orjson.loads(line)
        model = _MODELS[outer["type"]]
        data = orjson.dumps(outer["data"])
    except (ValueError, KeyError, TypeError):
        return
    try:
        model.model_validate_json(data)
    except ValidationError as error:
        for one in error.errors(include_url=False, include_input=False):
            sentence = _lower(one["msg"]) if one["type"] in _SAFE_SENTENCES else one["type"]
            yield f"data{_path(model, one['loc'])}: {sentence}"
    except (ValueError, RecursionError):
        return


def _path(model: type[BaseModel], location: tuple[int | str, ...]) -> str:
    """Give the names of fields that lead to a fault; names that a sender chose, such as keys of arguments, are left out."""
    return "".join(f".{part}" for part in location if part in _names(model))


@functools.cache
def _names(model: type[BaseModel]) -> frozenset[str]:
    schema = model.model_json_schema()
    names = set(schema.get("properties", {}))
    for definition in schema.get("$defs", {}).values():
        names |= set(definition.get("properties", {}))
    return frozenset(names)


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
