"""Operations that decide candidates: add, merge into, replace, remove, reject (C3, C4, C8)."""

from collections.abc import Sequence

from schemas.answers import AddOperation, MergeIntoOperation, RejectOperation, RemoveOperation, ReplaceOperation
from schemas.candidates import Candidate
from schemas.memory import Line
from schemas.operations import Ending, Verdict
from streams.consolidation.draft import Draft
from streams.consolidation.gates import Refused, disproof, said_words, same_place, same_statement, wording
from streams.consolidation.lines import leading, new_line, with_candidates, with_line
from streams.models.words import content_words, normalise

Candidates = Sequence[Candidate]


def add(draft: Draft, operation: AddOperation, candidates: Candidates) -> Draft:
    """A new line; equal words that stand already become one more source of that line (U04)."""
    _some(candidates)
    wording(operation.text, [c.statement for c in candidates], _sources(candidates))
    return _add(draft, operation.section, operation.text, candidates)


def _add(draft: Draft, section: str, text: str, candidates: Candidates) -> Draft:
    main = leading(candidates)
    known = draft.equal_line(text, main.about, main.scope)
    if known is not None:
        return attach(draft, known, candidates)
    line = new_line(draft.next_line(), text, candidates, draft.version)
    for candidate in candidates:
        same_place(candidate.about, candidate.scope, line)
    draft = draft.in_section(section, line, " ".join((*_sources(candidates), *(c.topic for c in candidates))))
    return _decided(draft, candidates, Verdict.MERGED, line)


def attach(draft: Draft, line: Line, candidates: Candidates) -> Draft:
    """The candidates say what the line says: it has more sources, in its own words.

    Words that no user has said and that equal a line count for nothing: the agent may have read them in its memory (X5).
    """
    echoes = [c for c in candidates if not c.trust.trusted and normalise(c.statement) == normalise(line.text)]
    said = [c for c in candidates if c not in echoes]
    for echo in echoes:
        draft = draft.decide(echo.id, Verdict.REJECTED, reason="equals a line, and no user has said it")
    if not said:
        return draft
    main = leading(said)
    # What is confirmed now stands in the words of the one who is trusted.
    line = with_candidates(line, said, main.statement if main.trust.trusted and not line.trust.trusted else None)
    draft = draft.put(draft.section_with(line.id), line)
    return _decided(draft, said, Verdict.DUPLICATE, line)


def merge_into(draft: Draft, operation: MergeIntoOperation, candidates: Candidates) -> Draft:
    """The candidates say the same as a line, perhaps more exactly: then it gets other words that lose nothing."""
    _some(candidates)
    line = draft.line(operation.line)
    for candidate in candidates:
        same_place(candidate.about, candidate.scope, line)
    text = operation.text
    if text is None or normalise(text) == normalise(line.text):
        for candidate in candidates:
            same_statement(candidate.statement, line)
        return attach(draft, line, candidates)
    _may_reword(line, candidates)
    for candidate in candidates:
        if not content_words(candidate.statement) & content_words(line.text):
            raise Refused("says something else than the line")
    wording(text, [line.text, *(c.statement for c in candidates)], [line.text, line.reason, *_sources(candidates)])
    if draft.equal_line(text, line.about, line.scope) is not None:
        raise Refused("another line says so already")
    draft = draft.put(draft.section_with(line.id), with_candidates(line, candidates, text))
    return _decided(draft, candidates, Verdict.MERGED, line)


def replace_line(draft: Draft, operation: ReplaceOperation, candidates: Candidates) -> Draft:
    """A line ends and a new one stands in its section: refined, with all its sources, or disproved, without them."""
    _some(candidates)
    line = draft.line(operation.line)
    if operation.cause == "refined":
        return _refine(draft, line, operation, candidates)
    wording(operation.text, [c.statement for c in candidates], [line.text, line.reason, *_sources(candidates)])
    return _disprove(draft, line, operation.text, candidates, operation.because)


def _refine(draft: Draft, line: Line, operation: ReplaceOperation, candidates: Candidates) -> Draft:
    _may_reword(line, candidates)
    for candidate in candidates:
        same_place(candidate.about, candidate.scope, line)
        if candidate.holds_from is not None and candidate.holds_from > draft.at:
            raise Refused("a future change: both are kept")
    if not content_words(operation.text) & content_words(line.text):
        raise Refused("says something else than the line")
    wording(operation.text, [line.text, *(c.statement for c in candidates)], [line.text, line.reason, *_sources(candidates)])
    if normalise(operation.text) == normalise(line.text):
        return attach(draft, line, candidates)
    known = draft.equal_line(operation.text, line.about, line.scope)
    if known is not None:
        draft = attach(draft, known, candidates)
        known = next(other for other in draft.memory.lines if other.id == known.id)
        draft = draft.put(draft.section_with(known.id), with_line(known, line))
        return draft.end(line, Ending.REPLACED, because=leading(candidates).id, into=known.id)
    new = with_line(new_line(draft.next_line(), operation.text, candidates, draft.version), line).model_copy(
        update={"scope": line.scope, "reason": leading(candidates).reason or line.reason}
    )
    draft = draft.put(draft.section_with(line.id), new).end(line, Ending.REPLACED, because=leading(candidates).id, into=new.id)
    return _decided(draft, candidates, Verdict.MERGED, new)


