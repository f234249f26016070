"""Gates on what a model proposes: words that are kept, and when a line may be called disproved or a duplicate (C8).

Each raises Refused with its reason, or lets pass.
"""

from collections.abc import Iterable, Mapping, Sequence

from schemas.base import Moment
from schemas.candidates import Candidate, Scope
from schemas.memory import KnownRoom, Line
from streams.consolidation.lines import LONGEST_LINE_CHARACTERS
from streams.models.words import absent, content_words, details, normalise


class Refused(Exception):
    """An operation that is not applied; its candidates are pending again."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def said_words(candidate: Candidate) -> str:
    """Give all words of a candidate that a line may be made of."""
    return " ".join((candidate.statement, candidate.reason, candidate.quote))


def wording(text: str, keeps: Iterable[str], sources: Sequence[str]) -> None:
    """Refuse a text that loses a number, path, code span or negation of `keeps`, has one from nowhere, or speaks of something else."""
    if not normalise(text):
        raise Refused("no words")
    if len(text) > LONGEST_LINE_CHARACTERS:
        raise Refused("too long")
    for kept in keeps:
        if absent(details(kept), text):
            raise Refused("loses a number, path, name or negation")
    said = " ".join(sources)
    if absent(details(text), said):
        raise Refused("a number, path, name or negation from nowhere")
    words = content_words(text)
    if 2 * len(words & content_words(said)) < len(words):
        raise Refused("says something else than its candidates")


def same_statement(text: str, line: Line) -> None:
    """Refuse to call `text` a duplicate of the line: half of its content words are there, no number, path or negation is lost."""
    if normalise(text) == normalise(line.text):
        return
    words = content_words(text)
    if not words or 2 * len(words & content_words(line.text)) < len(words):
        raise Refused("shares less than half of its words with the line")
    if absent(details(text), f"{line.text} {line.reason}"):
        raise Refused("loses a number, path, name or negation")
    if ("not" in details(line.text)) != ("not" in details(text)):
        raise Refused("the one is negated and the other is not")


def same_place(about: str, scope: Scope, line: Line) -> None:
    """Refuse to merge statements about different people, or one that holds more widely than the line."""
    if normalise(about) != normalise(line.about):
        raise Refused("about somebody else")
    if line.scope.kind != "everywhere" and scope != line.scope:
        raise Refused("another scope than the line's")


def disproof(line: Line, because: Candidate, at: Moment, rooms: Mapping[str, KnownRoom]) -> None:
    """Refuse to end the line because of this candidate, unless it is later, as trusted, about the same, and in force."""
    if because.holds_from is not None and because.holds_from > at:
        raise Refused("a future change: both are kept")
    if (because.holds_from or because.said_at) <= (line.holds_from or line.said_at):
        raise Refused("not later than the line")
    if because.trust.rank < line.trust.rank:
        raise Refused("trusted less than the line")
    if normalise(because.about) != normalise(line.about):
        raise Refused("about somebody else")
    if not overlapping(because.scope, line.scope, rooms):
        raise Refused("the scopes do not overlap")
    said = " ".join((because.statement, because.quote, because.corrects))
    shared = content_words(line.text) & content_words(said) or (details(line.text) - {"not"}) & details(said)
    if not shared:
        raise Refused("its cause shares no word with the line")


def overlapping(one: Scope, other: Scope, rooms: Mapping[str, KnownRoom]) -> bool:
    """Say whether there can be a place where both hold. A Room lies in its project."""
    if "everywhere" in (one.kind, other.kind):
        return True
    if one.kind == other.kind:
        return one.id == other.id
    room, project = (one, other) if one.kind == "room" else (other, one)
    known = rooms.get(room.id)
    return known is not None and known.project == project.id
