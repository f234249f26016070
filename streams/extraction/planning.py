"""From what was read to the plan that is recorded, and to the inputs of its calls: no I/O, no clock."""

from collections.abc import Mapping, Sequence

import orjson

from schemas.codec import encode
from schemas.extraction import ChunkInput, ExtractionRequest, Planned, PlannedChunk
from schemas.ids import chunk_id, digest, plan_id
from streams.extraction.budget import Budget
from streams.extraction.inputs import chunk_input
from streams.extraction.plan import PlannedChunkDraft, plan_chunks
from streams.extraction.reading import Reading
from streams.models.port import Extractor

MOST_TAKEN_CALLS = 1_000


def plan_request(
    request: ExtractionRequest, reading: Reading, summaries: Mapping[str, str], extractor: Extractor, step_max_tokens: int
) -> Planned:
    """Give the plan of a request. Raises NoRoomInStep, and whatever a record that nobody thought of may cause."""
    budget = Budget(window=request.window, step_max_tokens=step_max_tokens, fixed_tokens=extractor.fixed_tokens)
    return plan_of(request, reading, extractor, plan_chunks(request, reading.records, reading.before, summaries, budget))


def plan_of(
    request: ExtractionRequest, reading: Reading, extractor: Extractor, drafts: Sequence[PlannedChunkDraft], fault: str = ""
) -> Planned:
    """Give the plan of these chunks; with a fault the request ends as failed.

    Its id and its chunks' ids are functions of the request and of what is planned.
    """
    name = plan_id(request.id, _digest(drafts, request, extractor, reading, fault))
    return Planned(
        agent=request.agent,
        request=request.id,
        cut=request.cut,
        id=name,
        model=request.model,
        extractor=extractor.name,
        window=request.window,
        prompt=extractor.prompt,
        tool_position=reading.tool_position,
        chunks=tuple(_chunk(name, draft) for draft in drafts),
        taken_calls=reading.taken_calls[-MOST_TAKEN_CALLS:],
        fault=fault,
    )


def _chunk(plan: str, draft: PlannedChunkDraft) -> PlannedChunk:
    return PlannedChunk(
        id=chunk_id(plan, draft.room, draft.ordinal),
        room=draft.room,
        ordinal=draft.ordinal,
        before=draft.before,
        records=draft.records,
        tokens=draft.tokens,
    )


def _digest(drafts: Sequence[PlannedChunkDraft], request: ExtractionRequest, extractor: Extractor, reading: Reading, fault: str) -> str:
    what = [
        [
            [draft.room, draft.ordinal, [one.model_dump() for one in draft.before], [one.model_dump() for one in draft.records]]
            for draft in drafts
        ],
        [request.model, request.window, extractor.name, extractor.prompt, reading.tool_position, fault],
    ]
    return digest(orjson.dumps(what))


class Inputs:
    """The inputs of a plan's chunks, made of its records."""

    def __init__(self, request: ExtractionRequest, reading: Reading) -> None:
        self._request = request
        earlier = [record for records in reading.before.values() for record in records]
        self._records = {record.place: record for record in (*earlier, *reading.records)}

    def of(self, chunk: PlannedChunk, summary: str) -> ChunkInput:
        """Give what one call sees. Raises KeyError if a planned record is not there, ValidationError if it could not be read back."""
        given = chunk_input(self._request, chunk, self._records, summary)
        ChunkInput.model_validate_json(encode(given))  # an answer that its own writer can't read back would be paid again and again
        return given
