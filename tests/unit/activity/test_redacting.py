"""What activity keeps and forwards holds no secret (X9): names go into tables, requests and the journal."""

import pytest

from schemas.codec import encode
from schemas.events import (
    AgentUpdated,
    Author,
    AuthorKind,
    CorrectLine,
    EventData,
    ForgetLine,
    MessageEdited,
    MessagePosted,
    RoomUpdated,
)
from streams.activity.redacting import redacted

SECRET = "AKIAQ3VX7LT2MWZ9RKDP"


@pytest.mark.spec("X9")
@pytest.mark.parametrize(
    "data",
    [
        RoomUpdated(agent="a", boot=1, room="r", title=f"Key {SECRET}", project=f"p-{SECRET}", zone=SECRET),
        AgentUpdated(agent="a", boot=1, name=f"Bot {SECRET}", model=SECRET),
        MessageEdited(agent="a", boot=1, room="r", message="m", text=f"it was {SECRET}"),
        CorrectLine(agent="a", boot=1, who="op", why=f"since {SECRET}", line="l1", text=f"Use {SECRET}."),
        ForgetLine(agent="a", boot=1, who="op", why=f"it has {SECRET}", line="l1"),
    ],
)
def test_no_secret_is_kept_or_forwarded_X9(data: EventData) -> None:
    assert SECRET.encode() in encode(data)
    assert SECRET.encode() not in encode(redacted(data))
    type(data).model_validate_json(encode(redacted(data)))


@pytest.mark.spec("X9")
def test_a_name_that_redaction_lengthens_stays_within_the_contract_X9() -> None:
    title = ("password=" + "x7Q9!" + " ") * 34
    data = redacted(RoomUpdated(agent="a", boot=1, room="r", title=title[:512]))
    RoomUpdated.model_validate_json(encode(data))


def test_what_has_no_secret_and_what_is_only_read_back_pass_as_they_are() -> None:
    room = RoomUpdated(agent="a", boot=1, room="r", title="Kitchen", zone="Europe/Berlin")
    message = MessagePosted(agent="a", boot=1, room="r", author=Author(kind=AuthorKind.USER, id="u"), text=SECRET)
    assert redacted(room) == room
    assert redacted(message) is message
