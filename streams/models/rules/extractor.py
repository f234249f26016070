"""The offline extractor: explicit teaching in a user's own sentences, and nothing that has to be understood (X14)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from schemas.answers import CandidateDraft, ExtractionAnswer
from schemas.candidates import Kind
from schemas.codec import encode
from schemas.events import AuthorKind
from schemas.extraction import ChunkInput, InputRecord
from schemas.ids import short_hash
from streams.models.mood import is_hypothetical, is_of_the_day, is_question, is_temporary
from streams.models.port import ModelAnswer
from streams.models.rules import cues
from streams.models.rules.alternatives import others_than
from streams.models.rules.contradiction import LEAST_SUBJECT_WORDS, subject_words
from streams.models.rules.contrasts import replaced
from streams.models.rules.language import uncovered_share
from streams.models.rules.neighbours import addition, antecedent, with_contrast
from streams.models.rules.orders import ORDER, REMEMBERED, TO_REMEMBER
from streams.models.rules.spelling import as_meant
from streams.models.rules.statement import (
    as_order,
    capitalised,
    is_personal,
    place_of,
    stands_alone,
    topic_of,
    with_reason,
    without_announcement,
    without_answer,
    without_fillers,
    without_request,
)
from streams.models.rules.summary import summary
from streams.models.sentences import Sentence, masked, own_text, sentences
from streams.models.words import content_words, fold, normalise

VERSION = 2
"""Raised when the code around the cues changes what they find."""
MOST_CANDIDATES = 8
LEAST_WORDS_REMEMBERED = 2
LONGEST_STATEMENT, LONGEST_REASON, LONGEST_QUOTE = 400, 300, 200
_FIRST = (Kind.RULE, Kind.DECISION, Kind.PREFERENCE, Kind.FACT)

_REPORTED_SPEECH = re.compile(
    r"(?<![\w'])(?!i\b|we\b|just\b|already\b|i've\b|have\b|explicitly\b|clearly\b|always\b|that\b|which\b|who\b|not\b)[\w'’-]+ "
    r"(?:said|says|told|tells|wrote|writes|claims|claimed|thinks|suggests|suggested|recommends|recommended|mentions|mentioned"
    r"|insists|insisted|argues|argued|reads|states|quoted)\b"
    r"|(?<![\w'])(?:they|people|some|many|others|experts|(?!customers\b|clients\b|suppliers\b)[\w'’-]+s) "
    r"(?:will |would |may |might |always )?(?:say|tell|write|claim|think|suggest|recommend|mention|insist|argue)\b"
    r"|\baccording to\b|\bapparently\b|\bthey say\b"
)
# "When a customer writes, …" tells what to do, and not what was written.
_TRIGGER = re.compile(r"(?:when|whenever|each time|every time) (?:an?|some\w+|any\w*|the|customers|clients|people)\b")
_DAY = (
    r"(?P<date>(?:(?:the |this |next |last )?(?:day after tomorrow|today|tonight|tomorrow|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?"
    r"|the \d{1,2}(?:st|nd|rd|th)|\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d|the end of|end of)[^,.;]{0,30})"
)
_FROM = re.compile(rf"\b(?:from|starting(?: on| from)?|as of|beginning|effective(?: from)?|since) (?:on )?{_DAY}")
_UNTIL = re.compile(rf"\b(?:until|till|through) (?:and including )?{_DAY}")
_ASKED_ABOUT = ("if ", "whether ", "why ", "what ", "how ", "when ")
_AT_ONCE = (" now", " right now", " right away")
_REDACTED = "[redacted"


@dataclass(frozen=True, slots=True)
class _Found:
    """A sentence that a cue was found in."""

    record: InputRecord
    sentence: str
    cue: cues.Cue
    quote: str
    """The part of the sentence that stands in the record as it is."""
    before: str = ""
    after: str = ""
    """What its neighbours add, without which it doesn't stand alone."""


