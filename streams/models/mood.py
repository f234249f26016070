"""What a sentence is: a question, a supposition, a step for now, a suggestion, a bare "yes" (X7). Pure and English.

These are the deterministic part of the gates: what only a model can tell passes here.
"""

import re

from streams.models.sentences import Sentence
from streams.models.words import fold

_FILLERS = r"^(?:(?:so|now|ok|okay|but|and|well|just|then|or|also|let's|let us|we can|we could|you can|please)[, ]+){0,3}"
_THEN = r"(?:then |also |probably |perhaps |maybe |all )?"
_STATES = r"(?:be|have|become|go|mean|live|need|use|run|work|move|look)\b"
# Base forms that end like a past tense.
_PRESENT = r"(?!need|feed|seed|embed|speed|proceed|exceed|succeed|heed)"

_HYPOTHETICAL = re.compile(
    "|".join(
        (
            rf"{_FILLERS}(?:suppose|supposing|imagine|imagining|pretend|assume|assuming|hypothetically|theoretically|in theory)\b",
            rf"{_FILLERS}(?:say|picture|let's say|let us say) (?:we|you|i|it|they|there|the|our|this|that|a)\b",
            r"^(?:for example|for instance|e\.g\.)",
            r"\b(?:hypothetical(?:ly)?|in an? (?:\w+ )?(?:world|scenario|universe) where|thought experiment|for the sake of argument)\b",
            r"\b(?:what if|if only|as if|i wish|we wish)\b",
            r"\bif (?:[\w'-]+|(?:the|our|my|your|a|this|that) [\w-]+(?: [\w-]+)?) (?:ever )?(?:were|had|could|would|did)(?:n't)?\b",
            rf"(?<!prefer it )(?<!appreciate it )(?<!like it )(?<!love it )\bif (?:we|i|you|they) (?:ever |all "
            rf"|just )?{_PRESENT}[a-z]{{2,}}ed\b",
            r"\bif (?:we|i|you|they) (?:ever |all |just )?(?:went|chose|took|made|ran|wrote|kept|built|put|bought|sold|got|should)\b",
            r"^(?:should|were|had) (?:we|i|you|they|it|the|our|this)\b",
            rf"\b(?:would|could|might) {_THEN}{_STATES}",
            rf"\b(?:we|they|it|he|she|that)'d {_THEN}{_STATES}",
            r"^(?:maybe|perhaps|possibly|potentially)\b",
        )
    )
)
# A reason may say what would happen otherwise, and the rule before it is still one.
_JUSTIFICATION = re.compile(r"[,;:–—-]? (?:because|otherwise|or else|so that|(?<=[,;:–—-] )(?:that|it|this|which|since|as) )\b.*$")

_SOMEONE = r"(?:we|i|you|they|it|he|she)\b"
_SOMETHING = r"(?:this|that|there|the|our|my|your|a|an|any|anyone|someone|everyone)\b"
_QUESTION_START = re.compile(
    rf"^(?:(?:should|shall|does|did|is|are|was|were|has|can|could|would|will)(?:n't)? (?:{_SOMEONE}|{_SOMETHING})"
    rf"|(?:do|don't|have|haven't|had|am) {_SOMEONE}"
    r"|(?:what|why|how|when|where|which|who|whose)(?:'s| (?:is|are|do|does|did|should|shall|can|could|would|will|was|were|about|come))\b)"
)
_TAG_QUESTION = re.compile(r",? (?:ok|okay|alright|all right|got it|understood|deal|please|thanks?|clear|yeah)\?+$")
_POLITE_REQUEST = re.compile(
    r"^(?:can|could|would|will) you (?:(?:please |pls |maybe |just )*(?:always|never|make sure|(?:stop|quit|avoid) [\w-]+ing"
    r"|remember to|only|not"
    r"|keep (?:your|all|the) [\w -]*(?:answers|replies|summaries|messages|e?mails|reports|updates|texts|explanations|responses))\b"
    r"|please stop\b|please remember\b|.*\b(?:from now on|from here on|in future|going forward|next time|whenever you|every time you)\b"
    r"|always .*\bplease\b)"
)

