"""Points in time: of the contract, with a zone, and of the rows, whole numbers. Pure."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def moment(milliseconds: int) -> datetime:
    """Give the point in time, in UTC, so many milliseconds after 1970."""
    return _EPOCH + timedelta(milliseconds=milliseconds)


def microseconds(time: datetime) -> int:
    """Give the microseconds since 1970; exact, unlike `timestamp()`."""
    return (time - _EPOCH) // _MICROSECOND
