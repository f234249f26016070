"""Keeping the beginning of what is too long for a record, with a mark and a digest of the whole (E6). Pure."""

from typing import Any

import orjson

from schemas.codec import Event, encode
from schemas.events import MessageEdited, MessagePosted, ToolCalled
from schemas.ids import digest


def shortened(event: Event, bytes_max: int) -> Event | None:
    """Give the event with its long texts cut so that its value has at most `bytes_max` bytes; None if that is not enough.

    An event that fits comes back as it is. Of a tool call first the result is cut, then the arguments.
    """
    data = event.data
    excess = len(encode(data)) - bytes_max
    if excess <= 0:
        return event
    fields: tuple[str, ...]
    match data:
        case MessagePosted() | MessageEdited():
            fields = ("text",)
        case ToolCalled():
            fields = ("result", "arguments")
        case _:
            return None
    for name in fields:
        data = data.model_copy(update={name: _beginning(getattr(data, name), excess)})
        excess = len(encode(data)) - bytes_max
        if excess <= 0:
            return Event(event.id, event.source, event.time, data)
    return None


def _beginning(value: Any, excess: int) -> str | None:
    """Give a value's text, shorter by at least `excess` bytes of JSON if it is long enough."""
    if value is None:
        return None
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    whole = text.encode("utf-8", "surrogatepass")
    room = 200  # bytes for the mark
    lost = excess + room
    # A character takes between one and six bytes in JSON, so bytes are dropped from the end of the JSON form.
    encoded = orjson.dumps(text)[1:-1]
    kept = _decoded(encoded[: max(0, len(encoded) - lost)])
    left_out = len(text) - len(kept)
    return f"{kept}\n[… {left_out} characters left out; SHA-256 of the whole: {digest(whole)}]"


def _decoded(encoded: bytes) -> str:
    """Give the text of a JSON string's beginning, without the character that the cut has split."""
    for end in range(len(encoded), max(-1, len(encoded) - 13), -1):
        try:
            return str(orjson.loads(b'"' + encoded[:end] + b'"'))
        except orjson.JSONDecodeError:
            continue
    return ""
