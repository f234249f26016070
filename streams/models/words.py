"""Words of a statement, so that all parts mean the same by "equal", "shared" and "kept" (X5, X7, C8).

Pure. Nothing here knows a language well: English function words are left out, scripts without spaces are cut into pairs of characters.
"""

import re
import unicodedata

_TYPOGRAPHIC = str.maketrans("‘’‛′“”„‟″‐‑‒–—−", '\'\'\'\'"""""------')
_ENDS = " \"'«».,;:!…。、！，；："  # no question mark: a question is not the statement in the same words
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufe00-\ufe0f]")

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_SPACED = rf"[^\W{_UNSPACED}]"
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff"  # marks within words that \w leaves out
_WORD = re.compile(rf"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])[\w{_MARKS}])+(?:'(?:(?![{_UNSPACED}])[\w{_MARKS}])+)*")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")

_FUNCTION_WORDS = """
    a about above actually after again all also always am an and any anymore are as at be because been before being below between both
    but by can can't cannot could couldn't did didn't do does doesn't doing don't done down each either ever every few for from further get
    gets getting go goes going had has hasn't have haven't having he her here hers him his how however i i'd i'll i'm i've if in instead
    into is isn't it it's its itself just let let's like made make makes making many may me might more most much must my need needs neither
    never no nor not now of off ok okay on once one ones only or other our ours out over own per please rather really same shall she should
    shouldn't so some still such than that that's the their theirs them then there there's these they they're this those through to too
    under until up us use used uses using very via want wants was wasn't we we'd we'll we're we've well were weren't what when where
    whether which while who whom whose why will with within without won't would wouldn't yes yet you you'd you'll you're you've your yours
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English words that carry no content of their own; "use" is among them, since every choice of a thing is said with it."""

_NEGATION = re.compile(
    r"(?<!\w)(?:no|not|never|none|nor|neither|nothing|nobody|nowhere|without|cannot|\w+n't"
    r"|nicht|keine?[mnrs]?|nie|niemals|niet|geen|nooit|jamais|pas|nunca|jamás|não|не|нет|никогда)(?!\w)"
    r"|[不没沒勿别別]|ない|ません|않|없"
)

_DETAIL = re.compile(
    r"`(?P<code>[^`\n]+)`"
    r"|(?P<url>[A-Za-z][A-Za-z0-9+.-]{1,15}://[^\s<>\"'`]+)"
    r"|(?P<mail>[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+)"
    r"|(?P<path>(?<![\w/.~])(?:~|\.{1,2})?(?:/[\w.@%+=~-]+)+/?|(?<!\w)[A-Za-z]:\\[^\s\"'`]+"
    r"|(?<![\w/.-])[\w.@-]{1,128}(?:/[\w.@%+=~-]+)+/?)"
    r"|(?P<flag>(?<![\w-])--?[A-Za-z][\w-]*)"
    rf"|(?P<number>(?<!{_SPACED})(?<!\.)\d+(?:[.,:/-]\d+)*(?!\d)(?=[A-Za-z]{{0,7}}(?!{_SPACED})))"
    rf"|(?P<name>[@#$]?{_SPACED}+(?:(?:\.|::|->){_SPACED}+)*)"
)
_WORDS_WITH_SLASH = "and/or either/or he/she his/her him/her s/he yes/no true/false on/off i/o ci/cd n/a w/o 24/7"
_NO_PATH = frozenset(_WORDS_WITH_SLASH.split())
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_THOUSANDS = re.compile(r"^\d{1,3}(?:,\d{3})+$")
_TRAILING = ".,;:!?…)]}'\""


def fold(text: str) -> str:
    """NFKC, case folded, typographic quotes and dashes made plain, invisible characters gone, each run of white space one space."""
    previous = None
    while text != previous:
        previous = text
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold().translate(_TYPOGRAPHIC))
        text = " ".join(_INVISIBLE.sub("", text).split())
    return text


def normalise(text: str) -> str:
    """`fold`, and without the punctuation that ends a sentence or quotes it. Equal results are *equal normalised words*; idempotent."""
    return fold(fold(text).strip(_ENDS))


def words(text: str) -> tuple[str, ...]:
    """All words in order, folded; a run of a script without spaces gives its pairs of characters."""
    found: list[str] = []
    for word in _WORD.findall(fold(text)):
        if _IS_UNSPACED.match(word):
            found += [word[at : at + 2] for at in range(len(word) - 1)] or [word]
        else:
            found.append(word.removesuffix("'s"))
    return tuple(found)


def content_words(text: str) -> frozenset[str]:
    """The words that say what it is about: no English function words, no single Latin letters."""
    return frozenset(word for word in words(text) if word not in FUNCTION_WORDS and (len(word) > 1 or not word.isascii() or word.isdigit()))


def negated(text: str) -> bool:
    """Whether a word of negation occurs (English and some of other languages)."""
    return _NEGATION.search(fold(text)) is not None


def identifiers(text: str) -> frozenset[str]:
    """Numbers, dates, paths, URLs, addresses, flags, code spans and names such as `snake_case`, `camelCase` or `file.py`, folded.

    A number stands without its unit or ordinal ending and without thousands separators.
    """
    found: set[str] = set()
    for match in _DETAIL.finditer(unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))):
        kind, token = str(match.lastgroup), match.group().strip("`") if match.lastgroup == "code" else match.group()
        if kind == "number":
            token = token.replace(",", "") if _THOUSANDS.match(token) else token
            token = "".join(str(unicodedata.digit(sign)) if sign.isdigit() else sign for sign in token)
        elif kind != "code":
            token = token.rstrip(_TRAILING)
        if kind == "name" and not _distinctive(token):
            continue
        if (folded := fold(token)) and folded not in _NO_PATH:
            found.add(folded)
    return frozenset(found)


def _distinctive(name: str) -> bool:
    """Whether a word is a name that is not invented in passing: with a digit, an underscore, a dot or capitals within."""
    plain = name.lstrip("@#$")
    has_mark = "_" in plain.strip("_") or any(sign in plain for sign in (".", "::", "->"))
    return has_mark or plain != name or any(sign.isdigit() for sign in plain) or _CAMEL.search(plain) is not None


def details(text: str) -> frozenset[str]:
    """What a rewording must keep (C8): its identifiers, and `not` if it is negated."""
    return identifiers(text) | ({"not"} if negated(text) else frozenset())


def absent(wanted: frozenset[str], text: str) -> frozenset[str]:
    """Which of these details do not occur in the text, written as such or within other words' boundaries."""
    missing = wanted - details(text)
    if not missing:
        return missing
    folded = fold(text)
    return frozenset(detail for detail in missing if not occurs(detail, folded))


def occurs(detail: str, folded: str) -> bool:
    """Whether it occurs in a folded text, neither end in the middle of a word or a number."""
    start = folded.find(detail)
    while start >= 0:
        end = start + len(detail)
        joined_before = start > 0 and _joined(folded[start - 1], folded[start])
        joined_after = end < len(folded) and _joined(folded[end - 1], folded[end])
        if not joined_before and not joined_after:
            return True
        start = folded.find(detail, start + 1)
    return False


def _joined(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum() and not _IS_UNSPACED.match(left) and not _IS_UNSPACED.match(right)