class RulesExtractor:
    """Answers extraction calls from cues, without a network."""

    name = "rules"
    prompt = "rules-" + short_hash(f"{VERSION}" + "".join(cue.kind + cue.pattern.pattern for cue in cues.ALL))
    fixed_tokens = 0

    async def extract(self, chunk: ChunkInput, model: str) -> ModelAnswer:
        """The answer, as JSON of the shape `ExtractionAnswer`, or `no result` where users mostly wrote what the cues don't cover."""
        return answer(chunk)


def answer(chunk: ChunkInput) -> ModelAnswer:
    """What the cues find in a chunk; the same chunk always gives the same bytes."""
    messages = [record for record in chunk.records if _is_said_by_user(record)]
    if uncovered_share(record.text for record in messages) > 0.5:
        return ModelAnswer(text="", fault="no result: the cues cover English only")
    others = _other_names(chunk)
    drafts: dict[str, CandidateDraft] = {}
    for found in (one for record in messages for one in _found_in(record, others)):
        draft = _draft(found, chunk)
        same = drafts.get(normalise(draft.statement))
        if same is not None:
            draft = _with_record(same, found.record.id)
        drafts[normalise(draft.statement)] = draft
    chosen = sorted(drafts.values(), key=lambda draft: _FIRST.index(Kind(draft.kind)))[:MOST_CANDIDATES]
    in_order = tuple(draft for draft in drafts.values() if draft in chosen)
    return ModelAnswer(text=encode(ExtractionAnswer(summary=summary(chunk), candidates=in_order)).decode())


def _with_record(draft: CandidateDraft, record: str) -> CandidateDraft:
    """The draft with one more record that shows it."""
    return draft.model_copy(update={"evidence": tuple(dict.fromkeys((*draft.evidence, record)))})


def _is_said_by_user(record: InputRecord) -> bool:
    return record.new and record.author is not None and record.author.kind is AuthorKind.USER


def _other_names(chunk: ChunkInput) -> frozenset[str]:
    """Names that stand before quoted speech: "Bob: always use tabs"."""
    names = {fold(record.author.name or record.author.id) for record in chunk.records if record.author}
    return frozenset(names | {fold(chunk.agent), "user", "assistant", "human", "ai", "agent", "bot", "system", "tool"})


def _found_in(record: InputRecord, others: frozenset[str]) -> Iterator[_Found]:
    said = [replace(one, text=without_request(one.text)) for one in sentences(own_text(record.text))]
    texts = [one.text for one in said]
    for at, whole in enumerate(said):
        if len(whole.text) > LONGEST_STATEMENT or _REDACTED in whole.text or is_question(whole) or is_hypothetical(whole):
            continue
        if cues.MAXIM.search(whole.masked) or whole.text.endswith(":"):
            continue
        alone = without_announcement(as_order(without_fillers(whole.text)))
        sentence = replace(whole, text=with_contrast(alone, *texts[at + 1 : at + 2]) if at + 1 < len(texts) else alone)
        if is_question(sentence) or is_hypothetical(sentence) or is_temporary(sentence) or is_of_the_day(sentence):
            continue
        cue = _cue_of(sentence, others) or _remembered(sentence, texts[at + 1 : at + 3])
        if cue is not None and stands_alone(sentence.text):
            before = antecedent(alone, texts[at - 1]) if at else ""
            yield _Found(record, sentence.text, cue, alone, before, addition(texts[at + 1 : at + 3]))


def _remembered(sentence: Sentence, after: list[str]) -> cues.Cue | None:
    """An order that the user asks to remember in the same breath or right after."""
    words = as_meant(sentence.masked)
    is_asked = any(TO_REMEMBER.search(as_meant(masked(text))) for text in (sentence.text, *after))
    return REMEMBERED if is_asked and not TO_REMEMBER.match(words) and ORDER.match(words) else None


