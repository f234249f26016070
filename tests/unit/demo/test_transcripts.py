"""The bundled transcripts hold what the demo shows, and come to as many cuts as it waits for [A2, A3, A4]."""

import re
from itertools import pairwise

import orjson

from schemas.codec import Event
from schemas.events import (
    AgentEvent,
    AuthorKind,
    Context,
    ConversationCompacted,
    MessagePosted,
    Outcome,
    RoomEvent,
    RoomUpdated,
    RunFinished,
    RunStarted,
    ToolCalled,
    WorkspaceAttached,
)
from streams.demo import scenario
from streams.importers.lines import GoodLine, read_lines

SECRETS = ("AKIAQ3VX7LT2MWZ9RKDP", "tide-Lantern-8841")


def events() -> list[Event]:
    lines = [line for path in scenario.TRANSCRIPTS for line in read_lines(path, agent=None, event_bytes_max=1 << 20)]
    good = [line.event for line in lines if isinstance(line, GoodLine)]
    assert len(good) == len(lines)
    return good


def test_the_runs_come_to_the_cuts_that_the_demo_waits_for_with_a_restart_in_the_middle_of_a_count() -> None:
    cuts, count, boot, lost = 0, 0, 0, 0
    for event in events():
        data = event.data
        assert isinstance(data, AgentEvent)
        if data.boot > boot:
            boot, lost, count = data.boot, lost + count, 0
        if isinstance(data, RunFinished) and data.context == Context.ROOM and data.outcome == Outcome.SUCCEEDED:
            count += 1
            if count == 5:
                cuts, count = cuts + 1, 0
    assert (cuts, count, lost) == (scenario.CUTS, 0, 2)


def test_what_is_bundled_has_everything_that_the_demo_promises() -> None:
    found = [event.data for event in events()]
    messages = [data for data in found if isinstance(data, MessagePosted)]
    calls = [data for data in found if isinstance(data, ToolCalled)]
    ends = [data for data in found if isinstance(data, RunFinished)]
    people = {(data.author.id, data.author.role.value) for data in messages if data.author.kind == AuthorKind.USER}
    assert {role for _, role in people} == {"owner", "member", "guest"}
    assert len({data.room for data in messages if data.context == Context.ROOM}) >= 5
    assert {data.context for data in ends} == set(Context)
    assert {data.outcome for data in ends} == set(Outcome)
    assert any(data.author.kind == AuthorKind.TASK_REPORT and data.context == Context.ROOM for data in messages)
    assert any(isinstance(data, ConversationCompacted) for data in found)
    assert max(len(orjson.dumps(data.result)) for data in calls) > 16_000
    for secret in SECRETS:
        assert any(secret in data.text for data in messages)
        assert any(secret in str(data.arguments) for data in calls)
    told = [data.text for data in messages if data.author.kind == AuthorKind.USER]
    sentences = [sentence for text in told for sentence in re.split(r"(?<=[.!?]) ", text)]
    assert sentences.count("Always write dates as day, month name and year on anything a customer sees.") == 2


def test_each_room_has_a_workspace_and_the_notes_room_taught_nothing() -> None:
    found = [event.data for event in events()]
    rooms = {data.room for data in found if isinstance(data, RoomUpdated)}
    assert rooms == {data.room for data in found if isinstance(data, WorkspaceAttached)}
    assert rooms >= {data.room for data in found if isinstance(data, RoomEvent)}
    asked = [data.text for data in found if isinstance(data, MessagePosted) and data.room == scenario.ROOM]
    assert asked == ["What did we pay for the insurance in February?", "1,184.20 EUR, in three payments."]


def test_times_rise_ids_are_single_and_a_run_ends_after_its_records() -> None:
    found = events()
    assert all(before.time < after.time for before, after in pairwise(found))
    assert len({event.id for event in found}) == len(found)
    opened: set[str] = set()
    for data in (event.data for event in found):
        match data:
            case RunStarted():
                opened.add(data.run)
            case MessagePosted() | ToolCalled():
                assert data.run in opened
            case RunFinished():
                opened.remove(data.run)
    assert not opened
