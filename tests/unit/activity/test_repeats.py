"""The same events sent again, at new offsets: no effect [E9]."""

from datetime import timedelta
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.events import (
    AgentUpdated,
    ConsolidateNow,
    ExtractNow,
    MemoryMode,
    MessageDeleted,
    MessageEdited,
    PinLine,
    RoomUpdated,
    WorkspaceAttached,
    WorkspaceDetached,
)
from schemas.journal import Forwarded
from streams.activity.repeats import BLOCK_IDS, SLOTS, RecentIds, hashed, read_ring
from streams.activity.rows import IdBlock, Row
from tests.activity_events import START, Server
from tests.unit.activity.partition import HOUR, Partition
from tests.unit.activity.test_counting import runs


def test_runs_sent_again_count_once_E9() -> None:
    partition, server = Partition(), Server()
    events = runs(server, 1, 4)
    partition.feed(*events, *events, *events)
    assert partition.agent("a").counted == 4
    assert partition.repeats == 2 * len(events)
    assert partition.busy == [True, False] * 4


def test_everything_sent_again_has_no_effect_E9() -> None:
    partition, server = Partition(), Server()
    events = [
        server.event(AgentUpdated(agent="a", boot=1, model="m", window=8_192)),
        server.event(RoomUpdated(agent="a", boot=1, room="r1", title="t")),
        server.event(WorkspaceAttached(agent="a", boot=1, workspace="w", path="w")),
        *runs(server, 1, 7),
        server.event(MessageEdited(agent="a", boot=1, room="r1", message="m", text="t")),
        server.event(MessageDeleted(agent="a", boot=1, room="r1", message="m")),
        server.event(ExtractNow(agent="a", boot=1, who="ops")),
        server.event(ConsolidateNow(agent="a", boot=1, who="ops")),
        server.event(WorkspaceDetached(agent="a", boot=1, workspace="w")),
    ]
    partition.feed(*events)
    before, row = (partition.requests, partition.journal), partition.agent("a")
    partition.feed(*events)
    after = partition.agent("a")
    assert (partition.requests, partition.journal) == before
    assert (after.counted, after.cut, after.licence, after.rooms) == (row.counted, row.cut, row.licence, row.rooms)
    assert partition.repeats == len(events)
    partition.feed(server.said("b"), after=HOUR)
    assert partition.licences[-1].number == row.licence + 1


def test_a_repeated_message_is_left_out_of_the_request_E9() -> None:
    partition, server = Partition(), Server()
    first = runs(server, 1, 5)
    partition.feed(*first)
    again = partition.feed(first[1], first[4])
    partition.feed(*runs(server, 6, 8))
    later = partition.feed(first[7])
    partition.feed(*runs(server, 9, 10))
    assert [(span.first, span.last) for span in partition.requests[1].repeats] == [(again[0], again[1]), (later[0], later[0])]


def test_a_room_with_nothing_but_repeats_has_nothing_new_E9() -> None:
    partition, server = Partition(), Server()
    said = server.said("a", room="r2")
    partition.feed(said, *runs(server, 1, 5))
    partition.feed(said, *runs(server, 6, 10))
    assert [[room.room for room in one.rooms] for one in partition.requests] == [["r1", "r2"], ["r1"]]


def test_ids_are_scoped_by_source_and_agent_E9_S1() -> None:
    partition, server, other = Partition(), Server(), Server(source="linger-1")
    partition.feed(server.said("a"), server.said("b"), other.said("a"))
    one = server.said("a")
    partition.feed(one, type(one)(one.id, "linger-1", one.time, one.data))
    assert partition.repeats == 0


def test_life_cycle_events_count_only_if_later_than_the_last_of_their_object_E9() -> None:
    partition, server = Partition(), Server()
    new = server.event(RoomUpdated(agent="a", boot=1, room="r1", title="new"), time=START + timedelta(hours=2))
    old = server.event(RoomUpdated(agent="a", boot=1, room="r1", memory=MemoryMode.OFF), time=START + timedelta(hours=1))
    other = server.event(RoomUpdated(agent="a", boot=1, room="r2", title="other"), time=START)
    partition.feed(new, old, other, *runs(server, 1, 5))
    assert [one.event for one in partition.journal if isinstance(one, Forwarded)] == [new.id, other.id]
    assert len(partition.requests) == 1


def test_commands_of_their_own_topic_go_into_the_journal_once_E9_C11() -> None:
    partition, server = Partition(), Server()
    one, two = (server.event(PinLine(agent="a", boot=1, who="ops", line=f"l{n}")) for n in range(2))
    partition.feed(one, two, one, two, topic="commands")
    forwarded = partition.journal
    assert [one.event for one in forwarded if isinstance(one, Forwarded)] == [one.id, two.id]
    assert [str(one.origin.position) for one in forwarded] == ["commands[0]@0", "commands[0]@1"]


@given(st.integers(0, 1_000), st.integers(50, 400))
@settings(max_examples=15, deadline=None)
def test_a_ring_knows_the_last_1000_ids_and_is_the_same_read_back_from_its_rows_E9(seed: int, every: int) -> None:
    random = Random(seed)
    ring, rows = RecentIds(b"k"), dict[bytes, Row]()
    known: list[int] = []
    for offset in range(3_000):
        number = random.choice(known[-1_000:]) if known and random.random() < 0.1 else offset
        one = hashed(str(number))
        assert ring.seen(one) == (number != offset)
        if number == offset:
            ring = ring.with_id(one, offset)
            known.append(number)
        if offset % every == 0:
            changed = dict(ring.rows())
            assert [row.number for row in changed.values()] == sorted(row.number for row in changed.values())
            rows.update(changed)
            ring = read_ring(b"k", rows.get)
    assert len(rows) == SLOTS
    assert all(len(block.ids) <= 8 * BLOCK_IDS for block in ring.blocks)
    assert not ring.seen(hashed("0"))


def test_a_hash_is_found_only_at_its_own_place() -> None:
    block = IdBlock(0, 0, b"abcdefgh" + b"ijklmnop")
    ring = RecentIds(b"k", (block,), 0, 0)
    assert ring.seen(b"ijklmnop")
    assert not ring.seen(b"efghijkl")
