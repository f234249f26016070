"""What comes first when not everything has room (C6, W1)."""

from schemas.candidates import Kind
from schemas.memory import Line, Section

_ROOMS_COUNTED = 16


def usefulness(line: Line) -> tuple[int, int, float, int, str]:
    """Give a key that sorts the most useful line first.

    Pins, then trusted rules, then preferences and decisions, then the rest; then the number of distinct Rooms; then the most recent.
    """
    if line.pinned:
        rank = 0
    elif line.kind is Kind.RULE and line.trust.trusted:
        rank = 1
    else:
        rank = 2 if line.kind in (Kind.PREFERENCE, Kind.DECISION) else 3
    return rank, -min(len(line.rooms), _ROOMS_COUNTED), -line.said_at.timestamp(), *number(line.id)


def number(identifier: str) -> tuple[int, str]:
    """Give the number in the id of a line (`l12`) or section (`s3`), and the id: the order in which they came."""
    digits = identifier[1:]
    return (int(digits) if digits.isascii() and digits.isdigit() else 0), identifier


def confirmed(line: Line) -> bool:
    """Whether the line may stand in the summary and so in the note: trusted, and at one with the rest (C8, C12)."""
    return line.trust.trusted and not line.unreconciled


def in_full(line: Line) -> bool:
    """Whether the line is one of those that the summary carries in full: a trusted rule, preference or pin."""
    return confirmed(line) and (line.pinned or line.kind in (Kind.RULE, Kind.PREFERENCE))


def most_useful(section: Section) -> tuple[int, int, float, int, str] | None:
    """Give the key of the section's most useful confirmed line; None if it has none."""
    return min((usefulness(line) for line in section.lines if confirmed(line)), default=None)
