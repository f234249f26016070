"""Mistyped words of cues, such as "alwyas" or "remeber", read as what was meant (X14). Pure.

Only words that look like nothing else: two letters swapped, or in a long word one left out or doubled. The user's own words
stay as they are.
"""

import re

from streams.models.rules.phrases import IMPERATIVE_WORDS
from streams.models.words import FUNCTION_WORDS

_CUE_WORDS = """
    always never whenever when before after please remember every everywhere should must without instead because from prefer anything
    nothing everyone nobody decided agreed actually
"""
_SHORTEST_ORDER, _SHORTEST_LEFT_OUT = 6, 7
_WORD = re.compile(r"[a-z]{4,12}")
_NO_MISTAKE = FUNCTION_WORDS | IMPERATIVE_WORDS | frozenset(["form", "forms", "reverse", "remembers"])


def _mistakes() -> dict[str, str]:
    wanted = [*_CUE_WORDS.split(), *sorted(word for word in IMPERATIVE_WORDS if len(word) >= _SHORTEST_ORDER and word.isalpha())]
    found: dict[str, str] = {}
    for word in wanted:
        swapped = [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)]
        left_out = [word[:at] + word[at + 1 :] for at in range(1, len(word) - 1)] if len(word) >= _SHORTEST_LEFT_OUT else []
        doubled = [word[:at] + word[at] + word[at:] for at in range(len(word))] if len(word) >= _SHORTEST_LEFT_OUT else []
        # An order is a word of many forms: "decide", "remove", "reserve". Only swapped letters are safe there.
        for mistake in swapped if word in IMPERATIVE_WORDS else (*swapped, *left_out, *doubled):
            if mistake not in _NO_MISTAKE:
                found.setdefault(mistake, word)
    return found


_MEANT = _mistakes()


def as_meant(words: str) -> str:
    """Lower-case text with mistyped words of cues mended."""
    return _WORD.sub(lambda match: _MEANT.get(match.group(), match.group()), words)
