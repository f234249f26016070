"""From a plan and its records to what one call sees (X1, X3, X10). Pure."""

from collections.abc import Iterable, Mapping, Sequence

from schemas.base import Position
from schemas.extraction import ChunkInput, ExtractionRequest, InputRecord, InputRun, PlannedChunk, PlannedRecord, RoomIndex
from streams.extraction.budget import SUMMARY_TOKENS_MAX
from streams.extraction.cutting import cut
from streams.extraction.records import ReadRecord
from streams.extraction.shown import Place, ShownRecord, neighbourhood, shown_records, shown_room
from streams.models.tokens import truncate
from streams.redaction.redaction import redact

LONGEST_SUMMARY = 1_500
_TOPICS = {"message": "messages", "tool_call": "tool-calls"}


def chunk_input(request: ExtractionRequest, chunk: PlannedChunk, records: Mapping[Place, ReadRecord], summary: str) -> ChunkInput:
    """Give what the call of a chunk sees: redacted, and cut as the plan says.

    `records` has those that the plan was made of, `summary` is the Room's so far. Raises KeyError if a planned record is not there.
    """
    room = next((room for room in request.rooms if room.room == chunk.room), RoomIndex(room=chunk.room))
    names = shown_room(room)
    places = [(planned.kind, planned.offset) for planned in (*chunk.before, *chunk.records)]
    shown = shown_records(neighbourhood(records, places, chunk.room))
    partition = request.origin.position.partition
    seen = [_input(planned, shown, partition, new=False) for planned in chunk.before]
    new = [_input(planned, shown, partition, new=True) for planned in chunk.records]
    return ChunkInput(
        agent=request.agent,
        room=chunk.room,
        title=names.title,
        project=names.project,
        zone=names.zone,
        summary=truncate(redact(summary)[:LONGEST_SUMMARY], SUMMARY_TOKENS_MAX)[0],
        runs=tuple(_runs(request, new)),
        records=(*seen, *new),
    )


def _input(planned: PlannedRecord, shown: Mapping[Place, ShownRecord], partition: int, *, new: bool) -> InputRecord:
    record = shown[planned.kind, planned.offset]
    return InputRecord(
        id=record.id,
        kind=record.kind,
        position=Position(topic=_TOPICS[record.kind], partition=partition, offset=record.offset),
        time=record.time,
        text=cut(record.text, planned.text_kept),
        author=record.author,
        run=record.run,
        tool=record.tool,
        arguments=cut(record.arguments, planned.arguments_kept),
        error=record.error,
        new=new,
        late=planned.late,
    )


def _runs(request: ExtractionRequest, new: Sequence[InputRecord]) -> Iterable[InputRun]:
    """Give the runs of the new records with their outcomes; one that has not ended within the interval is not known yet."""
    outcomes = {run.run: run.outcome for run in request.runs}
    for run in dict.fromkeys(record.run for record in new if record.run):
        if run in outcomes:
            yield InputRun(run=run, outcome=outcomes[run])
