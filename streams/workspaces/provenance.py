"""What was found without a model says so (X14)."""

from collections.abc import Collection

from schemas.candidates import RULES
from schemas.memory import Line

_LIMITS = "found by the offline `rules` extractor, which knows only English cues and keeps the speaker's own words.\n"
SUMMARY_BY_RULES = "Put together by the offline `rules` extractor from the records' own words.\n"


def found_by(lines: Collection[Line]) -> str:
    """Give a sentence with its line feed, empty if `rules` found none of the lines."""
    count = sum(line.extractor == RULES for line in lines)
    if not count:
        return ""
    return f"{'These lines were' if count == len(lines) else 'Some of these lines were'} {_LIMITS}"
