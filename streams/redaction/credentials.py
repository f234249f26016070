"""Secrets that are known by where they stand: passwords in URLs, assignments, headers, command lines (X9). Pure.

A name that means a secret makes what follows it one, unless that is visibly something else: a type, a variable, a call, a place to fill
in, a digest or an id. A name that means one only sometimes (`token`, `key`, `signature`) does so for values that look random.

Names are looked up by plain search, and a pattern is tried only behind one, so that a text of megabytes takes no longer than reading it.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator

from streams.redaction.secret_formats import Secret

_STRONG = ("password", "passwd", "passphrase", "passwort", "kennwort", "contraseña", "pwd", "secret")
_WEAK = ("token", "credential", "signature", "session", "auth", "sig=")
_KEY = "key"
_STRONG_BEFORE_KEY = re.compile(r"(?:api|access|private|auth|master|encryption|storage|signing|secret|account|service|client)[ _-]?\Z")
_LOGIN_BEFORE = re.compile(r"\blogin\s{1,8}\S{1,128}\s{1,8}\Z")

_QUOTED = r"\\{0,3}(?P<quote>[\"'`])(?P<quoted>[^\"'`\n]{1,1024}?)\\{0,3}(?P=quote)"
_BARE = r"(?P<bare>[^\s\"'`,;<>(){}\[\]\\|]{1,1024})"
_VALUE = rf"(?:{_QUOTED}|{_BARE})"
_ASSIGNED = re.compile(rf"(?P<suffix>[\w-]{{0,40}})\\{{0,3}}[\"'`]?\]?[ \t]{{0,8}}(?::=|=>|={{1,3}}|:)[ \t]{{0,8}}{_VALUE}")
_IN_WORDS = re.compile(rf"s?\s{{1,4}}(?:is|was|ist)(?:\s?:)?\s{{1,4}}(?:now\s|currently\s)?{_VALUE}", re.IGNORECASE)
_QUOTED_BESIDE = re.compile(rf"\s{{1,2}}{_QUOTED}")
_OPTION = re.compile(rf"[\w-]{{0,20}}[ =]{_VALUE}")
_AFTER_BLANK = re.compile(r"\s{1,8}(?P<bare>\S{1,256})")
_HEADER = re.compile(r"\s{1,4}(?P<bare>[A-Za-z0-9._~+/=-]{12,4096})")
_USER_OPTION = re.compile(r"(?:ser)?[ =]\\{0,3}[\"']?[^\s:\"']{1,128}:(?P<bare>[^\s\"'\\]{1,256})")
_URL_PASSWORD = re.compile(r"://[^\s/:@\"'<>]{0,256}:(?P<bare>[^\s/\"'<>]{1,256})@(?=[A-Za-z0-9\[])")
_URL_USER = re.compile(r"://(?P<bare>[A-Za-z0-9_-]{20,256})@(?=[A-Za-z0-9\[])")

_ABOUT_A_SECRET = re.compile(
    r"s?[_-]?(?:reset|url|uri|name|file|path|dir|field|label|hint|length|policy|hash|type|id|env|var|ref|manager|store|required|error"
    r"|changed|expir\w*|ttl|min|max|count|regex|pattern|prompt|param|header|version|arn|lab)",
    re.IGNORECASE,
)
_NO_VALUES = """
a an and any array await bool boolean byte bytes can changeme char empty example false for from hidden here in int integer is masked may
must my new nil none not null number object of optional or our redacted required return self should str string tbd text the this to todo
true undefined unset varchar void was will your
"""
_NO_SECRETS = frozenset(_NO_VALUES.split())
_PLACE_TO_FILL = re.compile(r"[$%<{\[(]|[*.x_-]+\Z|.{0,80}(?:\.env\b|environ|getenv|process\.|secrets\.|vault)", re.DOTALL | re.IGNORECASE)
_REFERENCE = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+\Z")
_VARIABLE = re.compile(r"[A-Za-z]+_[A-Za-z_]+\Z")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.IGNORECASE)
_DIGEST = re.compile(
    r"(?:(?:sha\d{1,3}|md5|blake\w+)[-:])?"
    r"(?:[0-9a-f]{7,12}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}|[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)\Z",
    re.IGNORECASE,
)
_SENTENCE_GOES_ON = re.compile(r"[.,:]?[ \t]+[A-Za-z]")
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[A-Za-z]")
_NOT_IN_TOKENS = re.compile(r"[^A-Za-z0-9+/=_.~%-]")
_FEW_DIGITS = re.compile(r"\d{1,4}\Z")
_DASHED_WORDS = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+){2,}\Z")
_MARK_WITHIN = re.compile(r"[A-Za-z0-9][!@#$%^&*+=?~]+[A-Za-z0-9]|[!@#$%^&*?~]")


def in_position(text: str) -> Iterator[Secret]:
    """Give every secret of `text` that stands where a secret stands, in no order."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text.replace("\u0130", "I").lower()  # the one letter whose small form is longer
    for at in _found(text, "://"):
        if (match := _URL_PASSWORD.match(text, at)) and not _PLACE_TO_FILL.match(match.group("bare")):
            yield Secret(*match.span("bare"), "password")
        elif (match := _URL_USER.match(text, at)) and looks_random(match.group("bare")):
            yield Secret(*match.span("bare"), "token")
    for name in ("bearer", "basic", "token"):
        for at in _found(lowered, name):
            match = _HEADER.match(text, at + len(name))
            if match and _is_word(lowered, at) and _DIGIT.search(match.group("bare")) and not _is_id(match.group("bare")):
                yield Secret(*match.span("bare"), "token")
    for name in (" -u", " --u"):
        for at in _found(lowered, name):
            match = _USER_OPTION.match(text, at + len(name))
            if match and not _PLACE_TO_FILL.match(match.group("bare")):
                yield Secret(*match.span("bare"), "password")
    for name in _STRONG:
        for at in _found(lowered, name):
            yield from _named(text, lowered, at, name, strong=True)
    for name in _WEAK:
        for at in _found(lowered, name):
            yield from _named(text, lowered, at, name, strong=False)
    for at in _found(lowered, _KEY):
        before = _STRONG_BEFORE_KEY.search(lowered, max(0, at - 12), at)
        if before:
            yield from _named(text, lowered, before.start(), lowered[before.start() : at + len(_KEY)], strong=True)
        elif at == 0 or not lowered[at - 1].isalpha():
            yield from _named(text, lowered, at, _KEY, strong=False)


