"""Whether a correction is meant for a statement: does it say what the correction says to be replaced? (C4, U06). Pure.

Careful on purpose: a line that is ended wrongly is a loss, one that stays is seen by the next model or person.
"""

import re

from schemas.candidates import Candidate
from streams.models.rules.alternatives import named_others
from streams.models.words import content_words, fold, words

VERSION = 1

_MOVED = r"(?:moved|migrated|switched|changed|went|converted|transitioned|moving|migrating|switching)"
# Words that say that a thing is the one of its kind.
_CHOICE = (
    r"(?:use[sd]?|using|run(?:s|ning)? on|hosted (?:on|at|by|with)|deploy(?:s|ed)? (?:to|on|with)|written in|built (?:on|with|in)"
    r"|based on|(?:live|stay|stand|sit)s? (?:in|on|at|with)|(?:decided|agreed|settled|opted)(?: on| for| to)?(?: use| go with| adopt)?"
    r"|go(?:ing)? with|stick(?:ing)? (?:with|to)|chose|chosen|picked|adopt(?:s|ed)?|prefers?|preferred|standardi[sz]ed? on"
    rf"|keep(?:s|ing)?(?: using)?|{_MOVED}\b[^.;]{{0,60}}? to|called|named)"
)
# Words that only may say so: more than the thing must be shared.
_PLACE = r"(?:is|are|was|on|with|via|in|at|as|to|from|by|=|:)"
_BEING = r"(?:is|are|'re|was|on)"
_BETWEEN = r"(?: (?:on|in|with|to|the|a|an|our|now|always|only|still|it|its))* [\"'`]?"
_NO_LONGER = r"(?:not|never|no|nor|\w+n't|no longer|without|instead of|rather than|against|avoid|stop|drop(?:ped)?|ban(?:ned)?)"
_DENIED = rf"\b{_NO_LONGER}(?:\W+[\w-]+){{0,3}}?\W+|\b{_MOVED}\b[^.;]{{0,60}}? from (?:the |our )?"
_ENDINGS = re.compile(r"(?:ings?|ed|es|s)$")
LEAST_SHARE = 0.5
"""Share of a statement's content words that what is replaced must have, where no word of choice stands before it."""
LEAST_SUBJECT_WORDS = 2
"""Content words, besides what is replaced, that show that two statements from different places have one subject."""
_NO_SUBJECT = """
    decided agreed moved moving migrated switched changed went longer last next week month year today yesterday tomorrow currently
    finally back dropped replaced stopped everything completely new old
"""
_SAYS_NO_SUBJECT = frozenset(_NO_SUBJECT.split())


def contradicts(cause: Candidate, statement: str, *, same_place: bool) -> bool:
    """Whether the statement says what `cause.corrects` says to be replaced; what was said in another place must also share its subject."""
    names = named_others(cause.corrects)
    shared = _stems(subject_words(cause.statement, cause.corrects)) & _stems(content_words(statement))
    if not same_place and len(shared) < LEAST_SUBJECT_WORDS:
        return False
    if names:
        said = [word for word in dict.fromkeys(words(statement)) if word in names]
        is_chosen = len(said) == 1 and (_chooses(statement, said[0]) or _stands_after(_BEING, statement, said[0]))
        return is_chosen and not _denies(statement, said[0]) and not _is_one_of_several(statement, said[0])
    replaced = _stems(content_words(cause.corrects))
    held = _stems(content_words(statement))
    if not replaced or not replaced <= held:
        return False
    first = next(word for word in words(cause.corrects) if _stem(word) in replaced)
    if _denies(statement, first) or _is_one_of_several(statement, first):
        return False
    is_placed = bool(shared) and _stands_after(_PLACE, statement, first)
    return _chooses(statement, first) or is_placed or len(replaced) >= LEAST_SHARE * len(held)


def subject_words(statement: str, corrects: str) -> frozenset[str]:
    """The content words that say what it is about, besides the thing that is replaced."""
    return content_words(statement) - content_words(corrects) - _SAYS_NO_SUBJECT


def _chooses(statement: str, thing: str) -> bool:
    """Whether the statement says that this thing is used."""
    return _stands_after(_CHOICE, statement, thing)


def _stands_after(before: str, statement: str, thing: str) -> bool:
    return re.search(rf"(?<!\w){before}{_BETWEEN}{re.escape(thing)}", fold(statement)) is not None


def _denies(statement: str, thing: str) -> bool:
    """Whether the statement itself says that this thing is not used."""
    return re.search(rf"(?:{_DENIED})[\"'`]?{re.escape(_stem(thing))}", fold(statement)) is not None


def _is_one_of_several(statement: str, thing: str) -> bool:
    """Whether the statement names it beside others, which would be lost with it: "Slack and Postgres"."""
    name = rf"[\"'`]?{re.escape(thing)}(?!\w)[\"'`]?"
    beside = (
        rf"(?:\b(?:and|or|plus) |& |, )(?:the |our )?{name}|{name} (?:and|or|plus|&) (?!we\b|it\b|then\b|so\b|not\b|the\b|they\b|i\b)\w"
    )
    return re.search(beside, fold(statement)) is not None


def _stems(found: frozenset[str]) -> frozenset[str]:
    return frozenset(_stem(word) for word in found)


def _stem(word: str) -> str:
    """The word without an English ending, so that "deploys" is "deploy"."""
    return _ENDINGS.sub("", word) if len(word) > 4 and not word.endswith("ss") else word
