"""What a call sees: redacted names and words, what may not be read left out (X5, X9)."""

import pytest

from schemas.events import Author, AuthorKind
from schemas.extraction import RoomIndex
from streams.extraction.budget import Budget
from streams.extraction.inputs import chunk_input
from streams.extraction.plan import plan_chunks
from streams.extraction.records import ReadRecord
from streams.extraction.shown import readable
from tests.unit.extraction.building import USER, call, message, planned, request
from tests.unit.redaction.test_redaction import AWS, JWT

BUDGET = Budget(window=200_000, step_max_tokens=128_000, fixed_tokens=500)


def input_of(records: list[ReadRecord], **room: str) -> str:
    asked = request([("a", 99)], rooms=[RoomIndex(room="r1", **room)])
    (chunk,) = plan_chunks(asked, records, {}, {}, BUDGET)
    return chunk_input(asked, planned(chunk), {record.place: record for record in records}, f"so far the key is {AWS}").model_dump_json()


def test_no_secret_leaves_wherever_it_stands_U24() -> None:
    named = Author(kind=AuthorKind.USER, id="u1", name=f"Ada {AWS}")
    shown = input_of(
        [
            message(1, f"here it is: {AWS}", author=named),
            call(1, "a", f"token {JWT}", arguments={"path": f"/home/ada/{AWS}.pem", "password": "hunter2"}, tool=f"run-{AWS}"),
            call(2, "a", {"headers": {"Authorization": f"Bearer {JWT}"}}),
        ],
        title=f"Deploy with {AWS}",
        project=f"p-{AWS}",
    )
    assert AWS not in shown and JWT not in shown and "hunter2" not in shown
    assert shown.count("[redacted: aws key]") == 7


@pytest.mark.parametrize("joint", [6, 10, 15])
def test_a_secret_over_two_messages_in_two_chunks_is_in_neither_X9(joint: int) -> None:
    asked = request()
    filler = "word " * 900
    records = [message(1, filler + AWS[:joint]), message(2, AWS[joint:] + " " + filler), message(3, filler)]
    small = Budget(window=8_192, step_max_tokens=128_000, fixed_tokens=500)
    records = [message(1, "lorem " * 30 + AWS[:joint]), message(2, AWS[joint:] + " ipsum")]
    chunks = plan_chunks(asked, records, {"r1": [message(0, "before " * 400)]}, {}, small)
    shown = "".join(
        chunk_input(asked, planned(chunk), {one.place: one for one in [message(0, "before " * 400), *records]}, "").model_dump_json()
        for chunk in chunks
    )
    assert AWS[joint:] not in shown and f"{AWS[:joint]}" not in shown


def test_the_note_is_never_in_an_input_U01() -> None:
    shown = input_of([message(1, "Good morning", note="# Memory\nAlways use tabs"), message(2, "Hello", author=USER)])
    assert "Always use tabs" not in shown and "Good morning" in shown


def test_system_text_is_not_read_and_a_tasks_report_is_X5_A2() -> None:
    assert not readable(message(1, "You are helpful", author=Author(kind=AuthorKind.SYSTEM, id="s")))
    assert readable(message(1, "Done", author=Author(kind=AuthorKind.TASK_REPORT, id="t")))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Read", {"file_path": "/work/room/agent-memory/MEMORY.md"}),
        ("Bash", {"command": "cat agent-memory/summary.md | head"}),
        ("Glob", {"pattern": "*", "path": "./agent-memory"}),
        ("mcp__linger-memory__show", {"line": "l1"}),
        ("LS", {"paths": [{"path": "agent-memory/session_summaries"}]}),
    ],
)
def test_the_agents_reading_of_its_memory_is_not_read_X5(tool: str, arguments: dict[str, object]) -> None:
    assert not readable(call(1, "a", "# Memory\nAlways use tabs", tool=tool, arguments=arguments))


def test_other_calls_are_read_X5() -> None:
    assert readable(call(1, "a", "x", arguments={"file_path": "src/agent-memory-notes.md"}))
    assert readable(call(1, "a", "x", arguments={"file_path": "docs/my_agent-memory.md"}))


def test_what_a_search_found_in_the_memory_is_left_out_of_its_result_X5() -> None:
    found = "src/main.go:3: use tabs\nagent-memory/MEMORY.md:7: - Always use tabs\n./agent-memory/summary.md:1: tabs\nREADME.md:9: tabs"
    shown = input_of([call(1, "a", found, tool="Grep", arguments={"pattern": "tabs"})])
    assert "Always use tabs" not in shown and "summary.md" not in shown
    assert "src/main.go:3" in shown and "README.md:9" in shown
