"""What a server sends of one agent, and the requests that activity makes of it: sent to a real broker, without activity."""

from collections.abc import Sequence

from schemas.base import Origin, Position, Span
from schemas.codec import Event, encode
from schemas.events import EventData, MessagePosted, Outcome, RunFinished, ToolCalled
from schemas.extraction import CutReason, ExtractionRequest, RoomIndex, RunIndex
from schemas.ids import request_id
from streams.kafka.partitioner import partition_for
from streams.kafka.topics import topic_name
from streams.settings import Settings
from tests.activity_events import PERSON, START, Server, wire
from tests.kafka.producing import Outgoing, send_all


class Conversation:
    """One agent: its events go out as they are said, and `cut` asks for what was said since the last time."""

    def __init__(self, settings: Settings, agent: str, server: Server | None = None) -> None:
        self.settings, self.agent = settings, agent
        self.partition = partition_for(agent.encode(), settings.partitions)
        self.cuts = 0
        self.window = 32_768
        self._server = server or Server(source=f"linger-{agent}")
        self._first: int | None = None
        self._last = -1
        self._calls_end = 0
        self._spans: list[Span] = []
        self._runs: list[RunIndex] = []
        self._rooms: set[str] = set()

    async def say(self, *data: EventData) -> list[Event]:
        """Send events of any kind; their records belong to the next cut."""
        events = [self._server.event(one) for one in data]
        await self.send(events)
        return events

    async def send(self, events: Sequence[Event]) -> None:
        records = []
        for event in events:
            headers, key, value = wire(event)
            topic = "tool-calls" if isinstance(event.data, ToolCalled) else "messages"
            records.append(Outgoing(topic_name(self.settings, topic), value, key, self.partition, headers))
        for event, (_, offset) in zip(events, await send_all(self.settings, records), strict=True):
            data = event.data
            if isinstance(data, ToolCalled):
                self._calls_end = offset + 1
                self._spans.append(Span(first=offset, last=offset))
                continue
            self._first = offset if self._first is None else self._first
            self._last = offset
            if isinstance(data, MessagePosted):
                self._rooms.add(data.room)
            elif isinstance(data, RunFinished):
                self._runs.append(RunIndex(run=data.run, room=data.room, outcome=data.outcome, end=offset))

    def message(self, text: str, room: str = "r1", run: str | None = None) -> MessagePosted:
        return MessagePosted(agent=self.agent, boot=1, room=room, author=PERSON, text=text, run=run)

    def call(self, run: str | None, room: str = "r1", result: str = "done") -> ToolCalled:
        return ToolCalled(agent=self.agent, boot=1, room=room, tool="shell", arguments={"c": "ls"}, result=result, run=run)

    def end(self, run: str, room: str = "r1") -> RunFinished:
        return RunFinished(agent=self.agent, boot=1, room=room, run=run, outcome=Outcome.SUCCEEDED)

    async def a_run(self, run: str, text: str, room: str = "r1") -> list[Event]:
        """A message, a tool call and the end of a run."""
        return await self.say(self.message(text, room, run), self.call(run, room), self.end(run, room))

    def request(self) -> ExtractionRequest:
        """What activity would ask for now."""
        assert self._first is not None
        self.cuts += 1
        request = ExtractionRequest(
            id=request_id(self.agent, self.cuts),
            agent=self.agent,
            cut=self.cuts,
            reason=CutReason.RUNS,
            origin=Origin(position=Position(topic="messages", partition=self.partition, offset=self._last)),
            interval=Span(first=self._first, last=self._last),
            runs=tuple(self._runs),
            rooms=tuple(RoomIndex(room=room, title=f"Title of {room}") for room in sorted(self._rooms)),
            tool_spans=tuple(self._spans),
            tool_position=self._calls_end,
            model="model-1",
            window=self.window,
            at=START,
        )
        self._first, self._runs, self._spans, self._rooms = self._last + 1, [], [], set()
        return request

    async def cut(self) -> ExtractionRequest:
        """Ask for it."""
        request = self.request()
        await send_requests(self.settings, [request])
        return request


async def send_requests(settings: Settings, requests: Sequence[ExtractionRequest]) -> None:
    topic = topic_name(settings, "extraction-requests")
    await send_all(settings, [Outgoing(topic, encode(one), one.agent.encode(), one.origin.position.partition) for one in requests])
