"""Whatever Faust drops on the way, no record is skipped and none is worked on twice [A7]."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from streams.kafka.chain import Batch, Chain

STALLED = 5.0


@dataclass(frozen=True)
class FakeRecord:
    offset: int
    timestamp: int = 0
    key: bytes | None = None
    value: bytes | None = None
    headers: tuple[tuple[str, bytes], ...] = ()


steps = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["arrives", "dropped", "queue cleared", "sought back"])), max_size=40)


@given(st.integers(0, 5), st.lists(st.integers(1, 3), max_size=40), steps)
def test_records_are_worked_on_in_order_without_a_gap_and_once_whatever_is_dropped(
    start: int, gaps: list[int], turns: list[tuple[int, str]]
) -> None:
    log, offset = [], start
    for gap in gaps:  # markers of transactions are offsets without a record
        log.append(FakeRecord(offset))
        offset += gap
    chain, now, number = Chain(1, start, 0.0), 0.0, 1
    position, queue, worked = start, list[Batch](), list[int]()
    for size, happens in turns + [(3, "arrives")] * 60:  # in the end all goes well
        now += 2.0
        if chain.must_rewind(now, STALLED):
            number += 1
            chain.rewound(number, now)
            position = chain.done
        fetched = [record for record in log if record.offset >= position][:size]
        batch = chain.hand_out(fetched, now)
        if fetched:
            position = fetched[-1].offset + 1
        if batch is not None and happens != "dropped":
            queue.append(batch)
        if happens == "queue cleared":
            queue.clear()
        if happens == "sought back":
            position = start  # Faust does that, to an older commit
        if queue and chain.begin(queue[0]):
            worked += [record.offset for record in queue[0].records]
            chain.finish(queue[0], now)
        queue = queue[1:]
    assert worked == [record.offset for record in log]


def test_a_batch_after_a_gap_is_left_and_all_is_read_again_from_what_is_done() -> None:
    chain = Chain(1, 0, 0.0)
    first, second = chain.hand_out([FakeRecord(0)], 0.0), chain.hand_out([FakeRecord(1)], 0.0)
    assert first is not None and second is not None
    assert not chain.begin(second)
    assert chain.must_rewind(0.0, float("inf"))
    chain.rewound(2, 0.0)
    assert chain.handed_out == 0
    assert not chain.begin(first), "a batch of an older chain comes again"


def test_a_last_batch_that_never_arrives_is_read_again_after_a_while_but_not_while_it_is_in_work() -> None:
    chain = Chain(1, 0, 0.0)
    batch = chain.hand_out([FakeRecord(0)], 0.0)
    assert batch is not None
    assert not chain.must_rewind(4.0, STALLED)
    assert chain.must_rewind(6.0, STALLED)
    assert chain.begin(batch)
    assert not chain.must_rewind(60.0, STALLED)


def test_what_was_handed_out_before_is_not_handed_out_again() -> None:
    chain = Chain(1, 0, 0.0)
    chain.hand_out([FakeRecord(0), FakeRecord(1)], 0.0)
    again = chain.hand_out([FakeRecord(0), FakeRecord(1), FakeRecord(2)], 0.0)
    assert again is not None
    assert [record.offset for record in again.records] == [2]
    assert again.follows == 2
    assert chain.hand_out([FakeRecord(2)], 0.0) is None
