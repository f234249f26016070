"""What activity keeps of an event's words, in its rows and in the journal: no secret, and no text that nobody reads there (X9). Pure."""

from schemas.events import AgentUpdated, Command, CorrectLine, EventData, MessageEdited, RoomEvent, RoomUpdated
from streams.redaction.redaction import redact

NAME_CHARACTERS = 512
LINE_CHARACTERS = 500
WHY_CHARACTERS = 1_000
"""The contract's limits of a name, a line and a reason; a mark may be longer than what it replaces."""


def redacted(data: EventData) -> EventData:
    """Give an event's data with what people named and wrote redacted; records pass as they are, since activity keeps none of their text."""
    if isinstance(data, RoomEvent) and not isinstance(data, MessageEdited):
        return data  # nearly all are
    match data:
        case RoomUpdated():
            return data.model_copy(update={"title": _name(data.title), "project": _name(data.project), "zone": _name(data.zone)})
        case AgentUpdated():
            return data.model_copy(update={"name": _name(data.name), "model": _name(data.model)})
        case MessageEdited():
            return data.model_copy(update={"text": ""})  # extraction reads the new text in `messages`
        case CorrectLine():
            return data.model_copy(update={"text": redact(data.text)[:LINE_CHARACTERS], "why": _why(data.why)})
        case Command():
            return data.model_copy(update={"why": _why(data.why)})
        case _:
            return data


def _name(name: str | None) -> str | None:
    return None if name is None else redact(name)[:NAME_CHARACTERS]


def _why(why: str) -> str:
    return redact(why)[:WHY_CHARACTERS]
