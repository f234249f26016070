"""What the sentence after or before a rule adds to it: "We use pnpm. Not npm.", "… #builds is there for that." (X6). Pure.

Sentences are joined only where the second is nothing without the first.
"""

import re

from streams.models.rules.phrases import HABIT, IMPERATIVE
from streams.models.sentences import masked

LONGEST_ADDED = 120
_REFERENCE = r"(?:(?:precisely|exactly|just) )?(?:that|this|those|these|it|them|such things|such stuff)"
_ADDS = re.compile(
    r"^(?!i\b|we\b|you\b)(?:[\w\ue000#@'-]+ ){1,4}(?:exists?|is|are|'s)(?: there| made| meant| here)? for "
    rf"{_REFERENCE}[.! ]*$|^that(?:'s| is) what (?!i\b|you\b|we\b)(?:[\w\ue000#@'-]+ ){{1,5}}(?:is|are|exists?)(?: there)? for[.! ]*$"
    r"|^(?:those|these|they|that|this|it) (?:all )?(?:belongs?|goes|go) (?:in|into|to|on|under) [^,;?]+$"
    r"|^(?:please |pls |just )?use (?!it\b|that\b|this\b|your\b)[\w\ue000#@' -]+ (?:for (?:that|this|those)|instead)[.! ]*$"
)
_CONTRAST = re.compile(
    r"^(?:and |but )?(?:not|never) (?:with |in |to |by |as |the |a )*(?!bad\b|sure\b|yet\b|now\b|urgent\b|a\b|an\b|good\b"
    r"|great\b|really\b|at\b"
    r"|that\b|only\b|ideal\b|possible\b|working\b|my\b|your\b|so\b|mind\b|again\b|today\b|before\b|nice\b|cool\b|funny\b"
    r"|because\b|what\b|just\b"
    r"|quite\b|too\b|very\b|much\b|always\b|necessarily\b|i\b|me\b|even\b|this\b|it\b"
    r"|once\b)[\w\ue000#@.-]+(?: [\w\ue000#@.-]+){0,2}[.! ]*$"
)
_CHOOSES = re.compile(rf"\bwe(?:'re| are)? (?:all |only |always )?(?:{HABIT}|on|with)\b|^(?:please )?{IMPERATIVE}|\b(?:should|must) be\b")
_NAMES_A_FAULT = re.compile(
    r"^(?:(?:no|nope|nah|wrong|wait|sorry|hm+|ah|oh)\b[,.!: –—-]*+)*(?:those|these|that|this)(?:'s| is| are) "
    r"(?!what\b|why\b|how\b|not\b|it\b|fine\b|good\b|great\b|wrong\b|right\b|ok|all\b|true\b|because\b|better\b)[^,;?]{3,60}[.!]*$"
)
_ANSWER = re.compile(r"^(?:(?:no|nope|nah|wrong|wait|sorry|hm+|ah|oh)\b[,.!: –—-]*+)+", re.IGNORECASE)
_PRONOUN = re.compile(r"\bwe (?:[\w-]+ )?[\w-]+ (?:them|it|those|these)\b")


def with_contrast(sentence: str, after: str) -> str:
    """The sentence with a fragment that only says what it is not: "We use pnpm here, not npm."; else the sentence as it is."""
    if len(after) > LONGEST_ADDED or not _CHOOSES.search(masked(sentence)) or not _CONTRAST.match(masked(after)):
        return sentence
    return f"{sentence.rstrip(' .!')}, {after}"


def addition(after: list[str]) -> str:
    """The one of the next sentences that says where instead; empty: none does."""
    return next((sentence for sentence in after if len(sentence) <= LONGEST_ADDED and _ADDS.match(masked(sentence))), "")


def antecedent(sentence: str, before: str) -> str:
    """What "we report them …" speaks of, where the sentence before only names what the agent did: "Those are raw values."; else empty."""
    if not _PRONOUN.search(masked(sentence)) or not _NAMES_A_FAULT.match(masked(before)):
        return ""
    return _ANSWER.sub("", before).rstrip(" .!")
