"""Sending events to the input topics, and reading what activity made of them; a record that came twice is given once, as readers do."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from pydantic import TypeAdapter

from schemas.codec import Codec, Event, topic_of
from schemas.dead_letters import DeadLetter
from schemas.extraction import REQUESTS, ExtractionRequest
from schemas.journal import JOURNAL, AgentBusy, AgentIdle, Forwarded, Journal
from streams.kafka.clients import make_consumer, start
from streams.kafka.reading import read_to_end
from streams.kafka.topics import topic_name
from streams.settings import Settings
from tests.activity_events import wire
from tests.kafka.producing import Outgoing, send_all

DEAD_LETTERS: Codec[DeadLetter] = Codec(TypeAdapter(DeadLetter))


async def send_events(settings: Settings, events: Iterable[Event]) -> list[tuple[int, int]]:
    """Send events, each to its topic; give partition and offset of each."""
    records = []
    for event in events:
        headers, key, value = wire(event)
        records.append(Outgoing(topic_name(settings, topic_of(event.data)), value, key, headers=headers))
    return await send_all(settings, records)


async def requests(settings: Settings) -> list[ExtractionRequest]:
    """Give the requests by partition and offset, the first one of each id."""
    seen: dict[str, ExtractionRequest] = {}
    async for record in read_to_end(settings, topic_name(settings, "extraction-requests")):
        request = REQUESTS.decode(record.value)
        assert isinstance(request, ExtractionRequest)
        seen.setdefault(request.id, request)
    return list(seen.values())


async def journal(settings: Settings) -> list[Journal]:
    """Give the journal's records by offset, as the fold takes them: of each agent and source partition only what rises by origin."""
    highest: dict[tuple[str, str, int], tuple[int, int]] = {}
    taken: list[Journal] = []
    async for record in read_to_end(settings, topic_name(settings, "memory-candidates")):
        one = JOURNAL.decode(record.value)
        if isinstance(one, AgentIdle | AgentBusy | Forwarded):
            position = one.origin.position
            source, order = (one.agent, position.topic, position.partition), (position.offset, one.origin.ordinal)
            if order <= highest.get(source, (-1, -1)):
                continue
            highest[source] = order
        taken.append(one)  # type: ignore[arg-type]
    return taken


async def licences(settings: Settings) -> list[AgentIdle]:
    return [one for one in await journal(settings) if isinstance(one, AgentIdle)]


async def dead_letters(settings: Settings) -> list[DeadLetter]:
    letters: dict[str, DeadLetter] = {}
    async for record in read_to_end(settings, topic_name(settings, "dead-letters")):
        letter = DEAD_LETTERS.decode(record.value)
        assert isinstance(letter, DeadLetter)
        letters.setdefault(str(letter.position), letter)
    return list(letters.values())


async def committed(settings: Settings, topic: str) -> dict[int, int]:
    """Give the group's committed offset of each partition; 0 where there is none."""
    from aiokafka import TopicPartition

    consumer = make_consumer(settings, group=settings.topic_prefix + "activity")
    await start(consumer, settings)
    try:
        return {
            partition: await consumer.committed(TopicPartition(topic_name(settings, topic), partition)) or 0
            for partition in range(settings.partitions)
        }
    finally:
        await consumer.stop()


async def eventually(condition: Callable[[], Awaitable[bool]], what: str, deadline_seconds: float = 60.0) -> None:
    """Wait until `condition` gives True; fail with `what` was waited for past the deadline."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + deadline_seconds
    while not await condition():
        assert loop.time() < deadline, f"waited {deadline_seconds:.0f} s in vain for {what}"
        await asyncio.sleep(0.2)


async def all_done(settings: Settings, sent: Iterable[tuple[int, int]], topic: str = "messages", deadline_seconds: float = 60.0) -> None:
    """Wait until activity has committed all that was sent to this topic."""
    wanted: dict[int, int] = {}
    for partition, offset in sent:
        wanted[partition] = max(wanted.get(partition, 0), offset + 1)

    async def done() -> bool:
        offsets = await committed(settings, topic)
        return all(offsets[partition] >= offset for partition, offset in wanted.items())

    await eventually(done, f"{topic} to be done up to {wanted}", deadline_seconds)


@dataclass(frozen=True)
class Told:
    """What readers must see the same however it came about."""

    requests: frozenset[tuple[str, int, int, int]]
    """Agent, cut, interval."""
    licences: frozenset[tuple[str, int, str, int, str]]
    """Agent, number, kind, cut, position."""


async def told(settings: Settings) -> Told:
    return Told(
        frozenset((one.agent, one.cut, one.interval.first, one.interval.last) for one in await requests(settings)),
        frozenset((one.agent, one.number, one.kind.value, one.cut, str(one.origin.position)) for one in await licences(settings)),
    )
