"""Bytes to models and back. Decoding never raises: what can't be read comes back as `Undecodable` with its class (E6, KAFKA F37)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

import orjson
from pydantic import BaseModel, TypeAdapter, ValidationError

from schemas.base import Moment
from schemas.dead_letters import DeadLetterClass
from schemas.events import BY_TOPIC, AgentEvent, EventData

Header = tuple[str, bytes]

CONTENT_TYPE = b"application/json"
ORIGINAL_TIME = "linger_append_time"
"""Header of a copied record: the original's append time in milliseconds, which counts instead of the copy's own (E1)."""

IDENTIFIER_LENGTH = 256
_time = TypeAdapter(Moment)
_validators: dict[tuple[str, bytes], Callable[[bytes], Any]] = {
    (topic, model.type.encode()): model.__pydantic_validator__.validate_json for topic, models in BY_TOPIC.items() for model in models
}


@dataclass(frozen=True, slots=True)
class Event:
    """One event as it came in: its CloudEvents attributes and its data."""

    id: str
    source: str
    time: datetime
    data: EventData

    @property
    def type(self) -> str:
        return self.data.type


@dataclass(frozen=True, slots=True)
class Undecodable:
    """Why bytes are no event. `detail` names fields and kinds of error, never a value of theirs."""

    reason: DeadLetterClass
    detail: str


def _faults(error: ValidationError) -> str:
    """Field and kind of each error, at most five. Only the first part of a location stands: keys that a sender chose are data."""
    faults = [
        f"{error['loc'][0] if error['loc'] else 'value'}: {error['type']}" for error in error.errors(include_url=False, include_input=False)
    ]
    return "; ".join(dict.fromkeys(faults[:5]))


def _is_plain(text: str) -> bool:
    return 0 < len(text) <= IDENTIFIER_LENGTH and text.isprintable()


def _attributes_fault(attributes: Mapping[str, bytes]) -> Undecodable:
    try:
        amiss = next((name for name, content in attributes.items() if not _is_plain(content.decode())), None)
    except (UnicodeDecodeError, AttributeError):
        return Undecodable(DeadLetterClass.UNDECODABLE, "a header is not UTF-8")
    if amiss is None:
        return Undecodable(DeadLetterClass.UNKNOWN_TYPE, "ce_type: unknown on this topic")
    return Undecodable(DeadLetterClass.INVALID, f"{amiss}: missing, too long, or with control characters")


_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)


def _is_tellable(time: datetime) -> bool:
    """Whether it has a zone of whole minutes, as RFC 3339 has, and can be told in every zone: at the calendar's ends it could not."""
    offset = time.utcoffset()
    return offset is not None and offset % timedelta(minutes=1) == timedelta(0) and _EARLIEST <= time < _LATEST


def decode_event(topic: str, headers: Iterable[Header] | None, key: bytes | None, value: bytes | None) -> Event | Undecodable:
    """The event in a record of an input topic (`messages`, `tool-calls`, `commands`: base names).

    Checks everything but the partition, which needs the number of partitions. It is done for every record, so it does little work twice.
    """
    if value is None:
        return Undecodable(DeadLetterClass.TOMBSTONE, "an input topic has no tombstones")
    raw_id = raw_type = raw_source = raw_time = b""
    for name, content in headers or ():
        if name == "ce_id":
            raw_id = content
        elif name == "ce_type":
            raw_type = content
        elif name == "ce_source":
            raw_source = content
        elif name == "ce_time":
            raw_time = content
    try:
        event_id, source, sent = raw_id.decode(), raw_source.decode(), raw_time.decode()
    except (UnicodeDecodeError, AttributeError):
        return Undecodable(DeadLetterClass.UNDECODABLE, "a header is not UTF-8")
    validate = _validators.get((topic, raw_type))
    if validate is None or not (_is_plain(event_id) and _is_plain(source) and _is_plain(sent)):
        return _attributes_fault({"ce_id": raw_id, "ce_type": raw_type, "ce_source": raw_source, "ce_time": raw_time})
    try:
        time = datetime.fromisoformat(sent)
    except ValueError:
        time = datetime.min  # has no zone, so it is refused below
    if not _is_tellable(time):
        return Undecodable(DeadLetterClass.INVALID, "ce_time: not an RFC 3339 time with a zone, from 1970 to 8999")
    try:
        data: EventData = validate(value)
    except ValidationError as error:
        fault = (
            DeadLetterClass.UNDECODABLE
            if error.errors(include_url=False, include_input=False)[0]["type"] == "json_invalid"
            else DeadLetterClass.INVALID
        )
        return Undecodable(fault, _faults(error))
    except (ValueError, RecursionError) as error:
        return Undecodable(DeadLetterClass.UNDECODABLE, type(error).__name__)
    if isinstance(data, AgentEvent) and key != data.agent.encode():
        return Undecodable(DeadLetterClass.WRONG_KEY, "the key is not the agent id")
    return Event(event_id, source, time, data)