def _cue_of(sentence: Sentence, others: frozenset[str]) -> cues.Cue | None:
    words = as_meant(sentence.masked).rstrip(" .!?…")
    label, colon, _ = words.partition(":")
    if colon and label.strip() in others:
        return None
    for cue in cues.ALL:
        match = cue.pattern.search(words)
        if match is not None and cue is cues.REMEMBER and len(content_words(words[match.end() :])) < LEAST_WORDS_REMEMBERED:
            continue
        if match is None or (_REPORTED_SPEECH.search(words[: match.end()]) and not _TRIGGER.match(words)):
            continue
        before = words[: match.start()]
        if cue.kind is Kind.DECISION and cues.UNDECIDED.search(before):
            continue
        if cue.kind is Kind.PREFERENCE and before.endswith(_ASKED_ABOUT):
            continue
        if cue.kind is Kind.RULE and words.endswith(_AT_ONCE) and not words.endswith("from now"):
            continue
        if cue is cues.REMEMBER and cues.ORDER.search(words[match.end() :]):
            return cues.Cue("remember to", Kind.RULE, cue.pattern, standing=True)
        return cue
    used = cues.USES.search(sentence.masked.rstrip(" .!?…"))
    return cues.FACTS if used is not None and others_than(sentence.text[used.start("thing") : used.end("thing")]) else None


def _draft(found: _Found, chunk: ChunkInput) -> CandidateDraft:
    sentence, cue, author = found.sentence, found.cue, found.record.author
    said, reason = with_reason(without_answer(_without_lead(sentence, cue)))
    old = replaced(said)
    # A reversal that names its subject holds wherever what it replaces held, whichever Room it is said in.
    reverses = cue.kind is Kind.DECISION and bool(old) and len(subject_words(said, old)) >= LEAST_SUBJECT_WORDS
    place = place_of(sentence, chunk, standing=cue.standing or reverses)
    text = capitalised(_with_neighbours(found, said))
    about = "everyone"
    name = (author.name or author.id) if author else ""
    if is_personal(said) and name:
        text, about = f"{name}: {text}", name if cue.kind is Kind.PREFERENCE else about
    if place.name:
        text = f"{place.name}: {text}"
    return CandidateDraft(
        statement=text,
        reason=reason[:LONGEST_REASON] or None,
        topic=topic_of(sentence, cue.kind),
        kind=cue.kind.value,
        scope=place.scope,
        about=about,
        evidence=(found.record.id,),
        quote=_quote(with_reason(without_answer(_without_lead(found.quote, cue)))[0]),
        holds_from=_date(_FROM, sentence),
        holds_until=_date(_UNTIL, sentence),
        corrects=old or None,
    )


def _with_neighbours(found: _Found, said: str) -> str:
    before = f"{found.before} – " if found.before else ""
    after = f" – {found.after}" if found.after else ""
    joined = f"{before}{said.rstrip(' .!') if after else said}{after}"
    return joined if len(joined) <= LONGEST_STATEMENT else said


def _without_lead(sentence: str, cue: cues.Cue) -> str:
    """What is to be remembered, without "please remember that" or "small warning:"."""
    if cue.pattern not in (cues.REMEMBER.pattern, cues.WARNING.pattern):
        return sentence
    match = cue.pattern.match(masked(sentence))
    is_lead = match is not None and not match.group().endswith("to ") and len(sentence) - match.end() > 1
    return sentence[match.end() :].strip() if match is not None and is_lead else sentence


def _quote(sentence: str) -> str:
    """The sentence's own words, as many as a quote may have."""
    return sentence if len(sentence) <= LONGEST_QUOTE else sentence[:LONGEST_QUOTE].rsplit(" ", 1)[0]


def _date(pattern: re.Pattern[str], sentence: str) -> str | None:
    """The words after "from" or "until"; the gates make a date of them, or drop them."""
    match = pattern.search(sentence.casefold())
    return match.group("date").strip() if match else None
