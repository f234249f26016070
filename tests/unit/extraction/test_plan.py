"""Chunks within the budget, every record new in exactly one of them, in reading order (X1, X2, X3)."""

from collections import Counter
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.events import Author, AuthorKind, MemoryMode
from schemas.extraction import RoomIndex
from streams.extraction.budget import Budget, NoRoomInStep
from streams.extraction.inputs import chunk_input
from streams.extraction.plan import PlannedChunkDraft, plan_chunks
from streams.extraction.records import ReadRecord
from streams.models.tokens import estimate
from tests.unit.extraction.building import BOT, USER, call, frame_tokens, message, places, planned, request

SMALL = Budget(window=8_192, step_max_tokens=128_000, fixed_tokens=500)
LARGE = Budget(window=200_000, step_max_tokens=128_000, fixed_tokens=2_000)


def chunks_of(
    records: list[ReadRecord], runs: list[tuple[str, int]] | None = None, budget: Budget = SMALL
) -> tuple[PlannedChunkDraft, ...]:
    return plan_chunks(request(runs or []), records, {}, {}, budget)


def test_messages_by_offset_and_calls_before_their_runs_end_X1() -> None:
    records = [
        message(1, "first", run="a"),
        message(2, "second", run="b"),
        call(90, "a"),
        call(80, "b"),
        message(4, "done", author=BOT, run="b"),
        call(10, "a"),
        message(6, "also done", author=BOT, run="a"),
    ]
    (chunk,) = chunks_of(list(reversed(records)), [("b", 5), ("a", 7)])
    assert places(chunk.records) == ["m1", "m2", "m4", "c80", "m6", "c10", "c90"]


def test_two_runs_that_were_over_at_one_record_keep_their_calls_apart_X1() -> None:
    records = [call(3, "b"), call(1, "a"), call(4, "a"), call(2, "b"), message(9, "next")]
    (chunk,) = chunks_of(records, [("a", 9), ("b", 9)])
    assert places(chunk.records) == ["c1", "c4", "c2", "c3", "m9"]


def test_a_late_call_stands_first_and_says_so_A5() -> None:
    (chunk,) = chunks_of([message(3, "hello"), call(70, "gone", late=True)])
    assert places(chunk.records) == ["c70", "m3"]
    assert [record.late for record in chunk.records] == [True, False]


def test_rooms_are_planned_apart_and_only_shared_ones_W8() -> None:
    modes = {"c": MemoryMode.SHARED, "a": MemoryMode.SHARED, "b": MemoryMode.READS, "d": MemoryMode.OFF}
    rooms = [RoomIndex(room=name, memory=mode) for name, mode in modes.items()]
    records = [message(at, "words", room=room.room) for at, room in enumerate(rooms)]
    chunks = plan_chunks(request(rooms=rooms), records, {}, {}, SMALL)
    assert [(chunk.room, chunk.ordinal, places(chunk.records)) for chunk in chunks] == [("a", 0, ["m1"]), ("c", 0, ["m0"])]


