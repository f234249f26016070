"""What counts, what makes a cut, and what a request says [A2-A5, A8, W8]."""

from itertools import pairwise

import pytest

from schemas.events import AgentDeleted, ConsolidateNow, Context, ExtractNow, MemoryMode, Outcome, RoomDeleted, RoomUpdated
from schemas.extraction import CutReason
from schemas.ids import request_id
from schemas.memory import LicenceKind
from tests.activity_events import Server
from tests.unit.activity.partition import MINUTE, Partition


def runs(
    server: Server, first: int, last: int, agent: str = "a", room: str = "r1", outcome: Outcome = Outcome.SUCCEEDED, context=Context.ROOM
):
    return [event for n in range(first, last + 1) for event in server.a_run(agent, f"run-{n}", room, outcome, context)]


def test_the_fifth_successful_run_is_a_cut_and_four_are_none_A3_A5() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 4))
    assert partition.requests == []
    assert partition.agent("a").counted == 4
    offsets = partition.feed(*runs(server, 5, 5))
    (request,) = partition.requests
    assert (request.id, request.cut, request.reason) == (request_id("a", 1), 1, CutReason.RUNS)
    assert (request.interval.first, request.interval.last) == (0, offsets[-1])
    assert [run.run for run in request.runs] == [f"run-{n}" for n in range(1, 6)]
    assert (request.model, request.window) == ("rules", 200_000)
    assert partition.agent("a").counted == 0


def test_each_next_five_make_the_next_request_from_the_record_after_the_cut_A5() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 15))
    intervals = [(one.interval.first, one.interval.last) for one in partition.requests]
    assert intervals == [(0, 14), (15, 29), (30, 44)]


def test_runs_count_over_all_rooms_of_the_agent_together_A3() -> None:
    partition, server = Partition(), Server()
    for n in range(5):
        partition.feed(*server.a_run("a", f"run-{n}", room=f"r{n}"))
    (request,) = partition.requests
    assert [room.room for room in request.rooms] == ["r0", "r1", "r2", "r3", "r4"]


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.CANCELLED])
def test_failed_and_cancelled_runs_neither_count_nor_reset_and_are_read_with_their_outcome_A3(outcome: Outcome) -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 4), *runs(server, 5, 5, outcome=outcome))
    assert partition.requests == []
    partition.feed(*runs(server, 6, 6))
    (request,) = partition.requests
    assert [run.outcome for run in request.runs] == [Outcome.SUCCEEDED] * 4 + [outcome, Outcome.SUCCEEDED]


def test_100_task_and_document_runs_count_nothing_and_request_nothing_A2_U61() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 50, context=Context.TASK), *runs(server, 51, 100, context=Context.DOCUMENT))
    row = partition.agent("a")
    assert (row.counted, row.rooms, row.ended, partition.requests) == (0, frozenset(), {}, [])


def test_two_agents_in_one_room_each_have_their_own_count_and_view_U18() -> None:
    partition, server = Partition(), Server()
    for n in range(5):
        for one, other in zip(server.a_run("a", f"a-{n}"), server.a_run("b", f"b-{n}"), strict=True):
            partition.feed(one, other)
    first, second = partition.requests
    assert {run.run for run in first.runs} == {f"a-{n}" for n in range(5)}
    assert {run.run for run in second.runs} == {f"b-{n}" for n in range(5)}
    assert (first.agent, first.cut, second.agent, second.cut) == ("a", 1, "b", 1)


def test_runs_in_a_room_that_is_not_shared_do_not_count_and_are_not_read_W8() -> None:
    partition, server = Partition(), Server()
    partition.feed(server.event(RoomUpdated(agent="a", boot=1, room="r2", memory=MemoryMode.READS)))
    partition.feed(*runs(server, 1, 9, room="r2"), *runs(server, 11, 15, room="r1"))
    (request,) = partition.requests
    assert [room.room for room in request.rooms] == ["r1"]
    assert {run.room for run in request.runs} == {"r1"}


def test_what_was_said_while_a_room_was_off_stays_out_after_it_is_shared_again_W8() -> None:
    partition, server = Partition(), Server()
    partition.feed(server.event(RoomUpdated(agent="a", boot=1, room="r1", memory=MemoryMode.OFF)))
    first = partition.feed(server.said("a"), server.said("a"))
    partition.feed(server.event(RoomUpdated(agent="a", boot=1, room="r1", memory=MemoryMode.SHARED)))
    partition.feed(*runs(server, 1, 5))
    (request,) = partition.requests
    assert [(span.first, span.last) for span in request.repeats] == [(first[0], first[1])]
    assert [room.room for room in request.rooms] == ["r1"]


