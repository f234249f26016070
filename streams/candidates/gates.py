"""The gates after the model: what of a draft may be a candidate, and why not (X6, X7, X8; U01, U15, U17, U20, U22). Pure.

A draft is judged with the chunk that was read, exactly as the model saw it. The order is from what costs little to what costs more, and
from the shape to the sense; the first gate that refuses names the reason. What a gate can mend it mends (a topic that is too long, a date
from nowhere, a project that nobody named); it never writes words of its own into a statement: where the words are not covered, the
source's own stand.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from schemas.answers import CandidateDraft
from schemas.candidates import Kind, Reporter, Scope, Trust
from schemas.extraction import InputRecord
from streams.candidates.credentials import has_credential
from streams.candidates.grounding import known_dates, unfounded
from streams.candidates.places import EVERYONE, about_of, holding, scope_of, topic_of
from streams.candidates.records import Records, is_by_agent, is_by_user, is_own_reading, is_system
from streams.candidates.speakers import Speakers, speakers
from streams.models.mood import is_assent, is_hypothetical, is_suggestion, is_temporary
from streams.models.sentences import Sentence, enclosing
from streams.models.tokens import estimate
from streams.models.words import content_words, fold

LONGEST_STATEMENT, LONGEST_STATEMENT_TOKENS = 500, 150
LONGEST_REASON, LONGEST_QUOTE, LONGEST_CORRECTION = 300, 200, 500
EVERYWHERE = Scope()
LEAST_WORDS_TO_STAND = 3
"""Content words that a quote needs to stand alone as a statement."""
WANTS = frozenset((Kind.RULE, Kind.PREFERENCE, Kind.DECISION))
"""Kinds that say what a user wants; they need a user's words."""