_THIS_CHAT = r"(?:run|session|task|thread|conversation|chat|message|reply|answer|case|step|call)"
_THIS_CHANGE = r"(?:pr|pull request|commit|branch|test|demo|example|exercise|fix)"
_TEMPORARY = re.compile(
    "|".join(
        (
            r"\b(?:for now|for the moment|for the time being|for a (?:moment|minute|while|bit)|temporarily|one[- ]off)\b",
            r"\b(?:just once|this once|this time|(?:only|just)(?: for)? (?:today|tonight|now)|today only)\b",
            rf"\b(?:in|for|on|within|during) this (?:one |single )?(?:{_THIS_CHAT}|{_THIS_CHANGE})\b",
            r"\buntil (?:i|you|we|it|it's|they|that's|then|the (?:tests?|builds?|ci|fix|migration|review))\b(?! (?:say|tell|ask|decide))",
            r"\bwhile (?:i|you|we|i'm|you're|we're)\b|\b(?:when|once|after) you(?:'re| are| have|'ve) (?:done|finished)\b",
            r"\bas (?:a|the) (?:first|next|last|second) step\b",
            r"^(?:next|first|second|secondly|firstly|finally|step \d+)[,:] ",
        )
    )
)
_THESE_DAYS = re.compile(
    r"(?<!from )(?<!as of )(?<!starting )(?<!since )(?<!until )\b(?:today|tonight|this (?:week|morning|afternoon|evening))\b"
)

_YES = "|".join(
    (
        r"yes|yep|yeah|yup|ok|okay|k|sure|agreed|sounds (?:good|great|fine)|do (?:it|that|so|both)|go ahead|go for it|please do",
        r"approved|lgtm",
        r"(?:that's |that is )?fine(?: by me| with me)?|that works|works for me|perfect|exactly|correct|right|great|good|cool|i agree",
        r"let's do (?:it|that)|absolutely|definitely|of course|please|thanks|thank you|👍|✅|ja|oui|sí|si|да|sim|好的?|是的?|はい",
    )
)
_ASSENT = re.compile(rf"^(?:{_YES})(?:[\s,.!;:-]+(?:{_YES}))*[\s.!]*$")
LONGEST_ASSENT = 100
"""Characters of a message that says no more than "yes"."""

_SUGGESTION = re.compile(
    r"\b(?:i(?:'d| would)? (?:suggest|recommend|propose|advise)|my (?:suggestion|recommendation|proposal|advice)"
    r"|(?:shall|should|could|can|may|might) (?:i|we)|(?:we|you) (?:could|might|can|should|may want)|how about|what about"
    r"|would you (?:like|prefer)|do you want|want me to|(?:one|another) option|consider \w+ing|perhaps|maybe|alternatively|it might be"
    r"|if you(?:'d)? (?:like|want|prefer)|i can (?:also )?\w+ if)\b"
)


def is_hypothetical(sentence: Sentence) -> bool:
    """Whether it supposes something, or lies in a world that is supposed."""
    return sentence.supposed or _HYPOTHETICAL.search(_JUSTIFICATION.sub("", sentence.masked)) is not None


def is_question(sentence: Sentence) -> bool:
    """Whether it asks. A polite request to always or never do something, and a rule with ", ok?" at its end, don't."""
    words = sentence.masked.rstrip(" \"'”’)")
    if _POLITE_REQUEST.match(words):
        return False
    if _QUESTION_START.match(words):
        return True
    return words.endswith(("?", "？")) and _TAG_QUESTION.search(words) is None


def is_temporary(sentence: Sentence) -> bool:
    """Whether it is a step of the task at hand: "for now", "just this once", "in this PR"."""
    return _TEMPORARY.search(sentence.masked) is not None


def is_of_the_day(sentence: Sentence) -> bool:
    """Whether it speaks of today or this week only."""
    return _THESE_DAYS.search(sentence.masked) is not None


def is_suggestion(sentence: Sentence) -> bool:
    """Whether it proposes something, or asks."""
    return is_question(sentence) or _SUGGESTION.search(sentence.masked) is not None


def is_assent(text: str) -> bool:
    """Whether a whole message says no more than "yes"."""
    return len(text) <= LONGEST_ASSENT and _ASSENT.match(fold(text)) is not None