def _disprove(draft: Draft, line: Line, text: str, candidates: Candidates, because: str | None) -> Draft:
    cause = _cause(draft, because, candidates)
    disproof(line, cause, draft.at, draft.memory.rooms)
    draft = draft.removing(cause.id)
    main = leading(candidates)
    known = draft.equal_line(text, main.about, main.scope)
    if known is not None and known.id != line.id:
        return attach(draft, known, candidates).end(line, Ending.DISPROVED, because=cause.id, into=known.id)
    if known is not None:
        raise Refused("the new words are those of the line")
    new = new_line(draft.next_line(), text, candidates, draft.version)
    for candidate in candidates:
        same_place(candidate.about, candidate.scope, new)
    draft = draft.put(draft.section_with(line.id), new).end(line, Ending.DISPROVED, because=cause.id, into=new.id)
    return _decided(draft, candidates, Verdict.MERGED, new)


def remove(draft: Draft, operation: RemoveOperation, candidates: Candidates) -> Draft:
    """A line ends: a duplicate hands its sources over; a disproved one ends because of a candidate that is kept (U06)."""
    line = draft.line(operation.line)
    if operation.cause == "duplicate":
        return _remove_duplicate(draft, line, operation, candidates)
    if candidates:
        # What they say must not be lost with the line that they disprove, so each is kept in its own words.
        main, *others = sorted(candidates, key=lambda c: (-c.trust.rank, c.order))
        draft = _disprove(draft, line, main.statement, [main], operation.because)
        for other in others:
            draft = _add(draft, other.topic, other.statement, [other])
        return draft
    cause = _cause(draft, operation.because, ())
    into = draft.decisions[cause.id].line
    if into == line.id:
        raise Refused("its cause stands in the line itself")
    disproof(line, cause, draft.at, draft.memory.rooms)
    return draft.removing(cause.id).end(line, Ending.DISPROVED, because=cause.id, into=into)


def _remove_duplicate(draft: Draft, line: Line, operation: RemoveOperation, candidates: Candidates) -> Draft:
    survivor = draft.line(operation.survivor or "")
    if survivor.id == line.id:
        raise Refused("a line is no duplicate of itself")
    if survivor.trust.rank < line.trust.rank:
        raise Refused("the survivor is trusted less")
    same_place(line.about, line.scope, survivor)
    same_statement(line.text, survivor)
    if normalise(line.text) != normalise(survivor.text):
        draft = draft.removing()
    for candidate in candidates:
        same_place(candidate.about, candidate.scope, survivor)
        same_statement(candidate.statement, survivor)
    if candidates:
        draft = attach(draft, survivor, candidates)
        survivor = draft.line(survivor.id)
    draft = draft.put(draft.section_with(survivor.id), with_line(survivor, line))
    return draft.end(line, Ending.MERGED_INTO, because=operation.because, into=survivor.id)


def reject(draft: Draft, operation: RejectOperation, candidates: Candidates) -> Draft:
    """The candidates come to nothing, and why."""
    _some(candidates)
    verdict = Verdict.DISPROVED if normalise(operation.reason).startswith("disproved") else Verdict.REJECTED
    for candidate in candidates:
        draft = draft.decide(candidate.id, verdict, reason=operation.reason or "rejected by the model")
    return draft


def _decided(draft: Draft, candidates: Candidates, verdict: Verdict, line: Line) -> Draft:
    for candidate in candidates:
        draft = draft.decide(candidate.id, verdict, line.id)
    return draft


def _cause(draft: Draft, because: str | None, candidates: Candidates) -> Candidate:
    if because is None:
        if not candidates:
            raise Refused("no cause")
        return leading(candidates)
    cause = draft.offered.get(because)
    if cause is None:
        raise Refused("an unknown cause")
    decision = draft.decisions.get(because)
    if cause not in candidates and (decision is None or decision.verdict not in (Verdict.MERGED, Verdict.DUPLICATE)):
        raise Refused("its cause is not kept")
    return cause


def _sources(candidates: Candidates) -> list[str]:
    """Give the words that a line may be made of: those of the trusted, if there are some (C12)."""
    trusted = [c for c in candidates if c.trust.trusted]
    return [said_words(candidate) for candidate in trusted or candidates]


def _may_reword(line: Line, candidates: Candidates) -> None:
    if any(candidate.trust.rank < line.trust.rank for candidate in candidates):
        raise Refused("trusted less than the line")


def _some(candidates: Candidates) -> None:
    if not candidates:
        raise Refused("no candidate")
