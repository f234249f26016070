"""A line of our own JSONL is an event or is named by its number; a text that is too long keeps its beginning [E6, E7]."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import Event, encode, structured
from schemas.events import AgentEvent, Author, AuthorKind, MessagePosted, Outcome, RunFinished, ToolCalled
from streams.importers.lines import BadLine, GoodLine, ImportFault, read_lines
from streams.importers.shorten import shortened

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
LARGEST = 65_536


def message(text: str, event: str = "e1", agent: str = "a") -> Event:
    author = Author(kind=AuthorKind.USER, id="p")
    return Event(event, "server", AT, MessagePosted(agent=agent, boot=1, room="r", author=author, text=text))


def lines_of(path: Path, agent: str | None = None) -> list[GoodLine | BadLine]:
    return list(read_lines(path, agent=agent, event_bytes_max=LARGEST))


@pytest.mark.spec("E7")
def test_a_line_that_is_no_event_is_named_by_its_number_and_the_next_one_is_read_E7(tmp_path: Path) -> None:
    unknown = orjson.dumps(orjson.loads(structured(message("x"))) | {"type": "message.sung"})
    tick = b'{"specversion":"1.0","id":"t","source":"s","type":"clock.ticked","time":"2026-03-02T09:00:00Z","data":{"partition":0}}'
    no_zone = orjson.dumps(orjson.loads(structured(message("x"))) | {"time": "2026-03-02T09:00:00"})
    cut_off = structured(message("x"))[:-9]
    content = [
        structured(message("one")),
        b"",
        cut_off,
        unknown,
        tick,
        no_zone,
        b"[]",
        b"\xff\xfe",
        structured(message("two", "e2")),
        cut_off,
    ]
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"\n".join(content))

    read = lines_of(path)

    assert [line.line for line in read if isinstance(line, GoodLine)] == [1, 9]
    assert [(line.line, line.reason) for line in read if isinstance(line, BadLine)] == [
        (3, "undecodable"),
        (4, "unknown_type"),
        (5, "unknown_type"),
        (6, "invalid"),
        (7, "invalid"),
        (8, "undecodable"),
        (10, "undecodable"),
    ]


@pytest.mark.spec("E7")
def test_a_line_longer_than_any_event_is_passed_over_without_being_held_E7(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'"' + b"x" * (20 * LARGEST) + b'"\n' + structured(message("after")) + b"\n")
    first, second = lines_of(path)
    assert isinstance(first, BadLine)
    assert (first.line, first.reason) == (1, "too_large")
    assert isinstance(second, GoodLine)
    assert second.line == 2


def test_an_import_for_an_agent_makes_every_event_this_agents(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(structured(message("x", agent="a")) + b"\n" + structured(message("y", "e2", agent="b")))
    agents = [
        line.event.data.agent for line in lines_of(path, "c") if isinstance(line, GoodLine) and isinstance(line.event.data, AgentEvent)
    ]
    assert agents == ["c", "c"]


def test_a_file_that_is_not_there_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ImportFault, match=r"missing\.jsonl can't be read: No such file"):
        lines_of(tmp_path / "missing.jsonl")


@pytest.mark.spec("E6")
@given(st.text(min_size=300, max_size=3_000), st.integers(700, 4_000))
def test_what_is_cut_fits_and_is_the_beginning_with_a_digest_of_the_whole_E6(text: str, bytes_max: int) -> None:
    whole = message(text)
    cut = shortened(whole, bytes_max)
    assert cut is not None
    assert isinstance(cut.data, MessagePosted)
    assert len(encode(cut.data)) <= bytes_max
    if len(encode(whole.data)) <= bytes_max:
        assert cut == whole
    else:
        beginning, found, mark = cut.data.text.rpartition("\n[… ")
        assert found
        assert text.startswith(beginning)
        assert (
            mark == f"{len(text) - len(beginning)} characters left out; SHA-256 of the whole: {hashlib.sha256(text.encode()).hexdigest()}]"
        )


@pytest.mark.spec("E6")
def test_of_a_tool_call_the_result_is_cut_before_the_arguments_E6() -> None:
    call = ToolCalled(agent="a", boot=1, room="r", tool="read", arguments={"path": "x" * 900}, result={"lines": ["y" * 4_000]})
    cut = shortened(Event("e", "s", AT, call), 2_500)
    assert cut is not None
    assert isinstance(cut.data, ToolCalled)
    assert cut.data.arguments == call.arguments
    assert isinstance(cut.data.result, str)
    assert cut.data.result.startswith('{"lines":["yyy')


def test_an_event_without_a_text_to_cut_is_not_made_to_fit() -> None:
    run = RunFinished(agent="a", boot=1, room="r", run="x" * 200, outcome=Outcome.SUCCEEDED)
    assert shortened(Event("e", "s", AT, run), 100) is None