def _named(text: str, lowered: str, at: int, name: str, *, strong: bool) -> Iterator[Secret]:
    """Give what the name at `at` makes a secret: a value assigned, said in words, or given as an option."""
    end = at + len(name)
    if match := _ASSIGNED.match(text, end - name.endswith("=")):
        about = _ABOUT_A_SECRET.match(match.group("suffix")) is not None
        yield from _value(text, match, name, strong=strong and not about)
    elif strong or name == "token":
        option = at > 0 and text[at - 1] == "-" and _OPTION.match(text, end)
        words = option or _IN_WORDS.match(text, end) or _QUOTED_BESIDE.match(text, end)
        if words:
            yield from _value(text, words, name, strong=True, in_words=True)
        elif name == "password" and _LOGIN_BEFORE.search(text, max(0, at - 150), at) and (match := _AFTER_BLANK.match(text, end)):
            yield Secret(*match.span("bare"), "password")


def _value(text: str, match: re.Match[str], name: str, *, strong: bool, in_words: bool = False) -> Iterator[Secret]:
    bare = match["quoted"] is None
    value, (start, end) = match["bare" if bare else "quoted"], match.span("bare" if bare else "quoted")
    if bare and not strong and "&" in value:
        value, end = value[: value.index("&")], start + value.index("&")
    while bare and value and value[-1] in ".,:!?":
        value, end = value[:-1], end - 1
    if not strong:
        if looks_random(value) and not _PLACE_TO_FILL.match(value):
            yield Secret(start, end, _kind(name))
        return
    if not value or _PLACE_TO_FILL.match(value) or _REFERENCE.match(value) or _FEW_DIGITS.match(value):
        return
    if _UUID.match(value) and name in ("secret", "token"):
        return
    if not _mixed(value):
        # Letters alone are a password only where nothing says that they are a word, a type or a variable.
        if in_words or value.lower() in _NO_SECRETS or value.lower() in name or len(value) < 4:
            return
        if not bare and " " in value.strip():
            return
        if bare and (text[end : end + 1] in ("(", ".", "[") or _SENTENCE_GOES_ON.match(text, end) or _VARIABLE.match(value)):
            return
    yield Secret(start, end, _kind(name))


def looks_random(value: str, least: int = 16) -> bool:
    """Whether a value looks made by a machine to be secret: long, mixed, high entropy; no digest, id, path or words."""
    if len(value) < least or not _DIGIT.search(value) or not _LETTER.search(value) or _NOT_IN_TOKENS.search(value):
        return False
    if _is_id(value) or _REFERENCE.match(value) or _DASHED_WORDS.match(value) or value.count("/") > 3:
        return False
    counts = Counter(value)
    entropy = -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
    return entropy >= (3.0 if len(value) < 24 else 3.4)


def _found(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))


def _is_word(text: str, at: int) -> bool:
    return at == 0 or not text[at - 1].isalnum()


def _is_id(value: str) -> bool:
    return _UUID.match(value) is not None or _DIGEST.match(value) is not None


def _mixed(value: str) -> bool:
    """Whether there is more in it than letters: a digit, or a mark within."""
    return _DIGIT.search(value) is not None or _MARK_WITHIN.search(value) is not None


def _kind(name: str) -> str:
    if name.startswith("pass") or name in ("pwd", "kennwort", "contraseña"):
        return "password"
    if "key" in name:
        return "api key" if "api" in name else "key"
    return "secret" if name in ("secret", "credential") else "token"
