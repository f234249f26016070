"""Whether the cues cover the language of what users wrote (X14). Pure.

A line in Latin letters is told by function words: English ones against those of neighbours. Words that several languages share count for
all of them, so a single "in" or "no" tells nothing against an "immer" or a "siempre".
"""

import re
from collections.abc import Iterable

from streams.models.rules.phrases import IMPERATIVE_WORDS
from streams.models.sentences import MASK, masked, own_text
from streams.models.words import FUNCTION_WORDS

_FOREIGN_WORDS = """
    der die das den dem des und ist nicht ein eine einen mit für auf immer bitte wir ich sie es zu im vom nie kein keine auch noch
    oder aber wenn bei nach alle mehr statt le la les un une du et est pas pour dans que qui nous vous je toujours jamais au aux
    avec sur ce cette de sont tout tous mais el los las una y para con por siempre nunca se lo del al en como más todo todos pero
    il gli di che è per sempre mai non sono tutti della nel het een niet van op dat voor met zijn altijd nooit maar ook o os um
    uma não e é com em do da dos mas och att det är inte som på för med alltid aldrig og at er ikke til af men w z na jest się i
    dla że tak bir ve bu için her zaman olarak že není si nem és egy az hogy ja on ei ole että
"""
_FOREIGN = frozenset(_FOREIGN_WORDS.split()) - frozenset(["i", "on", "at", "do", "her", "as", "men"])
_ENGLISH = FUNCTION_WORDS | IMPERATIVE_WORDS
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")

LEAST_WORDS = 4
"""Words from which on a line without any function word is taken for another language."""


def uncovered_share(texts: Iterable[str]) -> float:
    """The part of what was written, by words, that is not in English; 0.0 where nothing can be told."""
    covered = uncovered = 0
    for text in texts:
        for line in masked(own_text(text)).replace(MASK, " ").splitlines():
            count, english = _counted(line)
            if english is None:
                continue
            if english:
                covered += count
            else:
                uncovered += count
    return uncovered / (covered + uncovered) if uncovered else 0.0


def _counted(line: str) -> tuple[int, bool | None]:
    """How many words it has, and whether it is English; None: nothing tells."""
    unspaced = len(_UNSPACED.findall(line))
    words = _WORD.findall(_UNSPACED.sub(" ", line))
    latin = [word for word in words if word[0].isascii() or "\u00c0" <= word[0] <= "\u024f"]
    count = len(words) + unspaced
    if count - len(latin) > len(latin):
        return count, False
    english = sum(word in _ENGLISH for word in latin)
    foreign = sum(word in _FOREIGN for word in latin)
    if english > foreign:
        return count, True
    return count, False if foreign or len(latin) >= LEAST_WORDS else None
