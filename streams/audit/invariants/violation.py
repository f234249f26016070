"""A violation: one sentence that names what and where."""

from dataclasses import dataclass
from enum import StrEnum

JOURNAL = "memory-candidates[0]@"
"""Before an offset: a place in the journal."""


class Invariant(StrEnum):
    DECISIONS = "one decision each"
    LINES = "line ends"
    LINEAGE = "lineage"
    SHARE = "share"
    FILES = "files"


@dataclass(frozen=True)
class Violation:
    invariant: Invariant
    agent: str
    sentence: str
    """Ids, names of topics and offsets; no words of a conversation."""


def times(number: int) -> str:
    """Give a number of times in words."""
    return {0: "not at all", 1: "once"}.get(number, f"{number} times")
