"""From what was read to the plan that is recorded, and to the inputs of its calls. Pure."""

from collections.abc import Mapping

import orjson
import structlog

from schemas.extraction import ChunkInput, ExtractionRequest, Planned, PlannedChunk
from schemas.ids import chunk_id, digest, plan_id
from streams.extraction.budget import Budget
from streams.extraction.inputs import chunk_input
from streams.extraction.plan import PlannedChunkDraft, plan_chunks
from streams.extraction.reading import Reading
from streams.models.port import Extractor

MOST_TAKEN_CALLS = 1_000

_log = structlog.get_logger()


def plan_request(
    request: ExtractionRequest, reading: Reading, summaries: Mapping[str, str], extractor: Extractor, step_max_tokens: int
) -> Planned:
    """Give the plan of a request; its id and its chunks' ids are functions of the request and of what is planned.

    What can't be planned, whatever the reason, is a plan with a fault and without chunks: one agent must not stop the others.
    """
    fault = ""
    drafts: tuple[PlannedChunkDraft, ...] = ()
    try:
        budget = Budget(window=request.window, step_max_tokens=step_max_tokens, fixed_tokens=extractor.fixed_tokens)
        drafts = plan_chunks(request, reading.records, reading.before, summaries, budget)
    except Exception as error:
        _log.error("no plan", agent=request.agent, cut=request.cut, exc_info=error)
        fault = type(error).__name__
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


def _digest(drafts: tuple[PlannedChunkDraft, ...], request: ExtractionRequest, extractor: Extractor, reading: Reading, fault: str) -> str:
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
        """Give what one call sees. Raises KeyError if a planned record is not there."""
        return chunk_input(self._request, chunk, self._records, summary)
