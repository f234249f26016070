"""What users say in Rooms, and what the rules side makes of it, from the extractor through the gates to a step's operations."""

from collections.abc import Sequence
from typing import Any

import orjson

from schemas.answers import Operation
from schemas.candidates import Candidate
from schemas.journal import CandidateProposed
from schemas.memory import Section
from streams.candidates.derive import derive
from streams.models.port import ConsolidationInput
from streams.models.rules.consolidator import operations
from streams.models.rules.extractor import answer
from tests.unit.candidates.chunks import AT, a_chunk, answered, message


def drafts(*texts: str, **given: Any) -> list[dict[str, Any]]:
    """The drafts that the extractor finds in messages of one user; fails if it says `no result`."""
    given_answer = answer(a_chunk(*(message(f"m{number}", text, minute=number) for number, text in enumerate(texts)), **given))
    assert not given_answer.fault, given_answer.fault
    found: list[dict[str, Any]] = orjson.loads(given_answer.text)["candidates"]
    return found


def learned(*said: str, rooms: Sequence[str] = (), projects: Sequence[str] = (), start: int = 0) -> list[Candidate]:
    """The candidates from these messages, each in a Room of its own (or the one named), a minute apart."""
    found: list[Candidate] = []
    for number, text in enumerate(said, start):
        room = rooms[number - start] if rooms else f"room-{number}"
        project = projects[number - start] if projects else ""
        chunk = a_chunk(message(f"m{number}", text, minute=number), room=room, project=project)
        record = answered(chunk, output=answer(chunk).text, chunk=f"chunk-{number}", extractor="rules")
        found += [one.candidate for one in derive(record, AT) if isinstance(one, CandidateProposed)]
    return found


def proposed_operations(candidates: Sequence[Candidate], sections: Sequence[Section] = ()) -> tuple[Operation, ...]:
    """What the consolidator proposes for one step."""
    return operations(ConsolidationInput(agent="wren", sections=tuple(sections), candidates=tuple(candidates), window=200_000))
