"""Images and other base64 out of a text: a placeholder says type and size, so that no chunk is filled with bytes (X3, U33). Pure."""

import base64
import binascii
import re
from typing import Any

import orjson

_LEAST_CHARACTERS = 200
_DATA_URL = re.compile(r"data:(?P<type>[\w.+-]+/[\w.+-]+)?(?:;[\w=.-]+)*;base64,(?P<data>[A-Za-z0-9+/_-]{16,}={0,2})")
# Begun only where a run begins: looked for at every character of one long run it would take minutes.
_LINES = re.compile(
    r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{60,100}(?:(?:\r?\n|\\n)[A-Za-z0-9+/]{60,100}){3,}(?:(?:\r?\n|\\n)[A-Za-z0-9+/]{1,100})?={0,2}"
)
_RUN = re.compile(rf"[A-Za-z0-9+/_-]{{{_LEAST_CHARACTERS},}}={{0,2}}")
_BREAKS = re.compile(r"\\n|[\r\n]")
_BEGINNINGS = (
    ("iVBORw0KGgo", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lGOD", "image/gif"),
    ("UklGR", "image/webp"),
    ("JVBERi0", "application/pdf"),
    ("UEsDB", "application/zip"),
    ("H4sI", "application/gzip"),
)


def without_attachments(text: str) -> str:
    """Give the text with each attachment replaced by a placeholder such as `[image/png, 12,345 bytes]`."""
    if len(text) < _LEAST_CHARACTERS and "base64," not in text:
        return text
    text = _DATA_URL.sub(lambda match: _placeholder(match.group("data"), match.group("type") or ""), text)
    for pattern in (_LINES, _RUN):
        text = pattern.sub(lambda match: _placeholder(match.group(), "") if _is_encoded(match.group()) else match.group(), text)
    return text


def as_text(value: Any) -> str:
    """Give a tool's arguments or result as text: words as they are, content blocks' words joined, everything else as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(block, dict) and isinstance(block.get("text"), str) for block in value):
        return "\n".join(block["text"] for block in value)
    return orjson.dumps(value).decode()


def _is_encoded(data: str) -> bool:
    """Whether a run is bytes as base64: long words, rulers, hexadecimal numbers and paths use fewer kinds of characters."""
    beginning = data[:4_096]
    kinds = (str.isupper, str.islower, str.isdigit)
    return all(sum(kind(character) for character in beginning) * 25 >= len(beginning) for kind in kinds)


def _placeholder(data: str, kind: str) -> str:
    data = _BREAKS.sub("", data).rstrip("=")
    if not kind:
        kind = next((name for beginning, name in _BEGINNINGS if data.startswith(beginning)), "") or _text_or_bytes(data)
    return f"[{kind}, {len(data) * 3 // 4:,} bytes]"


def _text_or_bytes(data: str) -> str:
    try:
        beginning = base64.b64decode(data[:64], altchars=b"-_" if "-" in data or "_" in data else None)
    except (binascii.Error, ValueError):
        return "base64"
    return "base64 text" if beginning and all(9 <= byte < 127 for byte in beginning) else "base64"