def encode_event(event: Event) -> tuple[list[Header], bytes | None, bytes]:
    """Headers, key and value of the record that carries this event."""
    headers = [
        ("ce_specversion", b"1.0"),
        ("ce_id", event.id.encode()),
        ("ce_source", event.source.encode()),
        ("ce_type", event.type.encode()),
        ("ce_time", event.time.isoformat().encode()),
        ("content-type", CONTENT_TYPE),
    ]
    key = event.data.agent.encode() if isinstance(event.data, AgentEvent) else None
    return headers, key, encode(event.data)


def topic_of(data: EventData) -> str:
    """Base name of the topic on which this event travels."""
    return next(topic for topic, models in BY_TOPIC.items() if type(data) in models)


def structured(event: Event) -> bytes:
    """The event as one line of our own JSONL: CloudEvents' structured JSON."""
    return orjson.dumps(
        {
            "specversion": "1.0",
            "id": event.id,
            "source": event.source,
            "type": event.type,
            "time": event.time.isoformat(),
            "datacontenttype": "application/json",
            "data": event.data.model_dump(mode="json", exclude_none=True),
        }
    )


def decode_structured(line: bytes) -> Event | Undecodable:
    """The event in one line of our own JSONL."""
    try:
        outer = orjson.loads(line)
        if not isinstance(outer, dict):
            return Undecodable(DeadLetterClass.INVALID, "not a CloudEvent: not a JSON object")
        missing = [name for name in ("specversion", "id", "source", "type", "time", "data") if name not in outer]
        if missing:
            return Undecodable(DeadLetterClass.INVALID, "; ".join(f"{name}: missing" for name in missing))
        if outer["specversion"] != "1.0":
            return Undecodable(DeadLetterClass.INVALID, "specversion: 1.0 is needed")
        data = orjson.dumps(outer["data"])
        headers = [(f"ce_{name}", str(outer[name]).encode()) for name in ("id", "source", "type", "time")]
        topic = next((name for name, models in BY_TOPIC.items() if any(model.type == outer["type"] for model in models)), "")
        agent = outer["data"].get("agent")
        key = agent.encode() if isinstance(agent, str) else None
    except orjson.JSONDecodeError:
        return Undecodable(DeadLetterClass.UNDECODABLE, "not JSON")
    except (KeyError, TypeError, AttributeError, ValueError):
        return Undecodable(DeadLetterClass.INVALID, "data: not a JSON object")
    return decode_event(topic, headers, key, data)


def encode(value: BaseModel) -> bytes:
    """A model as JSON, absent fields left out. The order of keys is the model's, so equal values give equal bytes."""
    return value.__pydantic_serializer__.to_json(value, exclude_none=True)


T = TypeVar("T")


class Codec(Generic[T]):
    """Reads the records of one of our own topics. A model or a union by `type`."""

    def __init__(self, adapter: TypeAdapter[T]) -> None:
        self._adapter = adapter

    def decode(self, value: bytes | None) -> T | Undecodable:
        """The record, or why it is none. Never raises."""
        if value is None:
            return Undecodable(DeadLetterClass.TOMBSTONE, "a tombstone")
        try:
            return self._adapter.validate_json(value)
        except ValidationError as error:
            return Undecodable(DeadLetterClass.INVALID, _faults(error))
        except (ValueError, RecursionError) as error:
            return Undecodable(DeadLetterClass.UNDECODABLE, type(error).__name__)


def encode_key(parts: Sequence[str | int]) -> bytes:
    """A key made of several parts, as a JSON array."""
    return orjson.dumps(list(parts))


def decode_key(key: bytes) -> tuple[str | int, ...]:
    return tuple(orjson.loads(key))
