"""Events as a Linger server sends them, and as records: for all tests of activity."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from schemas.codec import Event, encode_event
from schemas.events import (
    Author,
    AuthorKind,
    Context,
    EventData,
    MessagePosted,
    Outcome,
    Role,
    RunFinished,
    RunStarted,
    ToolCalled,
)

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PERSON = Author(kind=AuthorKind.USER, id="u1", name="Ada", role=Role.OWNER)


@dataclass
class Server:
    """One Linger server: a source with a boot; its events have ids of their own and times that rise."""

    source: str = "linger-0"
    boot: int = 1
    time: datetime = START
    _numbers: Any = field(default_factory=itertools.count, repr=False)

    def event(self, data: EventData, event_id: str | None = None, time: datetime | None = None) -> Event:
        """Give an event with this data."""
        self.time += timedelta(milliseconds=10)
        return Event(event_id or f"{self.source}-{self.boot}-{next(self._numbers)}", self.source, time or self.time, data)

    def said(self, agent: str, room: str = "r1", text: str = "hello", context: Context = Context.ROOM, run: str | None = None) -> Event:
        return self.event(MessagePosted(agent=agent, boot=self.boot, room=room, context=context, author=PERSON, text=text, run=run))

    def started(self, agent: str, run: str, room: str = "r1", context: Context = Context.ROOM) -> Event:
        return self.event(RunStarted(agent=agent, boot=self.boot, room=room, run=run, context=context))

    def finished(
        self, agent: str, run: str, room: str = "r1", outcome: Outcome = Outcome.SUCCEEDED, context: Context = Context.ROOM
    ) -> Event:
        return self.event(RunFinished(agent=agent, boot=self.boot, room=room, run=run, outcome=outcome, context=context))

    def called(self, agent: str, run: str | None, room: str = "r1", context: Context = Context.ROOM) -> Event:
        return self.event(
            ToolCalled(agent=agent, boot=self.boot, room=room, run=run, tool="shell", arguments={"c": "ls"}, result="x", context=context)
        )

    def a_run(
        self, agent: str, run: str, room: str = "r1", outcome: Outcome = Outcome.SUCCEEDED, context: Context = Context.ROOM
    ) -> list[Event]:
        """Give a whole run on `messages`: its start, a message, its end."""
        return [
            self.started(agent, run, room, context),
            self.said(agent, room, f"in {run}", context, run),
            self.finished(agent, run, room, outcome, context),
        ]


def wire(event: Event) -> tuple[Mapping[str, bytes], bytes | None, bytes | None]:
    """Give headers, key and value of an event's record."""
    headers, key, value = encode_event(event)
    return dict(headers), key, value
