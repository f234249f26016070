"""Words of conversations as Markdown that shows them and does nothing else (W3, S3).

Text becomes one line of plain text and code spans: no link, image, HTML or heading can come of it, whatever it holds. Code spans that it
has stay, URLs and addresses become code, and what looks like markup is escaped only where it would act, so that the file also reads well
as it is. Character ranges are fixed here and not asked of Python's Unicode tables, whose edition differs between versions; only NFC is.
"""

import re
import unicodedata

NOTHING_READABLE = "(nothing readable)"

_SPACES = re.compile("[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
# Controls, soft hyphen, marks and overrides of direction, invisible operators, most variation selectors, tags, noncharacters.
_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
# Joiners and the selectors of text and emoji style are needed, two in a row at most; more could carry a hidden message.
_JOINERS = re.compile("([\u200c\u200d\ufe0e\ufe0f]{2})[\u200c\u200d\ufe0e\ufe0f]+")
# A code span as CommonMark reads it: a run of backticks, and up to the next run of the same length.
_CODE = re.compile(r"(?<!`)(?P<fence>`+)(?!`)(?P<code>.*?[^`])(?P=fence)(?!`)")
# What is shown as code though its writer did not say so: URLs, mail addresses, names with underscores at their ends, file patterns.
_LITERAL = re.compile(
    r"(?P<url>(?<![A-Za-z0-9])(?:[A-Za-z][A-Za-z0-9+.-]{1,31}://|www\.|(?:mailto|xmpp|data|javascript|vbscript):)[^\s`<>\"]+)"
    r"|(?<![A-Za-z0-9.!#$%&'*+/=?^_{|}~-])[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
    r"|(?<![^ (])(?:_+[A-Za-z0-9]\w*(?:\.\w+)*|\*+\.[A-Za-z0-9]+)(?![^ ),.;:])",
    re.IGNORECASE | re.ASCII,
)
_AFTER_URL = ".,;:!?'*_~)]}"
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_WORD = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_MARKUP = re.compile(r"\\|`+|\*+|_+|~+|\[|<(?=[A-Za-z/!?])|&(?=#?[A-Za-z0-9]{1,32};)")
_BLOCK = re.compile(r"(?P<digits>[0-9]{1,9}(?=[.)](?: |$)))|#{1,6}(?= |$)|>|[-+](?= |$)|=+(?= |$)|-(?=-)|:(?=::)")


def clean(text: str) -> str:
    """Give the text on one line, in NFC, without characters that are not seen, single spaces between words, none at the ends."""
    text = _INVISIBLE.sub("", _SPACES.sub(" ", _SURROGATES.sub("\ufffd", text)))
    return unicodedata.normalize("NFC", _SPACES.sub(" ", _JOINERS.sub(r"\1", text)).strip(" "))


def shortened(text: str, characters: int) -> str:
    """Give the cleaned text, cut to at most so many characters, at the end of a word where one is near, with a mark of the cut."""
    text = clean(text)
    if len(text) <= characters:
        return text
    kept = text[: characters - 1]
    at = kept.rfind(" ", len(kept) - len(kept) // 4)
    return kept[: at if at > 0 else None].rstrip(" ,;:\u200c\u200d") + "…"


def plain(text: str) -> str:
    """Give one line of Markdown that shows the text as plain text and code, wherever a block may begin; never an empty line."""
    pieces: list[tuple[bool, str]] = []  # whether it is code, and what it holds
    text, at = clean(text), 0
    for span in _CODE.finditer(text):
        if not span["code"].strip(" "):
            continue
        pieces += _with_literals(text[at : span.start()])
        pieces.append((True, _stripped(span["code"])))
        at = span.end()
    pieces += _with_literals(text[at:])
    written: list[str] = []
    for index, (is_code, piece) in enumerate(pieces):
        if not is_code:
            written.append(_escaped(piece, first=not written))
        elif index and pieces[index - 1][0]:
            written.append(" " + code(piece))  # fences that touch would be read as one longer fence
        else:
            written.append(code(piece))
    return "".join(written) or NOTHING_READABLE


def heading(text: str) -> str:
    """Give the text for use after `#`: a closing sequence of its own is no markup either."""
    line = plain(text)
    return f"{line[:-1]}\\#" if line.endswith("#") and not line.endswith("\\#") else line


def code(text: str) -> str:
    """Give a code span that shows the cleaned text, whatever backticks it holds."""
    text = clean(text) or NOTHING_READABLE
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _stripped(content: str) -> str:
    return content[1:-1] if len(content) > 2 and content[0] == content[-1] == " " else content


def _with_literals(text: str) -> list[tuple[bool, str]]:
    pieces, at = [], 0
    for match in _LITERAL.finditer(text):
        literal = match.group()
        while (
            match["url"] and literal and literal[-1] in _AFTER_URL and not (literal[-1] == ")" and literal.count("(") >= literal.count(")"))
        ):
            literal = literal[:-1]
        if literal:
            pieces += [(False, text[at : match.start()]), (True, literal)]
            at = match.start() + len(literal)
    return [piece for piece in [*pieces, (False, text[at:])] if piece[1]]


def _escaped(text: str, first: bool) -> str:
    def escape(match: re.Match[str]) -> str:
        mark = match.group()
        before = text[match.start() - 1] if match.start() else ""
        after = text[match.end()] if match.end() < len(text) else ""
        match mark[0]:
            case "\\":
                return "\\\\" if not after or after in _PUNCTUATION else mark
            case "`":
                return "&#96;" * len(mark)
            case "&":
                return "&amp;"
            case "<":
                return "&lt;"
            case "*" if before == after == " ":
                return mark if len(mark) == 1 else "\\*" * len(mark)
            case "_" if before in _WORD and after in _WORD and before and after:
                return mark
            case "~" if len(mark) == 1 and (before == " " or (first and not before)):
                return mark
            case _:
                return "".join("\\" + character for character in mark)

    begins = _BLOCK.match(text) if first else None
    if begins is None:
        return _MARKUP.sub(escape, text)
    head = begins["digits"] + "\\" if begins["digits"] else "\\"
    at = begins.end() if begins["digits"] else 0
    return head + text[at] + _MARKUP.sub(escape, text)[at + 1 :]
