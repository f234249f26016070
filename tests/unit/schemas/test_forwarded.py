"""A forwarded event comes back as the event it was: many have the same fields and differ in their type alone."""

from datetime import UTC, datetime

import pytest

from schemas.base import Origin, Position
from schemas.codec import encode
from schemas.events import AgentDeleted, EraseAgent, EventData, ForgetLine, PinLine, RoomDeleted, RoomUpdated, UnpinLine
from schemas.journal import JOURNAL, Forwarded


@pytest.mark.parametrize(
    "data",
    [
        PinLine(agent="a", boot=1, who="w", line="l1"),
        UnpinLine(agent="a", boot=1, who="w", line="l1"),
        ForgetLine(agent="a", boot=1, who="w", line="l1"),
        EraseAgent(agent="a", boot=1, who="w"),
        AgentDeleted(agent="a", boot=1),
        RoomDeleted(agent="a", boot=1, room="r"),
        RoomUpdated(agent="a", boot=1, room="r"),
    ],
    ids=lambda data: data.type,
)
def test_a_forwarded_event_is_read_back_as_its_own_type_C11(data: EventData) -> None:
    origin = Origin(position=Position(topic="commands", partition=0, offset=1))
    record = Forwarded(agent="a", origin=origin, event="e", event_type=data.type, at=datetime.now(UTC), data=data)
    assert JOURNAL.decode(encode(record)) == record
