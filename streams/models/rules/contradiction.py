"""Whether a correction is meant for a statement: does it say what the correction says to be replaced? (C4, U06). Pure.

Careful on purpose: a line that is ended wrongly is a loss, one that stays is seen by the next model or person.
"""

import re

from schemas.candidates import Candidate
from streams.models.rules.alternatives import named_others
from streams.models.words import content_words, fold, words

VERSION = 1

_CHOICE = (
    r"(?:use[sd]?|using|run(?:s|ning)? on|hosted (?:on|at|by|with)|deploy(?:s|ed)? (?:to|on|with)|written in|built (?:on|with|in)|based on"
    r"|(?:live|stay|stand|sit)s? (?:in|on|at|with)|(?:decided|agreed|settled|opted)(?: on| for| to)?(?: use| go with"
    r"| adopt)?|go(?:ing)? with"
    r"|stick(?:ing)? (?:with|to)|chose|chosen|picked|adopt(?:s|ed)?|prefers?|preferred|standardi[sz]ed? on|keep(?:s|ing)?(?: using)?"
    r"|(?:moved|migrated|switched|changed|went|converted|transitioned)\b[^.;]{0,60}? to|(?:is|are|was|on|with|via|in|at"
    r"|as|to|called|named|=|:))"
)
_BEFORE = r"(?: (?:on|in|with|to|the|a|an|our|now|always|only|still|it|its))*"
_DENIED = (
    r"\b(?:not|never|no|nor|\w+n't|no longer|without|instead of|rather than|from|avoid|stop|drop(?:ped)?|ban(?:ned)?)(?:\W+[\w-]+){0,3}?\W+"
)
_ENDINGS = re.compile(r"(?:ings?|ed|es|s)$")
LEAST_SHARE = 0.5
"""Share of a statement's content words that what is replaced must have, where no word of choice stands before it."""


def contradicts(cause: Candidate, statement: str) -> bool:
    """Whether the statement says what `cause.corrects` says to be replaced."""
    names = named_others(cause.corrects)
    if names:
        said = [word for word in dict.fromkeys(words(statement)) if word in names]
        return len(said) == 1 and _chooses(statement, said[0]) and not _denies(statement, said[0])
    replaced = _stems(content_words(cause.corrects))
    held = _stems(content_words(statement))
    if not replaced or not replaced <= held or _stems(content_words(cause.statement)) == held:
        return False
    first = next(word for word in words(cause.corrects) if _stem(word) in replaced)
    if _denies(statement, first):
        return False
    return _chooses(statement, first) or len(replaced) >= LEAST_SHARE * len(held)


def _chooses(statement: str, thing: str) -> bool:
    """Whether the statement says that this thing is used, or is what something is."""
    return re.search(rf"(?<!\w){_CHOICE}{_BEFORE} [\"'`]?{re.escape(thing)}", fold(statement)) is not None


def _denies(statement: str, thing: str) -> bool:
    """Whether the statement itself says that this thing is not used."""
    return re.search(rf"{_DENIED}[\"'`]?{re.escape(_stem(thing))}", fold(statement)) is not None


def _stems(found: frozenset[str]) -> frozenset[str]:
    return frozenset(_stem(word) for word in found)


def _stem(word: str) -> str:
    """The word without an English ending, so that "deploys" is "deploy"."""
    return _ENDINGS.sub("", word) if len(word) > 4 and not word.endswith("ss") else word
