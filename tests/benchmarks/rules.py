"""How much the `rules` side finds in words that it was not written for: `python -m tests.benchmarks.rules`, offline, in a second.

Ten transcripts of four Rooms each, by a writer who had not seen the cues and for whom nobody wrote a cue before they were first measured.
Each teaches one lasting thing, or none, among ordinary talk. The last line is JSON.
"""

import asyncio
from collections import defaultdict
from pathlib import Path

import orjson

from schemas.base import Position
from schemas.candidates import Candidate, Kind
from schemas.codec import Event, decode_structured
from schemas.events import MessagePosted
from schemas.extraction import Answered, ChunkInput, InputRecord, Usage
from schemas.journal import CandidateProposed
from streams.candidates.derive import derive
from streams.models.rules import RulesExtractor

FOLDER = Path(__file__).parents[1] / "material" / "unseen_rule"
_AT = Position(topic="extractions", partition=0, offset=0)


def candidates_of(file: Path) -> list[Candidate]:
    """Give the candidates of all Rooms of a transcript, each Room as one chunk."""
    rooms: dict[str, list[InputRecord]] = defaultdict(list)
    for number, line in enumerate(file.read_bytes().splitlines()):
        event = decode_structured(line)
        assert isinstance(event, Event)
        if isinstance(event.data, MessagePosted):
            where = Position(topic="messages", partition=0, offset=number)
            data = event.data
            record = InputRecord(id=event.id, kind="message", position=where, time=event.time, text=data.text, author=data.author)
            rooms[event.data.room].append(record)
    return [one for room, records in rooms.items() for one in _candidates(ChunkInput(agent="a", room=room, records=tuple(records)))]


def _candidates(chunk: ChunkInput) -> list[Candidate]:
    extractor = RulesExtractor()
    answer = asyncio.run(extractor.extract(chunk, "rules"))
    answered = Answered(
        agent="a", request="q", cut=1, plan="p", chunk=chunk.room, room=chunk.room, ordinal=0, attempt=1, model="rules",
        extractor=extractor.name, prompt=extractor.prompt, input=chunk, output=answer.text, stop_reason=answer.stop_reason, usage=Usage(),
        usable=not answer.fault, fault=answer.fault, at=chunk.records[-1].time,
    )  # fmt: skip
    return [one.candidate for one in derive(answered, _AT) if isinstance(one, CandidateProposed)]


def main() -> None:
    """Print what is found of each transcript, and the sums."""
    counts = {"explicit": 0, "explicit_found": 0, "explicit_found_for_the_note": 0, "soft": 0, "soft_found": 0, "other_lines": 0}
    for file in sorted(FOLDER.glob("*.jsonl")):
        expected = orjson.loads(file.with_suffix(".expected.json").read_bytes())
        found = candidates_of(file)
        words = [word.lower() for word in expected["must_contain"]]
        right = [one for one in found if words and all(word in one.statement.lower() for word in words)]
        if expected["rule"] is not None:
            kind = "explicit" if expected["explicit"] else "soft"
            counts[kind] += 1
            counts[f"{kind}_found"] += bool(right)
            if kind == "explicit":
                counts["explicit_found_for_the_note"] += any(one.kind in (Kind.RULE, Kind.PREFERENCE) for one in right)
        counts["other_lines"] += len(found) - len(right)
        print(f"{file.stem}: {expected['rule'] or 'nothing to learn'}")
        for one in found:
            print(f"  {'+' if one in right else '-'} {one.kind}: {one.statement}")
    print(orjson.dumps(counts).decode())


if __name__ == "__main__":
    main()
