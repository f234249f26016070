"""From one record of `extractions` to what goes into the journal (X6, X7, X10). Pure: the same record always gives the same, in order.

A usable answer gives each of its drafts, proposed or rejected, then the Room's new summary, last, so that whoever has read the summary has
read all candidates of the chunk. `done` says that all of the request's candidates lie before it. Every other record gives nothing.
"""

from collections.abc import Iterator

from schemas.answers import CandidateDraft
from schemas.base import Moment, Origin, Position
from schemas.candidates import Candidate, Evidence, Kind, Trust
from schemas.extraction import Answered, Done, ExtractionRecord, InputRecord
from schemas.ids import candidate_id
from schemas.journal import CandidateProposed, CandidateRejected, RequestDone, RoomSummarised
from streams.candidates.answer import MOST_CANDIDATES, Malformed, read_answer
from streams.candidates.gates import LONGEST_STATEMENT, Judged, clipped, judge, one_line
from streams.candidates.places import topic_of
from streams.candidates.records import Records

LONGEST_SUMMARY = 1_500
Derived = CandidateProposed | CandidateRejected | RoomSummarised | RequestDone


def derive(record: ExtractionRecord, position: Position) -> tuple[Derived, ...]:
    """What a reader of `extractions` makes of the record at `position`. Never raises, whatever the answer says.

    The first usable answer of a chunk and the first `done` of a request count; that is the fold's to tell.
    """
    match record:
        case Answered() if record.usable:
            return tuple(_answered(record, position))
        case Done():
            return (
                RequestDone(
                    agent=record.agent,
                    origin=Origin(position=position),
                    request=record.request,
                    cut=record.cut,
                    outcome=record.outcome,
                ),
            )
        case _:
            return ()


def _answered(answered: Answered, position: Position) -> Iterator[Derived]:
    answer = read_answer(answered.output)
    if answer is None:
        return  # said to be usable by an earlier or later version: nothing can be made of it
    records = Records(answered.input)
    passed = 0
    for ordinal, draft in enumerate(answer.drafts):
        judged = _judge(draft, records)
        refused = judged.refused
        if not refused and passed >= MOST_CANDIDATES:
            refused = f"more than {MOST_CANDIDATES} candidates of one chunk"
        passed += not refused
        origin = Origin(position=position, ordinal=ordinal)
        candidate = _candidate(answered, ordinal, judged)
        if refused:
            yield CandidateRejected(agent=answered.agent, origin=origin, candidate=candidate, reason=refused)
        else:
            yield CandidateProposed(agent=answered.agent, origin=origin, candidate=candidate)
    yield RoomSummarised(
        agent=answered.agent,
        origin=Origin(position=position, ordinal=len(answer.drafts)),
        cut=answered.cut,
        chunk=answered.chunk,
        room=answered.room,
        title=answered.input.title,
        project=answered.input.project,
        text=clipped(_lines(answer.summary or answered.input.summary), LONGEST_SUMMARY),
        newest=_newest(answered.input.records, answered.at),
        extractor=answered.extractor,
    )


def _judge(draft: CandidateDraft | Malformed, records: Records) -> Judged:
    if isinstance(draft, CandidateDraft):
        return judge(draft, records)
    return Judged(
        statement=clipped(one_line(draft.words[: 4 * LONGEST_STATEMENT]), LONGEST_STATEMENT) or "(no words)",
        kind=Kind.FACT,
        topic=topic_of("", Kind.FACT, records.chunk),
        trust=Trust.REPORTED,
        evidence=(),
        quote="",
        refused=f"wrong shape: {draft.fault}",
    )


def _candidate(answered: Answered, ordinal: int, judged: Judged) -> Candidate:
    return Candidate(
        id=candidate_id(answered.chunk, ordinal),
        agent=answered.agent,
        request=answered.request,
        cut=answered.cut,
        room=answered.room,
        chunk=answered.chunk,
        chunk_ordinal=answered.ordinal,
        ordinal=ordinal,
        statement=judged.statement,
        reason=judged.reason,
        topic=judged.topic,
        kind=judged.kind,
        scope=judged.scope,
        about=judged.about,
        trust=judged.trust,
        reporter=judged.reporter,
        evidence=tuple(
            Evidence(event=record.id, position=record.position, time=record.time, room=answered.room) for record in judged.evidence
        ),
        quote=judged.quote,
        said_at=_newest(judged.evidence, answered.at),
        holds_from=judged.holds_from,
        holds_until=judged.holds_until,
        corrects=judged.corrects,
        extractor=answered.extractor,
    )


def _newest(records: tuple[InputRecord, ...], otherwise: Moment) -> Moment:
    return max((record.time for record in records), default=otherwise)


def _lines(text: str) -> str:
    """The summary with each line cleaned; its lines stay."""
    return "\n".join(line for line in (one_line(line) for line in text[: 8 * LONGEST_SUMMARY].splitlines()) if line)
