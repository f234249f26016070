"""What a sentence says to be replaced: "use X, not Y", "we moved from Y to X", "no longer Y" (C4). Pure."""

import re

from streams.models.rules.alternatives import others_than
from streams.models.sentences import masked
from streams.models.words import content_words

LONGEST_REPLACED = 120
"""Characters; what is longer is no name of a thing or habit."""

_END = r"(?=$|[,.;:!?–—)]| (?:any ?more|any longer|because|since|so|and|but|then|when|which|that|as of|from now|please|instead)\b)"
_CHANGED = r"(?:moved|moving|migrated|migrating|switched|switching|changed|changing|converted|transitioned|went|going)"
_REPLACED = (
    re.compile(rf"\b{_CHANGED}\b[^.;]{{0,60}}? from (?P<old>[^.;]{{1,60}}?) (?:over |back )?to \w"),
    re.compile(
        r"\b(?:is|are|was|were|am|'m|'re) no longer (?P<old>(?!used\b|needed\b|supported\b|in use\b|allowed\b|valid\b"
        rf"|our\b|required\b)[^,.;]+?){_END}"
    ),
    re.compile(r"^(?:the |our )?(?P<old>[^,.;]{1,60}?) (?:is|are) no longer (?:used|needed|supported|in use|allowed|valid|our|required)\b"),
    re.compile(rf"\bno longer (?P<old>(?!used\b|needed\b|supported\b|in use\b|allowed\b|valid\b|our\b|required\b)[^,.;]+?){_END}"),
    re.compile(r"\b(?:do not|don't|are not|aren't) (?P<old>[^.;,]{1,80}?) (?:any ?more|any longer)(?=$|[.,;:!?])"),
    re.compile(rf"\binstead of (?P<old>[^,.;]+?)(?:{_END}|(?= (?:we|i|you|use|take|for|in|on|to|from|with)\b))"),
    re.compile(rf"\brather than (?P<old>[^,.;]+?)(?:{_END}|(?= (?:for|in|on|to|from|with)\b))"),
    re.compile(rf", (?:and |but )?not (?:with |on |in |to |at |by |from |as )?(?P<old>[^,.;]+?){_END}"),
    re.compile(
        r"\bnot (?!only\b|just\b|sure\b|yet\b|now\b|bad\b|perfect\b|great\b|ideal\b|urgent\b|really\b|necessarily\b)"
        r"(?:with |on |in |to |at |by |from |as )?(?P<old>[^,.;]{1,60}?),? but (?:rather )?\w"
    ),
    re.compile(
        r"\b(?:dropped|abandoned|retired|deprecated|ditched|scrapped|phased out|got rid of|gave up on"
        rf"|given up on) (?P<old>[^,.;]+?)(?:{_END}|(?= (?:for|in favou?r of|and)\b))"
    ),
    re.compile(rf"\b(?:decided|agreed|voted|opted|chose) against (?:using |going with |having )?(?P<old>[^,.;]+?){_END}"),
    re.compile(rf"\bstopped (?P<old>\w+ing\b[^,.;]*?){_END}"),
    re.compile(r"\breplaced (?P<old>[^,.;]{1,60}?) (?:with|by) \w"),
    re.compile(r"^(?:the |our )?(?P<old>[^,.;]{1,60}?) (?:has been|have been|was|were|is being|is|are) replaced (?:by|with)\b"),
    re.compile(
        r"^(?:please |no,? |just )*(?:do not|don't) (?:use|take|write|put"
        r"|send) (?P<old>[^,.;:–—]{1,60}?) ?[,;:.–—-] ?(?:but |please )?(?:use|take|write|put|send)\b"
    ),
)
_WITHOUT_FROM = re.compile(
    rf"\b{_CHANGED}(?: over| back| everything| completely)?(?: (?:the|our) [\w -]{{1,30}}?)? to (?P<new>[^.;]+)"
    r"|\b(?:now|back|as of \w+(?: \w+)?|starting \w+|since \w+)\b[^.;]{0,30}?\b(?:on|use|uses|using|run on|runs on|to) (?P<newer>[^.;]+)"
    r"|\b(?:is|are|'re) now (?P<current>[^.;]+)|(?P<said>.*\binstead\b(?! of).*)"
)
_ARTICLES = re.compile(r"^(?:(?:the|a|an|our|any|its|using|use|to use|with) )+", re.IGNORECASE)


def replaced(sentence: str) -> str:
    """The words of what is replaced; empty: the sentence doesn't say. Where only the new thing is named, other things of its kind."""
    words = masked(sentence)
    for pattern in _REPLACED:
        match = pattern.search(words)
        if match is None:
            continue
        old = sentence[match.start("old") : match.end("old")].strip(" \"'`“”‘’")
        old = _ARTICLES.sub("", old)
        if content_words(old) and len(old) <= LONGEST_REPLACED:
            return old
    match = _WITHOUT_FROM.search(words)
    if match is None:
        return ""
    name = match.lastgroup or ""
    return others_than(sentence[match.start(name) : match.end(name)])
