"""Idleness, told by the log alone [A6, A7, A8]."""

import uuid

from schemas.events import ClockTicked, Context, ExtractNow
from schemas.memory import LicenceKind
from tests.activity_events import Server
from tests.unit.activity.partition import HOUR, MINUTE, TIMING, Partition
from tests.unit.activity.test_counting import runs


def tick(server: Server):
    return server.event(ClockTicked(partition=0), event_id=str(uuid.uuid4()))


def test_idle_is_met_by_the_first_record_of_any_agent_that_reaches_it_before_it_is_applied_A6() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 5))
    partition.feed(server.said("b"), after=60 * MINUTE - 1)
    assert partition.licences == []
    (met,) = partition.feed(server.said("b"), after=1)
    (licence,) = partition.licences
    assert (licence.agent, licence.kind, licence.cut, licence.number) == ("a", LicenceKind.IDLE, 1, 1)
    assert (licence.origin.position.offset, licence.origin.ordinal) == (met, 0)


def test_an_own_record_that_reaches_the_deadline_comes_too_late_for_it_A6() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 1))
    partition.feed(server.started("a", "next"), after=60 * MINUTE)
    assert [one.kind for one in partition.licences] == [LicenceKind.IDLE]
    assert partition.busy == [True, False, True]


def test_messages_are_no_activity_only_runs_are_A6() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 1))
    for _ in range(4):
        partition.feed(server.said("a"), after=20 * MINUTE)
    assert len(partition.licences) == 1


def test_idle_comes_once_in_a_stretch_and_again_after_the_next_run_A6() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 1))
    for _ in range(5):
        partition.feed(tick(server), after=2 * HOUR)
    assert len(partition.licences) == 1
    partition.feed(*runs(server, 2, 2))
    partition.feed(tick(server), after=HOUR)
    assert [one.number for one in partition.licences] == [1, 2]


def test_48_hours_of_ticks_after_a_licence_bring_no_other_U27() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 5))
    for _ in range(50):
        partition.feed(tick(server), after=HOUR)
    assert len(partition.licences) == 1


def test_an_open_run_in_any_context_keeps_an_agent_from_being_idle_A6() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 1), server.started("a", "task", context=Context.TASK))
    partition.feed(tick(server), after=5 * HOUR)
    assert partition.licences == []
    partition.feed(server.finished("a", "task", context=Context.TASK))
    partition.feed(tick(server), after=HOUR)
    assert [one.kind for one in partition.licences] == [LicenceKind.IDLE]


def test_a_run_that_never_finished_is_over_after_the_time_out_and_its_late_end_still_counts_A6() -> None:
    partition, server = Partition(), Server()
    partition.feed(server.started("a", "slow"))
    partition.feed(tick(server), after=6 * HOUR)
    assert partition.busy == [True, False]
    assert [one.kind for one in partition.licences] == [LicenceKind.IDLE]  # the last start was six hours ago
    partition.feed(server.finished("a", "slow"))
    assert partition.agent("a").counted == 1


def test_busy_is_said_at_each_change_between_no_open_run_and_some_A6() -> None:
    partition, server = Partition(), Server()
    partition.feed(server.started("a", "1"), server.started("a", "2"), server.finished("a", "1"), server.finished("a", "2"))
    partition.feed(server.finished("a", "3"))
    assert partition.busy == [True, False]


def test_overdue_waits_for_a_moment_without_a_run_A6() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 4), server.started("a", "long"), *runs(server, 5, 5))
    for n in range(6):  # a new run begins before the one before it ends
        partition.feed(server.started("a", f"long-{n}"), after=4 * HOUR)
        partition.feed(server.finished("a", "long" if n == 0 else f"long-{n - 1}"))
    assert partition.licences == []
    (quiet,) = partition.feed(server.finished("a", "long-5"), after=MINUTE)
    (licence,) = partition.licences
    assert (licence.kind, licence.cut, licence.origin.position.offset) == (LicenceKind.OVERDUE, 2, quiet)


def test_after_48_hours_any_moment_will_do_A6() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 4), server.started("a", "long"), *runs(server, 5, 5))
    for n in range(13):
        partition.feed(server.started("a", f"long-{n}"), after=4 * HOUR)
        partition.feed(server.finished("a", "long" if n == 0 else f"long-{n - 1}"))
    assert [one.kind for one in partition.licences] == [LicenceKind.ANY_MOMENT]


def test_a_cut_that_a_licence_names_is_not_overdue_A6() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 5))
    partition.feed(tick(server), after=HOUR)
    partition.feed(server.event(ExtractNow(agent="a", boot=1, who="ops")))
    partition.feed(tick(server), after=23 * HOUR)
    assert [one.kind for one in partition.licences] == [LicenceKind.IDLE]
    partition.feed(tick(server), after=2 * HOUR)
    assert [(one.kind, one.cut) for one in partition.licences] == [(LicenceKind.IDLE, 1), (LicenceKind.OVERDUE, 2)]


def test_time_never_goes_back_A6() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 1))
    partition.feed(server.said("b"), after=HOUR)
    partition.feed(server.started("a", "next"), after=-2 * HOUR)
    assert partition.agent("a").stretch is not None
    assert partition.agent("a").stretch.start >= partition.licences[0].at.timestamp() * 1000


def test_bad_input_moves_the_clock_too_A6() -> None:
    from tests.unit.activity.partition import FakeRecord

    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 1))
    partition.work([FakeRecord(partition.ends["messages"], partition.time + HOUR, b"b", b"\xff")])
    assert len(partition.licences) == 1


def test_an_agenda_made_again_from_the_rows_tells_the_same_A7() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 5), server.started("b", "b-1"))
    partition.restart()
    assert partition.agenda.next() == partition.agent("a").stretch.end + TIMING.idle_after
    partition.feed(tick(server), after=7 * HOUR)
    assert [one.agent for one in partition.licences] == ["a", "b"]
