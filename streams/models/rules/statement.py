"""From a sentence to a statement that stands alone, as far as code can do that safely (X6). Pure.

The words stay the user's. Fillers at the start go, a reason after "because" becomes the candidate's reason, and a name is set before it
where the words need one: the project (else the Room's title) where they hold only there, the person where they speak of "I" and "me".
"""

import re
from dataclasses import dataclass

from schemas.candidates import Kind
from schemas.extraction import ChunkInput
from streams.models.sentences import masked
from streams.models.words import content_words, fold

_FILLER = re.compile(
    r"^(?:[-*•–>\s]+|(?:ok(?:ay)?|and|so|also|but|btw|by the way|oh|ah|well|hey|hi|hello|thanks|thank you|thx|great"
    r"|cool|nice|perfect|good|right|alright"
    r"|all right|one (?:more|other|last) thing|another thing|one thing|last thing|fyi|ps|p\.s\.|again|listen|look"
    r"|anyway|yes|yeah|yep|sure|just so you know|u+gh+|a+r+gh+|hm+|um+|uh|eh|erm|sigh|lol|haha|morning|good morning|yo|folks|guys|team"
    r"|(?:ah|oh|hm+|uh|ugh|er|eh)(?= no\b)"
    r"|as (?:i|we) said(?: before)?|like i said|i said|to be clear|for clarity|important(?:ly)?|attention|small thing"
    r"|quick note)(?:[,:;!.–—-]+ ?| (?=and |so |also |but |then |no\b))"
    r"|(?:and|also|but) |so (?!that|far|long|much|many)|@[\w.-]+[,:]? )+",
    re.IGNORECASE,
)
_POLITE_REQUEST = re.compile(r"^(?:can|could|would|will) you (?:please |pls |maybe |just )*(?!(?:always|never)\b.*[^?]$)", re.IGNORECASE)
_WE_SAY = r"(?:we|the team) (?:always|never|say|write|use|decided|agreed|chose|moved|no longer)|we've (?:decided|agreed)"
_RULE_BEGINS = rf"(?:please )?(?:always|never|don't ever|do not ever|from now on|{_WE_SAY})"
_ANNOUNCED = re.compile(rf"^(?P<before>[^:]{{1,200}}): (?P<rule>{_RULE_BEGINS}\b.*)$", re.IGNORECASE)
_ANNOUNCES = re.compile(
    r"\b(?:this|that|one|you|i|me|us|things?|words?|topic|question|item|subject|decision|update|news|everyone|everybody|rules?"
    r"|note|request|point|remember|important)\b",
    re.IGNORECASE,
)
# "…, can you redo it?": what to do now, said along with a rule.
_LAST_REQUEST = re.compile(
    r"(?:,|;| [–—-]|\.)? (?:so |and |but )?(?:(?:(?:can|could|would|will) you (?:please |pls )?|(?:please|pls) )"
    r"(?:undo|redo|fix|change|correct|rewrite|switch|move|update|remove|replace|revert|adapt|convert|repair|rename|resend|send"
    r"|make|put|do|try"
    r"|take|regenerate|rerun|restart|check|delete|swap|add|edit)\b(?!.*\b(?:always|never|in future|next time|from now|from here"
    r"|every|each|all"
    r"|whenever|when)\b)[^,;]*)$",
    re.IGNORECASE,
)
_DEPENDENT = re.compile(r"^(?:when|whenever|if|before|after|for|in|next time|from|going|once|while|since|as)\b", re.IGNORECASE)
# "Before you push: …" is part of the rule.
_CONDITION = re.compile(r"^(?:when|whenever|if|before|after|for|in|on|with|at|during|once|unless|as soon as)\b", re.IGNORECASE)
_ANSWER = re.compile(r"^(?:(?:no|nope|nah|wrong|wait|sorry|hm+|actually|correction)\b[,.!:;–—-]+ ?)+", re.IGNORECASE)
_LAST_PLEASE = re.compile(
    r",? (?:please|pls|plz|thanks|thank you|thx|tbh|btw|fyi|ok|okay|got it|understood|deal|clear|alright)[.!?]*$", re.IGNORECASE
)
_REASON = re.compile(
    r",? (?<!just )(?<!only )(?<!simply )(?<!not )because (?!of course|of (?:that|this|it|them)\b)(?P<reason>[^;]+?)[.!]*$", re.IGNORECASE
)
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i'd|i've|i'll|me|my|mine|myself)\b")
_HERE = re.compile(
    r"\b(?:(?<!from )(?<!around )here|in here|(?:this|the current|our) (?:repo|repository|project|codebase|code base|room|channel|chat"
    r"|conversation|thread|app|service|site|shop"
    r"|workspace|folder|board|product|client|customer|event|trip|course))\b"
)
_DANGLING = re.compile(
    r"\b(?:it|them|that|this|those|these|both|the same|so|as above|the above|like (?:that|this))\b(?! (?:is|are|was|you"
    r"|we|i|the|a|an|[a-z]+s)\b)"
)
# "It is important that …" and "I like it when …": this "it" stands for what follows.
_CLEFT = re.compile(
    r"^(?:it's|it is|that's|that is|she's|he's) (?=(?:dr|prof|professor|mr|mrs|ms|mx|sir|dame)\b|(?:always |never )?(?:spelled"
    r"|spelt|written|pronounced)\b)"
    r"|\b(?:he/him|she/her|they/them)\b|\bit(?='ll be| will be)|\b(?:it|this)(?:'s| is| was"
    r"| has been)? (?:[\w -]{1,40}? (?=that\b|to\b|not to\b)|(?=when\b|if\b))"
)
_EXPLAINED = re.compile(r"\b(?:that|this|those|these) (?=[a-z\ue000])")
_NOT_A_THING = re.compile(
    r"^(?:way|time|kind|sort|again|one|ones|too|then|please|before|after|when|for|in|on|at|to|with|by|if|unless|and|or"
    r"|until|anymore|first|instead)\b"
)

