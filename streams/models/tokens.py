"""How many tokens a text has, estimated without a network or a vocabulary (X4). Pure.

A tokenizer's real count differs by maker and generation, and newer ones count half as much again for the same English. So this sums
what a newer one takes for each *kind* of piece: an everyday English or code word one token, another word by its length, the parts of
`camelCase` and letters glued to digits each their own, other scripts by the character, everything unknown by its UTF-8 bytes, which no
byte-level tokenizer exceeds. The weights were fitted to counts of prose and code; scripts, emoji and random letters stand at the highest
count of five tokenizers, since there only being too low does harm.
"""

import re

_WORDS = """
a about above access account action active add address after again against all already also always an and another any are as at
available away back based be because been before being below best better between both build but by call can case change check class
close code come command common content control could create current data date day def default different do does done down each early
either else end err error even event every example except false few field file find first for format found free from full function get
give given go going good group had has have he head help her here him his how i id if import in index input int into is it item its
just key know last late later least left let level like line link list little load local long look made main make many may me message
method might model more most move much must my name need never new next no none not note now number object of off old on once one only
open option or order other our out output over own page part path people place point process public put question range read real
request result return right run same save say second see self send server set should show side since size small so some something
start state still str string such support system take test text than that the their them then there these they think this those three
through time to too top true try two type under until up update us use used user using value very view void want was way we well were
what when where which while who why will with within without word work world would write year you your
"""
_EVERYDAY = frozenset(_WORDS.split())

# One piece a match; a single space goes with the word that it precedes, as in the tokenizers.
_PIECE = re.compile(
    r"(?P<word> ?[A-Z]?[a-z]+)"
    r"|(?P<capitals> ?[A-Z]+)"
    r"|(?P<digits>[0-9]{1,3})"
    r"|(?P<blank> +|\n+|\t+|\r+)"
    r"|(?P<ruler>(?P<stroke>[-=_*#~.+/])(?P=stroke){3,})"
    r"|(?P<mark>[!-/:-@\[-`{-~])"
    r"|(?P<alphabet>[\u0370-\u058f\u10a0-\u10ff\u1e00-\u1fff]+)"
    r"|(?P<syllables>[\u0590-\u0dff\u3040-\u30ff\uac00-\ud7a3]+)"
    r"|(?P<ideographs>[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u2010-\u2bff\u3000-\u303f\u4e00-\u9fff\uff00-\uffef\u00a0-\u036f]+)"
    r"|(?P<other>[\s\S])"
)

# Thousandths of a token for one character of a kind where the cost does not depend on the length.
_PER_CHARACTER = {"alphabet": 700, "syllables": 1_400, "ideographs": 2_200}
_DIGITS = 1_600
_MARK = 570
_GLUED = 400  # a word that follows on a letter, digit or mark without a space
_CAPITALISED = 760
_BY_LENGTH = (0, 1_030, 1_500, 1_850, 1_850, 2_150, 2_350, 2_350, 2_750, 2_950, 3_250, 3_300, 3_400, 3_700, 3_900)
_LONGER = 1_030
_LENGTHS = len(_BY_LENGTH) - 1
_EVERYDAY_WORD = 1_070
_CAPITAL = 760
_MANY_CAPITALS = 8
_BLANK = 720
_SAME_KIND = 4  # the first so many characters of a piece are a piece of the same kind
_START = 2_000  # so that a single short sentence is not under by chance


def estimate(text: str) -> int:
    """Give the tokens of `text`: not under what a current tokenizer counts, nor much over it on English and code."""
    if not text:
        return 0
    total = _START
    for match in _PIECE.finditer(text):
        total += _cost(text, match.lastgroup or "", match.start(), match.end())
    return -(-total // 1_000)


def truncate(text: str, tokens: int) -> tuple[str, int]:
    """Give the longest beginning of `text`, by whole pieces, whose estimate is at most `tokens`, and how many characters that is.

    Looks no further than it keeps, so that a text of megabytes costs no more than its beginning.
    """
    left = tokens * 1_000 - _START
    if left < 0:
        return "", 0
    kept = 0
    for match in _PIECE.finditer(text):
        kind = match.lastgroup or ""
        cost = _cost(text, kind, match.start(), match.end())
        if cost > left:
            kept = _within(text, kind, match.start(), match.end(), left)
            break
        left -= cost
        kept = match.end()
    return text[:kept], kept


def _within(text: str, kind: str, start: int, end: int, left: int) -> int:
    """Where a piece that does not fit whole is cut: the costs of its beginnings rise with their length, so halving finds it."""
    low, high = start, end - 1
    while low < high:
        middle = (low + high + 1) // 2
        if _cost(text, kind, start, middle) <= left:
            low = middle
        else:
            high = middle - 1
    return low if low - start >= _SAME_KIND else start


def _cost(text: str, kind: str, start: int, end: int) -> int:
    """Thousandths of a token of the piece `text[start:end]`."""
    if kind == "word":
        spaced = text[start] == " "
        word = text[start + spaced : end]
        length = len(word)
        cost = 0 if spaced or start == 0 or text[start - 1] == "\n" else _GLUED
        if word and word[0] <= "Z":
            cost += _CAPITALISED
            word = word.lower()
        if word in _EVERYDAY:
            return cost + _EVERYDAY_WORD
        return cost + (_BY_LENGTH[length] if length <= _LENGTHS else _BY_LENGTH[_LENGTHS] + _LONGER * (length - _LENGTHS))
    if kind == "mark":
        return _MARK
    if kind == "digits":
        return _DIGITS
    if kind == "blank":
        return _BLANK + (end - start) * 60
    if kind == "ruler":
        return _MARK + (end - start) * 170
    if kind == "capitals":
        length = end - start
        return 300 + _CAPITAL * min(length, _MANY_CAPITALS) + _LONGER * max(0, length - _MANY_CAPITALS)
    if kind == "other":
        return 1_000 * len(text[start:end].encode("utf-8", "surrogatepass"))
    return _PER_CHARACTER[kind] * (end - start)
