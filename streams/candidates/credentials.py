"""Credentials in words: "the password is …" is no candidate, "never commit a password" may be one (X7). Pure.

What looks like a secret by its shape is redacted before any model sees it; this is for secrets that only their words give away.
"""

import re

from streams.models.words import fold

_PASSWORD = (
    r"pass ?words?|passwd|pass ?phrase|pass ?code|pwd|log ?in(?: data)?|user ?names? and pass ?words?|(?:door|alarm|safe|gate) ?code"
)
_OTHER = (
    r"pin(?: ?(?:code|number))?|api[ _-]?keys?|(?:secret|access|private|signing|license)[ _-]?keys?|secrets?"
    r"|(?:access |auth |bearer |api |refresh )?tokens?|credentials?|seed ?phrases?|recovery (?:codes?|phrases?)|otp|2fa code"
)
# A placeholder, a variable or a redacted value is no secret.
_PLACEHOLDER = (
    r"(?:<[^>]*>|\[[^\]]*\]|\{[^}]*\}|\$\{?\w+|%\w+%|\*{3,}|x{3,}|\.\.\.|…|redacted\b|[a-z]+_[a-z_]*(?:key|token|secret|password)\b)"
)
_ASSIGNED = re.compile(rf"\b(?:{_PASSWORD}|{_OTHER})[\"'`]?\s*(?:=|:=|:)\s*(?!{_PLACEHOLDER})[\"'`]?\S")
_SAID = re.compile(
    rf"\b(?:(?P<password>{_PASSWORD})|{_OTHER})(?: (?:for|of|to|on|at|in) [^.!?]{{1,60}}?)? (?:is|are|was|will be|becomes)"
    rf"(?: now| still| just| simply| set to| changed to)? (?!{_PLACEHOLDER})(?P<value>[\"'`]\S[^\"'`]*[\"'`]|\S+)(?P<rest>[^.!?]*)"
)
_PLAIN_WORDS = """a an the in on at by from with for to not no never always only too very so stored kept saved hashed encrypted rotated
    required needed optional missing wrong correct invalid valid expired secret safe unsafe public private shared managed generated created
    checked redacted hidden set changed reset read written passed sent used issued given out our my your their its this that these those
    all each what where when short-lived long short strong weak empty ready fine allowed forbidden mandatory sensitive confidential be is
    left lost leaked visible injected loaded supplied provided available old new still now also broken personal unique different"""
_PLAIN = frozenset(_PLAIN_WORDS.split())


def has_credential(text: str) -> bool:
    """Whether the words say a password, key, PIN or the like itself."""
    folded = fold(text)
    return _ASSIGNED.search(folded) is not None or any(_is_secret(match) for match in _SAID.finditer(folded))


def _is_secret(said: re.Match[str]) -> bool:
    value, rest = said.group("value"), said.group("rest").strip()
    if value[0] in "\"'`":
        return True
    word = value.rstrip(",;:.!?)")
    if word in _PLAIN:
        return False
    if any(not sign.isalpha() and sign not in "'-" for sign in word):
        return True  # with a digit or a mark within it is no word
    # "The password is swordfish." and "the login is root / toor".
    return said.group("password") is not None and (not rest or rest.startswith(("/", "and ")))
