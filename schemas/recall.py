"""Notes and pins (R2): the bytes that a conversation was given, and which it was given first."""

from typing import Literal

from pydantic import TypeAdapter

from schemas.base import Identifier, Moment, Value, Whole
from schemas.codec import Codec


class Note(Value):
    """A note's bytes. Topic `notes`, key `[agent, forgets, hash]`.

    The forget number is part of the key, so that removing what an earlier number gave can never hit the same bytes under a later one.
    """

    type: Literal["note"] = "note"
    agent: Identifier
    hash: Identifier
    """SHA-256 of the text in hex."""
    text: str
    version: Whole
    """Version of the memory that it shows."""
    forgets: Whole = 0


class Pin(Value):
    """Which note a conversation got. The first record of a key counts.

    Topic `recalls`, key `[agent, conversation, compaction, forgets]`.
    """

    type: Literal["pin"] = "pin"
    agent: Identifier
    conversation: Identifier
    compaction: Whole
    forgets: Whole
    room: Identifier
    note: Identifier | None = None
    """The note's hash; None: there was no memory, which is pinned too."""
    version: Whole
    at: Moment


NOTES: Codec[Note] = Codec(TypeAdapter(Note))
PINS: Codec[Pin] = Codec(TypeAdapter(Pin))
