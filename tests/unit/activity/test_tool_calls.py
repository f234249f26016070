"""Where a request is told to look for tool calls: perhaps too wide, never too narrow [A5, E9]."""

from schemas.events import Context
from streams.activity.rows import CallsRow, calls_key
from tests.activity_events import Server
from tests.unit.activity.partition import HOUR, Partition
from tests.unit.activity.test_counting import runs


def spans(partition: Partition) -> list[list[tuple[int, int]]]:
    return [[(span.first, span.last) for span in one.tool_spans] for one in partition.requests]


def calls_row(partition: Partition) -> CallsRow:
    row = partition.row(calls_key("a"), "tool-calls")
    assert isinstance(row, CallsRow)
    return row


def test_a_request_has_the_spans_of_its_runs_and_how_far_tool_calls_were_seen_A5() -> None:
    partition, server = Partition(), Server()
    partition.feed(*(server.called("a", f"run-{n}") for n in (1, 1, 3)), server.called("b", "b-1"), topic="tool-calls")
    partition.feed(server.called("a", "run-3"), topic="tool-calls")
    partition.feed(*runs(server, 1, 5))
    assert spans(partition) == [[(0, 4)]]
    assert partition.requests[0].tool_position == 5


def test_calls_of_an_open_run_wait_for_the_cut_after_its_end_A5() -> None:
    partition, server = Partition(), Server()
    partition.feed(server.called("a", "long"), server.called("x", "x"), server.called("a", "run-1"), topic="tool-calls")
    partition.feed(server.started("a", "long"), *runs(server, 1, 5))
    partition.feed(server.called("a", "run-6"), topic="tool-calls")
    partition.feed(server.finished("a", "long"), *runs(server, 6, 9))
    assert spans(partition) == [[(2, 2)], [(0, 0), (3, 3)]]


def test_a_late_call_of_an_earlier_run_is_told_at_the_next_cut_A5() -> None:
    partition, server = Partition(), Server()
    partition.feed(server.called("a", "run-1"), topic="tool-calls")
    partition.feed(*runs(server, 1, 5))
    partition.feed(server.called("a", "run-1"), topic="tool-calls")
    partition.feed(*runs(server, 6, 10))
    partition.feed(server.called("a", "run-11"), topic="tool-calls")
    partition.feed(*runs(server, 11, 15))
    assert spans(partition) == [[(0, 0)], [(1, 1)], [(2, 2)]]


def test_calls_seen_long_before_their_run_are_kept_until_it_has_ended_A5() -> None:
    partition, server = Partition(), Server()
    partition.feed(server.called("a", "later"), topic="tool-calls")
    for cut in range(3):
        partition.feed(*runs(server, 10 * cut, 10 * cut + 4))
        partition.feed(server.called("a", f"run-{10 * cut}"), topic="tool-calls")
    partition.feed(*server.a_run("a", "later"), *runs(server, 91, 94))
    assert spans(partition)[-1][0][0] == 0


def test_spans_are_at_most_64_and_cover_every_call_that_was_not_told_A5() -> None:
    partition, server = Partition(), Server()
    partition.feed(server.called("x", "x"), topic="tool-calls")
    for n in range(300):
        partition.feed(server.called("a", f"many-{n}"), server.called("x", f"x-{n}"), topic="tool-calls")
    assert len(calls_row(partition).spans) + 1 <= 64
    partition.feed(*runs(server, 1, 5))
    (told,) = spans(partition)
    assert len(told) <= 64
    covered = {offset for first, last in told for offset in range(first, last + 1)}
    assert {1 + 2 * n for n in range(300)} <= covered


def test_what_was_told_is_forgotten_once_its_run_is_surely_over_A5() -> None:
    partition, server = Partition(), Server()
    for n in range(100):
        partition.feed(server.called("a", f"unknown-{n}"), topic="tool-calls")
    partition.feed(*runs(server, 1, 5), after=2 * HOUR)
    partition.feed(server.called("a", "run-6"), topic="tool-calls")
    assert set(calls_row(partition).spans) == {"run-6"}
    assert calls_row(partition).wide is None


def test_calls_of_tasks_and_documents_and_calls_without_a_run_are_not_looked_for_A2() -> None:
    partition, server = Partition(), Server()
    partition.feed(server.called("a", "t", context=Context.TASK), server.called("a", "d", context=Context.DOCUMENT), topic="tool-calls")
    partition.feed(server.called("a", None), topic="tool-calls")
    assert calls_row(partition).spans == {}


def test_a_repeated_call_does_not_widen_its_run_E9() -> None:
    partition, server = Partition(), Server()
    call = server.called("a", "run-1")
    partition.feed(call, server.called("x", "x"), call, topic="tool-calls")
    partition.feed(*runs(server, 1, 5))
    assert spans(partition) == [[(0, 0)]]
    assert partition.repeats == 1
