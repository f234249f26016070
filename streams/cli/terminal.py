"""Text from conversations on a terminal: what could steer the terminal or hide words is shown, never obeyed (S3).

Escape sequences, other control characters, overrides of direction, invisible and tag characters come out as `\\x1b`, `\\u202e` and so on.
"""

import json
import re
import sys
import unicodedata
from typing import Any

_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# A joiner is needed to write some scripts and emoji, and neither steers nor hides anything; a soft hyphen does hide.
_HARMLESS = frozenset({"\u200c", "\u200d"})
_SUSPECT = re.compile(r"[^\x20-\x7e]")


def escape(text: str, *, lines: bool = False) -> str:
    """Give text that a terminal can only show. With `lines`, line feeds stay, as in a whole document."""

    def shown(match: re.Match[str]) -> str:
        character = match[0]
        if lines and character == "\n":
            return character
        return _visible(character) if _steers(character) else character

    return _SUSPECT.sub(shown, text)


def escape_json(text: str) -> str:
    """Give the same JSON with those characters as its own escapes; they can only stand in its strings."""

    def shown(match: re.Match[str]) -> str:
        character = match[0]
        return json.dumps(character)[1:-1] if character != "\n" and _steers(character) else character

    return _SUSPECT.sub(shown, text)


def as_json(value: Any) -> str:
    """Give a value of plain types as indented JSON that a terminal can only show; letters of every script stay readable."""
    return escape_json(json.dumps(value, ensure_ascii=False, indent=2))


def _steers(character: str) -> bool:
    return unicodedata.category(character) in _CATEGORIES and character not in _HARMLESS


def _visible(character: str) -> str:
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def show(line: str) -> None:
    """Print a line, or lines, in UTF-8; what it holds of other people's words must be escaped."""
    sys.stdout.buffer.write(line.encode("utf-8", "backslashreplace") + b"\n")
    sys.stdout.buffer.flush()


def show_json(value: Any) -> None:
    """Print a value of plain types as JSON."""
    show(as_json(value))
