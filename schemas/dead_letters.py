"""What could not be processed: where it lies and why, never its body (E6)."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Literal

from schemas.base import Identifier, Moment, Position, Value, Whole
from schemas.ids import digest

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class DeadLetterClass(StrEnum):
    UNDECODABLE = "undecodable"
    """Not JSON, or a header that is not UTF-8."""
    INVALID = "invalid"
    """JSON, but a field is missing or wrong."""
    TOMBSTONE = "tombstone"
    UNKNOWN_TYPE = "unknown_type"
    WRONG_KEY = "wrong_key"
    WRONG_PARTITION = "wrong_partition"
    TOO_LARGE = "too_large"
    LEFT_OUT = "left_out"
    """A record that no model call could take, not even alone (X11)."""
    SKIPPED = "skipped"
    """An event that one agent's fold could not apply (C13)."""


class DeadLetter(Value):
    """One record that was passed over. Its id is its position: the same record twice is one dead letter."""

    type: Literal["dead.letter"] = "dead.letter"
    position: Position
    reason: DeadLetterClass
    detail: str
    """Names of fields and kinds of error; no text of the record."""
    digest: Identifier
    """SHA-256 of the value in hex; of the empty string for a tombstone."""
    size: Whole
    """Bytes of the value."""
    role: Identifier
    """Which of our roles passed it over."""
    at: Moment
    """Append time of the record that was passed over."""

    @classmethod
    def about(cls, value: bytes | None, position: Position, reason: DeadLetterClass, detail: str, *, role: str, at_ms: int) -> "DeadLetter":
        """The dead letter of a record with this value, appended at `at_ms`, in milliseconds since 1970."""
        body = value or b""
        at = _EPOCH + timedelta(milliseconds=at_ms)
        return cls(position=position, reason=reason, detail=detail, digest=digest(body), size=len(body), role=role, at=at)
