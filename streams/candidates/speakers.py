"""Who said it, computed from the records and never believed of a model (X7, X8, U17, U20, U22). Pure.

The *speakers* of a candidate are the cited records that contain its quote, and a user's bare "yes" that is cited and answers one of them.
Its trust is that of the most trusted speaker, but for words that come from elsewhere:

- an agent's words that a tool result of the same run holds have the tool's trust;
- a statement that shares next to nothing with its users' words, while a tool result, a guest or a report in the chunk holds nearly all of
  it, has the trust of that record. So quoting "please read this page" does not make a rule of what the page says.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.candidates import Reporter, Trust
from schemas.extraction import InputRecord
from streams.candidates.records import Records, is_by_agent, is_by_user, is_own_reading, reporter_of, trust_of
from streams.models.words import content_words, fold, identifiers

_FEW, _MOST, _NEARLY_ALL = 0.34, 0.67, 0.8
_ENOUGH_WORDS = 4
"""Content words from which on a likeness can't be chance."""


@dataclass(frozen=True, slots=True)
class Speakers:
    """Who said it. `by_user`: a user's words say it, and they are the user's own."""

    trust: Trust
    holders: tuple[InputRecord, ...]
    """The cited records that contain the quote."""
    by_user: bool
    from_our_memory: bool = False
    """The agent only repeats what it read in its memory (X5)."""
    reporter: Reporter | None = None
    """Who says it, if the trust is that of a report; None: more than one of them."""


def speakers(statement: str, quote: str, cited: Sequence[InputRecord], records: Records) -> Speakers:
    """Who said it; no holder: the quote is in none of the cited records."""
    wanted = fold(quote)
    holders = tuple(record for record in cited if wanted and wanted in records.folded(record))
    if not holders:
        return Speakers(Trust.REPORTED, (), by_user=False)
    user_words: list[InputRecord] = []
    trusts: list[Trust] = []
    reporters: set[Reporter | None] = set()
    for record in holders:
        if is_by_user(record):
            said = records.answered(record) or record
            # A bare "yes" says only what it answers, and that must be cited too.
            if said is record or said in cited:
                user_words.append(said)
                trusts.append(trust_of(record))
                reporters.add(reporter_of(record))
            continue
        for assent in cited:
            if is_by_user(assent) and records.answered(assent) == record:
                user_words.append(record)
                trusts.append(trust_of(assent))
                reporters.add(reporter_of(assent))
        trusts.append(_agent_trust(statement, wanted, record, records) if is_by_agent(record) else trust_of(record))
        # An agent's words are reported only where they are a tool's.
        reporters.add(Reporter.TOOL if is_by_agent(record) else reporter_of(record))
    trust = max(trusts, key=_order, default=Trust.REPORTED)
    by_user = bool(user_words)
    if by_user and (elsewhere := _elsewhere(statement, user_words, records)):
        trust, by_user, reporters = Trust.REPORTED, False, {reporter_of(record) for record in elsewhere}
    return Speakers(
        trust,
        holders,
        by_user and _is_said_by(statement, user_words, records),
        _only_reads(statement, wanted, holders, records),
        next(iter(reporters)) if trust is Trust.REPORTED and len(reporters) == 1 else None,
    )


def _order(trust: Trust) -> tuple[int, bool]:
    return trust.rank, trust is Trust.OWNER


def _share(wanted: frozenset[str], held: frozenset[str]) -> float:
    return len(wanted & held) / len(wanted) if wanted else 1.0


def _agent_trust(statement: str, quote: str, record: InputRecord, records: Records) -> Trust:
    from_tool = any(_comes_from(statement, quote, result, records) for result in records.run_of(record))
    return Trust.REPORTED if from_tool else Trust.AGENT


def _comes_from(statement: str, quote: str, source: InputRecord, records: Records) -> bool:
    """Whether the quote stands in the source, or nearly all words of quote or statement do."""
    if len(content_words(quote)) >= 2 and quote in records.folded(source):
        return True
    held = records.content(source)
    return any(len(words := content_words(text)) >= _ENOUGH_WORDS and _share(words, held) >= _NEARLY_ALL for text in (quote, statement))


def _only_reads(statement: str, quote: str, holders: Sequence[InputRecord], records: Records) -> bool:
    """Whether each holder is the agent, with words that it read in its memory in the same run."""
    return all(
        is_by_agent(record)
        and any(is_own_reading(call) and _comes_from(statement, quote, call, records) for call in records.run_of(record))
        for record in holders
    )


def _is_said_by(statement: str, said: Sequence[InputRecord], records: Records) -> bool:
    """Whether a user's words have a word or identifier of the statement that is more than a name."""
    wanted = (content_words(statement) | identifiers(statement)) - records.name_words
    if not wanted:
        return True
    return any(wanted & (records.content(record) | records.identifiers(record)) for record in said)


def _elsewhere(statement: str, said: Sequence[InputRecord], records: Records) -> tuple[InputRecord, ...]:
    """The reports that the statement comes from; none if it shares enough words with what its users said."""
    wanted = content_words(statement) - records.name_words
    if max(_share(wanted, records.content(record)) for record in said) >= _FEW:
        return ()
    others = (record for record in records.chunk.records if trust_of(record) is Trust.REPORTED and record not in said)
    return tuple(record for record in others if _share(wanted, records.content(record)) >= _MOST)