def test_chunks_end_between_runs_X2() -> None:
    records = [message(at * 10 + step, "word " * 250, run=f"run{at}") for at in range(8) for step in range(3)]
    chunks = chunks_of(records, [(f"run{at}", at * 10 + 9) for at in range(8)])
    assert len(chunks) > 2
    for chunk in chunks:
        assert set(Counter(record.offset // 10 for record in chunk.records).values()) == {3}


def test_a_run_that_fits_no_chunk_is_split_between_records_X2() -> None:
    records = [message(at, "word " * 600, run="long", author=BOT) for at in range(12)]
    chunks = chunks_of(records, [("long", 99)])
    assert len(chunks) > 1
    assert [place for chunk in chunks for place in places(chunk.records)] == [f"m{at}" for at in range(12)]


def test_each_chunk_begins_with_the_last_exchanges_before_it_X2() -> None:
    records = [message(at, f"sentence {at} " * 60, run=f"run{at}") for at in range(20)]
    chunks = chunks_of(records, [(f"run{at}", at) for at in range(20)])
    assert len(chunks) > 2 and not chunks[0].before
    for earlier, later in pairwise(chunks):
        assert later.before
        assert places(later.before) == places(earlier.records)[-len(later.before) :]


def test_the_first_chunk_begins_with_what_earlier_requests_read_X2() -> None:
    earlier = [message(1, "we use tabs"), call(5, "old"), message(8, "noted", author=BOT)]
    chunks = plan_chunks(request(), [message(20, "yes")], {"r1": list(reversed(earlier))}, {}, SMALL)
    assert places(chunks[0].before) == ["m1", "c5", "m8"]
    shown = chunk_input(request(), planned(chunks[0]), {record.place: record for record in [*earlier, message(20, "yes")]}, "")
    assert [record.new for record in shown.records] == [False, False, False, True]


def test_only_the_beginning_of_what_is_long_is_kept_X3() -> None:
    text = "Always run the tests first. " + "and so on " * 200_000
    records = [
        message(1, text),
        message(2, text, author=BOT),
        call(1, "a", text),
        call(2, "a", text + "!", error=True),
        call(3, "a", "short", arguments={"content": text}),
        message(3, text, author=Author(kind=AuthorKind.TASK_REPORT, id="t")),
    ]
    by_place = {record.place: record for record in records}
    chunks = chunks_of(records, [("a", 5)], LARGE)
    shown = {one.id: one for chunk in chunks for one in chunk_input(request([("a", 5)]), planned(chunk), by_place, "").records}
    step = 100_000
    assert step // 5 < estimate(shown["m1"].text) <= step // 4 + 20
    for name in ("m2", "m3", "c2"):
        assert 1_800 < estimate(shown[name].text) <= 2_020
    assert 300 <= estimate(shown["c1"].text) <= 2_020
    assert estimate(shown["c3"].arguments) <= 320
    for one in shown.values():
        assert one.text == "short" or (one.text.startswith("Always run") and "characters left out]" in one.text)
    left_out = int(shown["m1"].text.rsplit("[… ", 1)[1].split(" ")[0].replace(",", ""))
    assert left_out + len(shown["m1"].text.rsplit("\n[…", 1)[0]) == len(text)


def test_results_get_what_is_left_and_half_of_a_chunk_at_most_X3() -> None:
    few = [message(1, "look", run="a"), *(call(at, "a", f"{at} line of output\n" * 900) for at in range(3))]
    many = [message(1, "look", run="a"), *(call(at, "a", f"{at} line of output\n" * 900) for at in range(200))]
    for records, least, most in ((few, 1_800, 2_020), (many, 200, 600)):
        (chunk, *_) = chunks_of(records, [("a", 999)], LARGE)
        shown = chunk_input(request([("a", 999)]), planned(chunk), {record.place: record for record in records}, "")
        sizes = [estimate(record.text) for record in shown.records if record.kind == "tool_call"]
        assert least <= min(sizes) and max(sizes) <= most
        assert sum(sizes) <= (LARGE.step - LARGE.fixed_tokens) // 2


def test_the_same_read_is_shown_once_X3() -> None:
    text = "package main\n" * 40
    records = [
        message(1, "look"),
        *(call(at, "a", text, arguments={"path": "main.go"}) for at in (5, 6, 7)),
        call(8, "a", text + "changed"),
    ]
    (chunk,) = chunks_of(records, [("a", 9)], LARGE)
    shown = chunk_input(request([("a", 9)]), planned(chunk), {record.place: record for record in records}, "")
    assert [("package main" in record.text) for record in shown.records if record.kind == "tool_call"] == [True, False, False, True]


def test_images_become_a_placeholder_with_type_and_size_U33() -> None:
    image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ" + "Ab3dEf9hIj" * 60
    records = [
        call(1, "a", [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": image}}]),
        message(2, f"see data:image/jpeg;base64,{image} above"),
    ]
    (chunk,) = chunks_of(records, [("a", 9)])
    shown = chunk_input(request([("a", 9)]), planned(chunk), {record.place: record for record in records}, "")
    size = f"{len(image) * 3 // 4:,} bytes]"
    texts = {record.id: record.text for record in shown.records}
    assert f"[image/png, {size}" in texts["c1"] and "media_type" in texts["c1"]
    assert texts["m2"] == f"see [image/jpeg, {size} above"


def test_a_window_without_room_for_records_is_refused_C5() -> None:
    with pytest.raises(NoRoomInStep):
        chunks_of([message(1, "hello")], budget=Budget(window=4_096, step_max_tokens=128_000, fixed_tokens=100))
    with pytest.raises(NoRoomInStep):
        chunks_of([message(1, "hello")], budget=Budget(window=8_192, step_max_tokens=128_000, fixed_tokens=3_500))


@pytest.mark.parametrize("filler", ["a b c ", "我们决定把发布日期改到十四号。", "iVBORw0KGgoAAAANSUhEUg9hIj", "word ", "🎉👩‍👧", "x"])
def test_five_megabytes_in_one_message_stay_within_half_of_the_window_U31(filler: str) -> None:
    records = [message(1, filler * (5_000_000 // len(filler.encode()))), message(2, "and then?")]
    for chunk in chunks_of(records):
        shown = chunk_input(request(), planned(chunk), {record.place: record for record in records}, "s" * 1_500)
        assert SMALL.fixed_tokens + sum(estimate(record.text) for record in shown.records) + frame_tokens([], records) <= 8_192 // 2


@pytest.mark.parametrize("fixed", range(2_100, 2_900, 40))
def test_where_instructions_leave_little_a_record_is_cut_further_X2(fixed: int) -> None:
    run = "run-" + "qzxj" * 60
    budget = Budget(window=8_192, step_max_tokens=128_000, fixed_tokens=fixed)
    try:
        chunks = chunks_of([call(at, run, "a line of output\n" * 900, arguments="x" * 900) for at in range(3)], [(run, 9)], budget)
    except NoRoomInStep:
        return
    assert sum(len(chunk.records) for chunk in chunks) == 3
    assert all(chunk.tokens <= budget.step for chunk in chunks)


WORDS = ("yes", "tabs not spaces " * 20, "决定" * 400, "{}" * 3_000, "x" * 9_000, "An error: no such file\n" * 200, "🎉" * 500, "")
AUTHORS = (USER, BOT, Author(kind=AuthorKind.OTHER_AGENT, id="o" * 200, name="n" * 500))
a_word, an_author = st.integers(0, len(WORDS) - 1), st.integers(0, len(AUTHORS) - 1)
a_run = st.tuples(
    st.lists(st.tuples(a_word, an_author, st.booleans()), max_size=4),
    st.lists(st.tuples(a_word, a_word, st.booleans()), max_size=4),
    st.booleans(),
)


def built(drawn: list[Any]) -> tuple[list[ReadRecord], list[tuple[str, int]]]:
    """Records and run ends of what was drawn: per run its messages, its calls, and whether its id is long."""
    runs: list[tuple[str, int]] = []
    records: list[ReadRecord] = []
    offset, calls = 0, 0
    for number, (messages, called, long) in enumerate(drawn):
        run = f"run{number}" * (30 if long else 1)
        for word, author, within in messages:
            records.append(message(offset, WORDS[word], author=AUTHORS[author], run=run if within else None))
            offset += 1 + word % 3
        for word, argument, error in called:
            records.append(call(calls, run, WORDS[word], arguments={"path": WORDS[argument]}, error=error))
            calls += 1
        runs.append((run, offset))
        offset += 1
    return records, runs


@settings(max_examples=40, deadline=None)
@given(st.lists(a_run, min_size=1, max_size=7), st.sampled_from([8_192, 20_000, 200_000]), st.integers(0, 900), st.randoms())
def test_every_record_is_new_once_in_order_and_within_the_budget_X1_X2(drawn: list[Any], window: int, fixed: int, chance: Random) -> None:
    records, runs = built(drawn)
    mixed = list(records)
    chance.shuffle(mixed)
    budget = Budget(window=window, step_max_tokens=50_000, fixed_tokens=fixed)
    asked = request(runs)
    chunks = plan_chunks(asked, records, {}, {}, budget)
    assert chunks == plan_chunks(asked, mixed, {}, {}, budget)

    new = [place for chunk in chunks for place in places(chunk.records)]
    assert sorted(new) == sorted(record.event.id for record in records)
    whole = plan_chunks(asked, records, {}, {}, Budget(window=4_000_000, step_max_tokens=2_000_000, fixed_tokens=0))
    assert new == [place for chunk in whole for place in places(chunk.records)]

    by_place = {record.place: record for record in records}
    for chunk in chunks:
        shown = chunk_input(asked, planned(chunk), by_place, "so far " * 400)
        said = sum(estimate(record.text) + estimate(record.arguments) for record in shown.records)
        around = frame_tokens(*([by_place[one.kind, one.offset] for one in part] for part in (chunk.before, chunk.records)))
        results = sum(estimate(record.text) for record in shown.records if record.kind == "tool_call" and record.new)
        seen = sum(estimate(record.text) + estimate(record.arguments) for record in shown.records if not record.new)
        assert fixed + said + around <= chunk.tokens <= budget.step
        assert results <= budget.step // 2 and seen <= budget.step // 8
