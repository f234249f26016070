"""A violation: one sentence that names what and where."""

from dataclasses import dataclass
from enum import StrEnum


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
