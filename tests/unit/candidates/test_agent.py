"""What one record of `extractions` comes to when it, or the derivation, is broken (E6, C13)."""

from collections.abc import Iterable
from types import SimpleNamespace

from schemas.base import Position
from schemas.codec import encode
from schemas.dead_letters import DeadLetter, DeadLetterClass
from schemas.extraction import Done, DoneOutcome, ExtractionRecord
from streams.candidates.agent import Derived, derived
from tests.activity_events import START

DONE = Done(agent="a", request="q", cut=1, plan="p", outcome=DoneOutcome.COMPLETED, at=START)


def _breaks(record: ExtractionRecord, position: Position) -> Iterable[Derived]:
    raise OverflowError("date value out of range")


def test_an_answer_that_cant_be_derived_is_a_dead_letter_and_stops_nobody_C13() -> None:
    record = SimpleNamespace(offset=7, timestamp=1_772_440_000_000, key=b"a", value=encode(DONE), headers=())
    (letter,) = derived(_breaks, 3, record)
    assert letter.topic == "dead-letters"
    said = DeadLetter.model_validate_json(letter.value)
    assert (said.reason, said.detail, said.position.offset, said.position.partition) == (DeadLetterClass.SKIPPED, "OverflowError", 7, 3)