@pytest.mark.parametrize("gone", ["off", "deleted"])
def test_a_room_that_stops_being_shared_is_not_read_any_more_W8(gone: str) -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 2, room="r2"), *runs(server, 3, 4))
    event = RoomUpdated(agent="a", boot=1, room="r2", memory=MemoryMode.OFF) if gone == "off" else RoomDeleted(agent="a", boot=1, room="r2")
    partition.feed(server.event(event), *runs(server, 5, 5))
    (request,) = partition.requests
    assert [room.room for room in request.rooms] == ["r1"]
    assert {run.room for run in request.runs} == {"r1"}


def test_a_request_tells_the_rooms_as_they_were_known_at_the_cut() -> None:
    partition, server = Partition(), Server()
    partition.feed(server.event(RoomUpdated(agent="a", boot=1, room="r1", title="Design", project="linger", zone="Europe/Berlin")))
    partition.feed(server.event(RoomUpdated(agent="a", boot=1, room="r1", title="Design talk", people=3)))
    partition.feed(*runs(server, 1, 5))
    (room,) = partition.requests[0].rooms
    assert (room.title, room.project, room.zone) == ("Design talk", "linger", "Europe/Berlin")


def test_extract_now_is_a_cut_whatever_the_count_and_names_the_operator_A8() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 3))
    partition.feed(server.event(ExtractNow(agent="a", boot=1, who="ops")))
    partition.feed(*runs(server, 4, 7))
    (request,) = partition.requests
    assert (request.reason, request.who, len(request.runs)) == (CutReason.NOW, "ops", 3)
    assert partition.agent("a").counted == 4


def test_consolidate_now_is_a_licence_for_all_cuts_so_far_and_names_the_operator_A8() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 10))
    partition.feed(server.event(ConsolidateNow(agent="a", boot=1, who="ops")))
    (licence,) = partition.licences
    assert (licence.kind, licence.cut, licence.who, licence.number) == (LicenceKind.NOW, 2, "ops", 1)


def test_commands_of_an_operator_show_no_life_of_a_server_A4() -> None:
    partition, server, operator = Partition(), Server(), Server(source="cli", boot=5)
    partition.feed(operator.event(ConsolidateNow(agent="a", boot=5, who="ops")), *runs(server, 1, 4))
    partition.feed(operator.event(ConsolidateNow(agent="a", boot=6, who="ops")), *runs(server, 5, 5))
    assert len(partition.requests) == 1


def test_a_run_that_is_over_goes_into_the_request_without_an_outcome_A5_A6() -> None:
    partition, server = Partition(), Server()
    partition.feed(server.started("a", "lost"), after=MINUTE)
    partition.feed(server.said("b"), after=7 * 60 * MINUTE)
    partition.feed(*runs(server, 1, 5))
    (request,) = partition.requests
    assert (request.runs[0].run, request.runs[0].outcome) == ("lost", None)


def test_a_deleted_agent_is_counted_and_read_no_more_C11() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 3), server.event(AgentDeleted(agent="a", boot=1)), *runs(server, 4, 20))
    partition.feed(server.event(ExtractNow(agent="a", boot=1, who="ops")))
    assert partition.requests == []


def test_a_request_never_names_more_rooms_than_fit_a_record_E6() -> None:
    partition, server = Partition(), Server()
    partition.feed(*runs(server, 1, 2))
    for n in range(1_200):
        partition.feed(server.said("a", f"room-{n}"))
    partition.feed(*runs(server, 3, 5))
    assert [request.reason for request in partition.requests] == [CutReason.FULL, CutReason.FULL, CutReason.RUNS]
    named = [room.room for request in partition.requests for room in request.rooms]
    assert sorted(named) == sorted(["r1", *(f"room-{n}" for n in range(1_200)), "r1"])
    spans = [(request.interval.first, request.interval.last) for request in partition.requests]
    assert all(after[0] == before[1] + 1 for before, after in pairwise(spans))


def test_an_agents_row_knows_a_bounded_number_of_sources_A4() -> None:
    partition = Partition()
    for n in range(100):
        partition.feed(*Server(source=f"linger-{n}").a_run("a", f"run-{n}", outcome=Outcome.FAILED))
    assert list(partition.agent("a").boots) == [f"linger-{n}" for n in range(36, 100)]
