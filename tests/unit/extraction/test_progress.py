"""What is recorded of a request comes to the same, whoever else recorded something beside it [X10]."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from schemas.extraction import (
    Answered,
    Attempted,
    ChunkInput,
    Done,
    DoneOutcome,
    ExtractionRecord,
    Failed,
    Parked,
    Planned,
    PlannedChunk,
    Usage,
)
from streams.extraction.progress import Progress

AT = datetime(2026, 3, 2, tzinfo=UTC)
ABOUT: dict[str, Any] = {"agent": "a", "request": "q", "cut": 1}


def plan(name: str = "plan", chunks: Sequence[str] = ("c1", "c2")) -> Planned:
    return Planned(
        **ABOUT,
        id=name,
        model="m",
        extractor="rules",
        window=8_192,
        prompt="p",
        tool_position=0,
        chunks=tuple(PlannedChunk(id=chunk, room=chunk, ordinal=0, before=(), records=(), tokens=1) for chunk in chunks),
    )


def tried(attempt: int, chunk: str = "c1", plan: str = "plan") -> Attempted:
    return Attempted(**ABOUT, plan=plan, chunk=chunk, attempt=attempt, at=AT)


def failed(attempt: int, chunk: str = "c1", plan: str = "plan") -> Failed:
    return Failed(**ABOUT, plan=plan, chunk=chunk, attempt=attempt, fault="overloaded", at=AT)


def answered(summary: str, chunk: str = "c1", plan: str = "plan", fault: str = "") -> Answered:
    return Answered(
        **ABOUT,
        plan=plan,
        chunk=chunk,
        room=chunk,
        ordinal=0,
        attempt=1,
        model="m",
        extractor="rules",
        prompt="p",
        input=ChunkInput(agent="a", room=chunk, records=()),
        output=f'{{"summary": "{summary}", "candidates": []}}',
        stop_reason="end_turn",
        usage=Usage(),
        usable=not fault,
        fault=fault,
        at=AT,
    )


def done(outcome: DoneOutcome = DoneOutcome.COMPLETED, plan: str = "plan") -> Done:
    return Done(**ABOUT, plan=plan, outcome=outcome, at=AT)


def folded(*records: ExtractionRecord) -> Progress:
    progress = Progress("q")
    for offset, record in enumerate(records):
        progress = progress.after(record, offset)
    return progress


def test_the_first_plan_usable_answer_and_end_count_X10() -> None:
    progress = folded(
        plan(),
        plan("other", ("x",)),
        answered("unusable", fault="cut off"),
        answered("first"),
        answered("second"),
        done(DoneOutcome.PARTLY),
        done(),
        answered("late", "c2"),
    )
    assert progress.plan == plan()
    assert progress.chunk("c1").summary == "first"
    assert progress.done == done(DoneOutcome.PARTLY) and progress.done_offset == 5
    assert not progress.chunk("c2").answered


def test_a_crash_and_a_failure_are_counted_apart_X11() -> None:
    chunk = folded(plan(), tried(1), failed(1), tried(2), tried(3), answered("", fault="empty")).chunk("c1")
    assert (chunk.last_attempt, chunk.attempts, chunk.failures, chunk.crashes) == (3, 3, 2, 1)
    assert not chunk.ended


def test_only_usable_answers_make_a_request_complete_U35() -> None:
    parked = Parked(**ABOUT, plan="plan", chunk="c1", fault="3 failures", at=AT)
    nothing = answered("", "c1", fault="no result: the cues cover English only")
    assert folded(plan(chunks=())).outcome() is DoneOutcome.COMPLETED
    assert folded(plan(), answered("s", "c1"), answered("s", "c2")).outcome() is DoneOutcome.COMPLETED
    assert folded(plan(), parked, answered("s", "c2")).outcome() is DoneOutcome.PARTLY
    assert folded(plan(chunks=("c1",)), parked).outcome() is DoneOutcome.FAILED
    assert folded(plan(chunks=("c1",)), nothing).outcome() is DoneOutcome.FAILED
    assert folded(plan(chunks=("c1",)), nothing).chunk("c1").ended
    assert folded(plan(chunks=()).model_copy(update={"fault": "no room"})).outcome() is DoneOutcome.FAILED


OWN = (plan(), tried(1), failed(1), tried(2), answered("first", "c1"), tried(1, "c2"), answered("first", "c2"), done())
FOREIGN = st.sampled_from(
    [plan("z"), tried(1, "z", "z"), failed(1, plan="z"), answered("z", "c1", "z"), answered("z", "c2", "z"), done(DoneOutcome.FAILED, "z")]
)


@given(st.lists(st.tuples(st.integers(1, len(OWN)), FOREIGN), max_size=12))
def test_what_names_another_plan_changes_nothing_wherever_it_stands_X10(strangers: list[tuple[int, ExtractionRecord]]) -> None:
    log: list[ExtractionRecord] = []
    for at, own in enumerate(OWN):
        log += [one for place, one in strangers if place == at]
        log.append(own)
    log += [one for place, one in strangers if place == len(OWN)]
    alone, together = folded(*OWN), folded(*log)
    assert (together.plan, together.chunks, together.done) == (alone.plan, alone.chunks, alone.done)


@given(st.lists(st.sampled_from(OWN), max_size=20))
def test_a_record_again_never_takes_an_answer_or_an_end_back_X10(again: list[ExtractionRecord]) -> None:
    progress = folded(*OWN, *again)
    assert progress.done_offset == len(OWN) - 1
    assert {chunk: progress.chunk(chunk).summary for chunk in ("c1", "c2")} == {"c1": "first", "c2": "first"}
