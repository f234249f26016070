"""What is published are the contract's models, also where it is written without making one."""

import pytest

from schemas.base import Origin, Position
from schemas.codec import encode
from schemas.journal import AgentBusy
from streams.activity.effects import Busy
from streams.activity.outgoing import busy_record


@pytest.mark.parametrize("agent", ["a", "Ünïcode agent", 'quote " and \\ backslash'])
@pytest.mark.parametrize("busy", [True, False])
def test_a_busy_record_has_the_bytes_of_its_model(agent: str, busy: bool) -> None:
    model = AgentBusy(agent=agent, origin=Origin(position=Position(topic="messages", partition=3, offset=77), ordinal=2), busy=busy)
    assert busy_record(agent, Busy(busy), "messages", 3, 77, 2).value == encode(model)