class Refused(Exception):
    """A draft that is no candidate."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Judged:
    """A draft as it stands after the gates. `refused` is empty, or says why it is no candidate; then the rest is what could be kept."""

    statement: str
    kind: Kind
    topic: str
    trust: Trust
    evidence: tuple[InputRecord, ...]
    quote: str
    reporter: Reporter | None = None
    reason: str = ""
    scope: Scope = EVERYWHERE
    about: str = EVERYONE
    holds_from: datetime | None = None
    holds_until: datetime | None = None
    corrects: str = ""
    refused: str = ""


def judge(draft: CandidateDraft, records: Records) -> Judged:
    """The candidate that the draft is, or the reason why it is none."""
    statement = one_line(draft.statement[: 4 * LONGEST_STATEMENT])
    quote = draft.quote[: 4 * LONGEST_STATEMENT]
    kind = _kind(draft.kind)
    cited = tuple(records.by_id[name] for name in draft.evidence if name in records.by_id)
    try:
        return _judged(draft, statement, quote, kind, cited, records)
    except Refused as refused:
        return Judged(
            statement=clipped(statement, LONGEST_STATEMENT) or "(no words)",
            kind=kind or Kind.FACT,
            topic=topic_of(one_line(draft.topic[:LONGEST_STATEMENT]), kind or Kind.FACT, records.chunk),
            trust=(said := speakers(statement, quote, cited, records)).trust,
            reporter=said.reporter,
            evidence=cited,
            quote=clipped(one_line(quote), LONGEST_QUOTE, mark=""),
            refused=refused.reason,
        )


def _judged(
    draft: CandidateDraft, statement: str, quote: str, kind: Kind | None, cited: tuple[InputRecord, ...], records: Records
) -> Judged:
    if kind is None:
        raise Refused("unknown kind")
    _shape(draft, statement)
    evidence = _evidence(cited, records)
    said = speakers(statement, quote, evidence, records)
    _source(kind, quote, said, evidence, records)
    dates = known_dates(quote, said.holders, evidence, records)
    holds_from = holding(draft.holds_from, dates, said.holders, records, until=False)
    holds_until = holding(draft.holds_until, dates, said.holders, records, until=True)
    if holds_from and holds_until and holds_until < holds_from:
        holds_from = holds_until = None
    _sense(kind, quote, said, has_end=holds_until is not None)
    if unfounded(statement, records, dates):
        statement = _own_words(quote)
    if has_credential(statement) or has_credential(quote):
        raise Refused("a credential in words")
    reason, corrects = one_line(draft.reason or ""), one_line(draft.corrects or "")
    topic = one_line(draft.topic[: 4 * LONGEST_STATEMENT])
    if unfounded(topic, records, dates) or has_credential(topic):
        topic = ""
    # Words of the untrusted are facts about what they say, never rules or procedures (C12).
    kind = Kind.FACT if said.trust is Trust.REPORTED else kind
    return Judged(
        statement=statement,
        kind=kind,
        topic=topic_of(topic, kind, records.chunk),
        trust=said.trust,
        reporter=said.reporter,
        evidence=evidence,
        quote=clipped(one_line(quote), LONGEST_QUOTE, mark=""),
        reason="" if unfounded(reason, records, dates) or has_credential(reason) else clipped(reason, LONGEST_REASON),
        scope=scope_of(draft.scope, records.chunk),
        about=about_of(draft.about, records.chunk),
        holds_from=holds_from,
        holds_until=holds_until,
        corrects="" if has_credential(corrects) else clipped(corrects, LONGEST_CORRECTION),
    )


def _kind(name: str) -> Kind | None:
    try:
        return Kind(name.strip().casefold())
    except ValueError:
        return None


def _shape(draft: CandidateDraft, statement: str) -> None:
    if not content_words(statement):
        raise Refused("a statement without words")
    if len(draft.statement) > LONGEST_STATEMENT or estimate(statement) > LONGEST_STATEMENT_TOKENS:
        raise Refused(f"a statement longer than {LONGEST_STATEMENT} characters or {LONGEST_STATEMENT_TOKENS} tokens")


def _evidence(cited: Sequence[InputRecord], records: Records) -> tuple[InputRecord, ...]:
    """The cited records that may be evidence."""
    if not cited:
        raise Refused("cites no record of the chunk")
    evidence = tuple(record for record in cited if not is_system(record) and not is_own_reading(record))
    if not evidence:
        raise Refused("cites only the system's words or the agent's own memory")
    if any(records.is_kept_out(record) for record in evidence):
        raise Refused("a user asked not to remember it")
    if not any(record.new for record in evidence):
        raise Refused("cites only what was already read")
    return evidence


def _source(kind: Kind, quote: str, said: Speakers, evidence: Sequence[InputRecord], records: Records) -> None:
    """Who said it, and whether that one may say such a thing."""
    if not said.holders:
        raise Refused("the quote is in none of the cited records")
    if said.from_our_memory:
        raise Refused("the agent read it in its own memory")
    assents = [record for record in said.holders if is_by_user(record) and is_assent(record.text)]
    if kind in WANTS and not said.by_user:
        if assents and all(records.answered(record) not in evidence for record in assents):
            raise Refused('a bare "yes" without what it answers')
        if all(is_by_agent(record) for record in said.holders):
            raise Refused("what the agent proposed and no user answered")
        raise Refused("no user's words say it")
    if not said.by_user and any(is_by_agent(record) for record in said.holders):
        proposals = [_suggests(record.text, quote) for record in said.holders if is_by_agent(record)]
        if all(proposals) and len(proposals) == len(said.holders):
            raise Refused("what the agent proposed and no user answered")


def _sense(kind: Kind, quote: str, said: Speakers, *, has_end: bool) -> None:
    """Hypotheticals and steps of the task at hand are no candidates. Only messages are looked at: a tool's output supposes nothing."""
    messages = [record for record in said.holders if record.kind == "message"]
    if not messages:
        return
    if all(_holds(is_hypothetical, record.text, quote) for record in messages):
        raise Refused("a hypothetical")
    if (
        not has_end
        and kind in (Kind.RULE, Kind.PREFERENCE, Kind.PROCEDURE)
        and all(_holds(is_temporary, record.text, quote) for record in messages)
    ):
        raise Refused("a step of the task at hand")


def _suggests(text: str, quote: str) -> bool:
    return _holds(is_suggestion, text, quote)


def _holds(mood: Callable[[Sentence], bool], text: str, quote: str) -> bool:
    """Whether the sentences that the quote stands in are of this mood: all that contain it whole, else one of those that it runs over."""
    touched = enclosing(text, quote)
    wanted = fold(quote)
    whole = [sentence for sentence in touched if wanted in fold(sentence.text)]
    return bool(touched) and (all(mood(sentence) for sentence in whole) if whole else any(mood(sentence) for sentence in touched))


def _own_words(quote: str) -> str:
    """The source's own words, where they can stand alone."""
    own = one_line(quote)
    if len(content_words(own)) < LEAST_WORDS_TO_STAND or len(own) > LONGEST_STATEMENT or is_assent(own):
        raise Refused("numbers, paths or names that nobody said")
    return own


def one_line(text: str) -> str:
    """The text on one line, without control, bidi-override and other invisible characters; joiners within words stay."""
    visible = (
        sign for sign in text if sign.isspace() or sign in "\u200c\u200d" or unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Co")
    )
    return " ".join("".join(visible).split())


def clipped(text: str, longest: int, mark: str = "…") -> str:
    """At most `longest` characters, cut between words where there are some, and marked as cut."""
    if len(text) <= longest:
        return text
    cut = text[: longest - len(mark)]
    return (cut[: cut.rindex(" ")] if " " in cut[longest // 2 :] else cut).rstrip() + mark
