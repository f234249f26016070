"""A restart of the Linger server: the count starts again, nothing else is lost [A4, A6]."""

from datetime import timedelta

from schemas.events import Outcome
from tests.activity_events import START, Server
from tests.unit.activity.partition import Partition
from tests.unit.activity.test_counting import runs


def test_a_new_boot_resets_the_count_and_loses_nothing_A4() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 4))
    server.boot = 2
    partition.feed(*runs(server, 5, 8))
    assert partition.requests == []
    partition.feed(*runs(server, 9, 9))
    (request,) = partition.requests
    assert request.interval.first == 0
    assert [run.run for run in request.runs] == [f"run-{n}" for n in range(1, 10)]


def test_the_first_boot_of_another_source_is_no_restart_A4() -> None:
    partition, server, other = Partition(), Server(), Server(source="linger-1", boot=900)
    partition.feed(*runs(server, 1, 4), *other.a_run("a", "run-5"))
    assert len(partition.requests) == 1


def test_sources_have_boots_of_their_own_A4() -> None:
    partition, server, other = Partition(), Server(boot=10), Server(source="linger-1", boot=3)
    partition.feed(*runs(server, 1, 2), *other.a_run("a", "run-3"))
    other.boot = 4
    partition.feed(*other.a_run("a", "run-4"))
    assert partition.agent("a").counted == 1


def test_a_late_event_of_an_older_boot_neither_resets_nor_counts_A4() -> None:
    partition, server, old = Partition(), Server(boot=2), Server(boot=1)
    partition.feed(*runs(server, 1, 3))
    partition.feed(*old.a_run("a", "old-1"), *old.a_run("a", "old-2", outcome=Outcome.FAILED))
    assert partition.agent("a").counted == 3
    assert partition.requests == []
    partition.feed(*runs(server, 4, 5))
    (request,) = partition.requests
    assert (request.interval.first, request.interval.last) == (0, 20)
    assert {"old-1", "old-2"} <= {run.run for run in request.runs}


def test_a_late_event_dated_after_the_newer_boots_first_is_reported_A4() -> None:
    partition = Partition()
    partition.feed(Server(boot=2, time=START).said("a"))
    partition.feed(Server(boot=1, time=START - timedelta(hours=1)).said("a"))
    assert partition.late == []
    late = Server(boot=1, time=START + timedelta(hours=1)).said("a")
    partition.feed(late)
    assert partition.late == [late.id]


def test_a_new_boot_ends_the_open_runs_of_older_boots_of_its_source_only_A6() -> None:
    partition, server, other = Partition(), Server(), Server(source="linger-1")
    partition.feed(server.started("a", "mine"), other.started("a", "theirs"))
    server.boot = 2
    partition.feed(server.said("a"))
    assert set(partition.agent("a").open) == {"theirs"}
    assert {run: one.outcome for run, one in partition.agent("a").ended.items()} == {"mine": None}


def test_a_run_of_an_older_boot_is_never_open_A6() -> None:
    partition = Partition()
    partition.feed(Server(boot=2).said("a"), Server(boot=1).started("a", "ghost"))
    assert partition.agent("a").open == {}
    assert partition.busy == []