_TOPICS = (
    ("Testing", r"tests?|testing|coverage|mocks?|fixtures?|ci"),
    ("Deployment and releases", r"deploy\w*|releases?|rollout|production|staging|ship|publish|rollback"),
    ("Version control", r"commits?|branch(?:es)?|merge|merging|rebase|squash|push|pull requests?|prs?|git|tags?"),
    ("Data and storage", r"databases?|postgres\w*|mysql|sqlite|tables?|migrations?|backups?|schemas?|buckets?"),
    ("Security", r"secrets?|passwords?|tokens?|keys?|credentials?|permissions?|encrypt\w*|login"),
    ("Code style", r"indent\w*|tabs|spaces|lint\w*|format\w*|naming|functions?|class(?:es)?|variables?|imports?|type hints|docstrings?"),
    ("Documents and texts", r"docs?|document\w*|readme|changelog|reports?|texts?|spelling|headings?|letters?|translations?|minutes"),
    ("Dates, times and units", r"dates?|times?|time ?zones?|units?|metric|utc|calendar|meetings?|appointments?|schedules?|deadlines?"),
    ("Answers and messages", r"answers?|repl(?:y|ies)|respon[ds]\w*|messages?|emojis?|e?-?mails?|tone|language|summar\w+|call me|address"),
    ("Customers and orders", r"customers?|clients?|orders?|invoices?|refunds?|prices?|discounts?|shipping|deliver\w*|suppliers?|payments?"),
    ("Tools", r"use|install|npm|pnpm|yarn|pip|docker|editor|tools?|librar(?:y|ies)|framework|packages?"),
)  # fmt: skip
_TOPIC_PATTERNS = tuple((title, re.compile(rf"\b(?:{words})\b")) for title, words in _TOPICS)
LEAST_WORDS_LEFT = 2
_BY_KIND = {Kind.RULE: "Rules", Kind.PREFERENCE: "Preferences", Kind.FACT: "Facts", Kind.DECISION: "Decisions"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement holds, and the name that is set before it."""

    scope: str
    name: str


def without_fillers(sentence: str) -> str:
    """The sentence without greetings, "ok, " and "also " at its start and "please" at its end."""
    stripped = _LAST_PLEASE.sub("", _FILLER.sub("", sentence.strip()).strip())
    return stripped or sentence.strip()


def without_announcement(sentence: str) -> str:
    """The rule alone, where what stands before its colon only announces it: "This goes for all of you: always …"."""
    match = _ANNOUNCED.match(sentence)
    if match is None or _CONDITION.match(match.group("before")) or not _ANNOUNCES.search(match.group("before")):
        return sentence
    return match.group("rule")


def without_request(sentence: str) -> str:
    """The sentence without a last clause that only asks for something to be done now; as it is where that would leave a part of one."""
    match = _LAST_REQUEST.search(sentence)
    before = sentence[: match.start()] if match else ""
    is_whole = len(content_words(before)) >= LEAST_WORDS_LEFT and not _DEPENDENT.match(_FILLER.sub("", before))
    return before if is_whole else sentence


def without_answer(sentence: str) -> str:
    """A correction without the "no, " or "actually, " that begins it."""
    return _ANSWER.sub("", sentence) or sentence


def as_order(sentence: str) -> str:
    """A polite request as the order that it is; any other sentence as it is."""
    return _POLITE_REQUEST.sub("", sentence).rstrip("?").strip() if _POLITE_REQUEST.match(sentence) else sentence


def with_reason(sentence: str) -> tuple[str, str]:
    """The sentence without what follows "because", and that."""
    match = _REASON.search(sentence)
    if match is None or len(match.group("reason").split()) < 2:
        return sentence, ""
    return sentence[: match.start()].rstrip(" ,"), match.group("reason").strip()


def stands_alone(sentence: str) -> bool:
    """Whether it says what it is about: it has content, and no "it" or "that" whose thing lies in another sentence."""
    words = _CLEFT.sub(lambda match: " " * len(match.group()), masked(sentence))
    if not content_words(words.replace("\ue000", " ")) and "\ue000" not in words:
        return False
    for match in _DANGLING.finditer(words):
        after = words[match.end() :].lstrip()
        # "this folder" names its thing; "in that way" and "that" alone don't.
        if (
            match.group() in ("that", "this", "those", "these")
            and after
            and _EXPLAINED.match(words[match.start() :])
            and not _NOT_A_THING.match(after)
        ):
            continue
        if len(content_words(sentence[: match.start()])) < 2:
            return False
    return True


def place_of(sentence: str, chunk: ChunkInput, *, standing: bool) -> Place:
    """Everywhere for what is `standing` and names no place; else the project, and where the Room has none, everywhere unless the words
    say "here"."""
    words = masked(sentence)
    project = chunk.project
    names_project = bool(project) and fold(project) in fold(sentence)
    is_here = _HERE.search(words) is not None
    if project and (names_project or is_here or not standing):
        return Place(f"project:{project}", "" if names_project else project)
    if is_here:
        title = chunk.title
        return Place("room", "" if not title or fold(title) in fold(sentence) else title)
    return Place("everywhere", "")


def is_personal(sentence: str) -> bool:
    """Whether it speaks of "I" or "me", so that it needs to say who that is."""
    return _FIRST_PERSON.search(masked(sentence)) is not None


def topic_of(sentence: str, kind: Kind) -> str:
    """A section title: by the first subject whose words occur, else by kind."""
    words = masked(sentence)
    return next((title for title, pattern in _TOPIC_PATTERNS if pattern.search(words)), _BY_KIND[kind])


def capitalised(sentence: str) -> str:
    first = sentence.split(maxsplit=1)[0] if sentence else ""
    # A name such as `iPhone` or a path keeps its first letter.
    return sentence[:1].upper() + sentence[1:] if first.isalpha() and first.islower() else sentence
