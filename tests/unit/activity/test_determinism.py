"""The same topics give the same requests and idle events, in whatever batches, however often redelivered, after any kill [A7]."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.codec import Event
from schemas.events import (
    AgentDeleted,
    AgentUpdated,
    ClockTicked,
    ConsolidateNow,
    Context,
    ExtractNow,
    MemoryMode,
    MessageEdited,
    MessagePosted,
    Outcome,
    RoomUpdated,
    RunFinished,
    RunStarted,
)
from tests.activity_events import PERSON, START
from tests.unit.activity.partition import BEGINNING, MINUTE, TIMING, FakeRecord, Partition, cut_up, record

agents, rooms = st.sampled_from(["a", "b"]), st.sampled_from(["r1", "r2"])
boots, names = st.sampled_from([1, 1, 1, 1, 2, 3]), st.integers(0, 7).map(lambda n: f"run-{n}")
contexts = st.sampled_from([Context.ROOM, Context.ROOM, Context.ROOM, Context.TASK])
outcomes = st.sampled_from([Outcome.SUCCEEDED, Outcome.SUCCEEDED, Outcome.SUCCEEDED, Outcome.FAILED])
data = st.one_of(
    st.builds(RunStarted, agent=agents, boot=boots, room=rooms, context=contexts, run=names),
    st.builds(RunFinished, agent=agents, boot=boots, room=rooms, context=contexts, run=names, outcome=outcomes),
    st.builds(RunFinished, agent=agents, boot=boots, room=rooms, context=contexts, run=names, outcome=outcomes),
    st.builds(MessagePosted, agent=agents, boot=boots, room=rooms, context=contexts, author=st.just(PERSON), text=st.just("t")),
    st.builds(MessageEdited, agent=agents, boot=boots, room=rooms, message=st.just("m"), text=st.just("t")),
    st.builds(RoomUpdated, agent=agents, boot=boots, room=rooms, memory=st.sampled_from(MemoryMode)),
    st.builds(AgentUpdated, agent=agents, boot=boots, model=st.just("m")),
    st.builds(AgentDeleted, agent=agents, boot=boots),
    st.builds(ExtractNow, agent=agents, boot=boots, who=st.just("ops")),
    st.builds(ConsolidateNow, agent=agents, boot=boots, who=st.just("ops")),
    st.builds(ClockTicked, partition=st.just(0)),
)
ids, times = st.integers(0, 12).map(lambda n: f"e{n}"), st.integers(0, 59).map(lambda n: START.replace(second=n))
events = st.builds(Event, ids, st.sampled_from(["s1", "s2"]), times, data)
pauses = st.sampled_from([0, 1_000, MINUTE, 20 * MINUTE, 61 * MINUTE, 5 * 60 * MINUTE, 25 * 60 * MINUTE])


@st.composite
def logs(draw: st.DrawFn) -> list[FakeRecord]:
    time, offset, records = BEGINNING, 0, []
    for event, pause in draw(st.lists(st.tuples(events, pauses), min_size=draw(st.sampled_from([0, 10, 30])), max_size=60)):
        time += pause
        offset += draw(st.sampled_from([1, 1, 1, 3]))  # transaction markers are offsets without a record
        one = record(offset, event, time)
        records.append(replace(one, value=b"{") if draw(st.integers(0, 30)) == 0 else one)
    return records


TIMING_FAST = replace(TIMING, runs_per_cut=2)


def outputs(partition: Partition) -> object:
    return partition.requests, partition.journal, {str(letter.position) for letter in partition.dead_letters}


@given(logs(), st.lists(st.integers(1, 20), max_size=40))
@settings(deadline=None)
def test_the_same_log_cut_into_any_batches_gives_the_same_effects_and_rows_A7(log: list[FakeRecord], sizes: list[int]) -> None:
    alone, batched = Partition(TIMING_FAST), Partition(TIMING_FAST)
    for one in log:
        alone.work([one])
    for batch in cut_up(log, sizes):
        batched.work(batch)
    assert outputs(batched) == outputs(alone)
    assert batched.rows == alone.rows


@given(logs(), st.data())
@settings(deadline=None, max_examples=200)
def test_kills_anywhere_and_redelivery_in_other_batches_change_nothing_A7(log: list[FakeRecord], data: st.DataObject) -> None:
    alone, killed = Partition(TIMING_FAST), Partition(TIMING_FAST)
    for one in log:
        alone.work([one])
    kills = 0
    while True:
        left = [one for one in log if one.offset >= killed.next]
        if not left:
            break
        # Redelivery may begin before what is done, and the batch may be cut anywhere.
        again = data.draw(st.integers(0, 3)) if kills < 8 else 0
        size = data.draw(st.integers(0 if again else 1, 30)) if kills < 8 else 30
        again = min(again, len(log) - len(left))
        begin = len(log) - len(left) - again
        written = data.draw(st.none() | st.integers(0, 12)) if kills < 8 else None
        kills += written is not None
        said = data.draw(st.integers(0, 20)) if written == 0 else None
        killed.work(log[begin : begin + again + size], written=written, said=said)
    assert outputs(killed) == outputs(alone)
    assert killed.rows == alone.rows


@given(logs())
@settings(deadline=None, max_examples=50)
def test_the_whole_log_read_again_over_tables_that_were_lost_says_the_same_A7(log: list[FakeRecord]) -> None:
    first, second = Partition(TIMING_FAST), Partition(TIMING_FAST)
    first.work(log)
    second.published = list(first.published)
    second.work(log)
    assert outputs(second) == outputs(first)
