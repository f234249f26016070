"""Gives a conversation its note: the newest at its first message, then the same bytes until it is compacted (R1, R2, R4, R5).

The order of an answer, and what each step prevents:

1. `memory` is read up to its end as of the request: a new conversation gets what is committed now, not what this process saw last.
2. `recalls` too: if this conversation and compaction have a pin, whoever made it, its bytes are the answer.
3. The note's bytes go to `notes` and are acknowledged: no pin ever points to bytes that are not there.
4. The pin goes to `recalls` and is acknowledged, then `recalls` is read past it: the first pin of the key counts, so that of two replicas
   that were asked at once both give the first one's answer.

That there is no memory yet is pinned too. The agent's forget number is part of both keys: forgetting makes every older pin unreachable,
and bytes that an older number gave are removed by whoever finds them.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

import structlog
from aiokafka.errors import KafkaError
from pydantic import ValidationError

from schemas.codec import Undecodable, decode_key, encode, encode_key
from schemas.events import MemoryMode
from schemas.ids import digest
from schemas.memory import AgentMemory
from schemas.recall import NOTES, PINS, Note, Pin
from streams.errors import LingerMemoryError
from streams.kafka.clients import make_producer, start
from streams.kafka.following import TopicFollower
from streams.kafka.reading import Record
from streams.kafka.topics import topic_name
from streams.memory_follower import MemoryFollower
from streams.serve.note_text import note_text
from streams.settings import Settings
from streams.workspaces.summary import summary_document

_log = structlog.get_logger()


class NoteFault(LingerMemoryError):
    """Root of this package's exceptions."""


class NoteRefused(NoteFault):
    """The question is none that can be answered: an id is empty, too long or has control characters, or the compaction is negative."""


class NoteUnavailable(NoteFault):
    """No answer now (Kafka is away or slow): the chat goes on without a note, and the next ask of the same key may get one."""


class NoteGiver:
    """Holds memories, pins and notes in this process, and catches up at each ask. An async context manager."""

    def __init__(self, settings: Settings, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._settings = settings
        self._now = now
        self._memories = MemoryFollower(settings, role="serve")
        self._recalls = TopicFollower(settings, "recalls", self._take_pin, role="serve")
        self._notes = TopicFollower(settings, "notes", self._take_note, role="serve")
        self._producer = make_producer(settings, role="serve")
        self._first_pins: dict[bytes, Pin] = {}
        self._bytes: dict[str, dict[bytes, Note]] = {}

    async def start(self) -> None:
        """Connect and read all that is there. Raises BrokerUnavailable."""
        await start(self._producer, self._settings)
        await self._memories.start()
        for topic in (self._notes, self._recalls):
            await topic.start()
            await topic.catch_up()

    async def stop(self) -> None:
        """Let the connections go."""
        for part in (self._producer, self._memories, self._recalls, self._notes):
            await part.stop()

    async def __aenter__(self) -> Self:
        try:
            await self.start()
        except BaseException:
            await self.stop()
            raise
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.stop()

    async def give(self, agent: str, room: str, conversation: str, compaction: int, *, within_seconds: float | None = None) -> Note | None:
        """Give the conversation's note, None if it has none; the same bytes however often, from whichever process it is asked.

        `compaction`: how many times the conversation was compacted, from 0. Raises NoteRefused; NoteUnavailable when Kafka does not
        answer, or not within the time.
        """
        try:
            async with asyncio.timeout(within_seconds):
                return await self._give(agent, room, conversation, compaction)
        except ValidationError:
            raise NoteRefused(
                "Agent, Room and conversation must have 1 to 256 characters and no control characters; a compaction is a number from 0."
            ) from None
        except (TimeoutError, KafkaError) as error:
            raise NoteUnavailable(f"Kafka gave no answer for the note ({type(error).__name__}). Go on without it, or ask again.") from error

    async def _give(self, agent: str, room: str, conversation: str, compaction: int) -> Note | None:
        await asyncio.gather(self._memories.catch_up(), self._recalls.catch_up())
        memory = self._memories.memory(agent)
        forgets = memory.state.forgets if memory else 0
        pin = Pin(
            agent=agent,
            conversation=conversation,
            compaction=compaction,
            forgets=forgets,
            room=room,
            note=None,
            version=memory.state.version if memory else 0,
            at=self._now(),
        )
        key = encode_key([agent, conversation, compaction, forgets])
        await self._remove_forgotten(agent, forgets)
        if key not in self._first_pins:
            note = _newest(memory, room)
            if note is not None:
                await self._put_bytes(note)
                pin = pin.model_copy(update={"note": note.hash})
            done = await self._producer.send_and_wait(topic_name(self._settings, "recalls"), encode(pin), key=key, partition=0)
            await self._recalls.catch_up(done.offset + 1)
        first = self._first_pins[key]
        if first.note is None or _is_shut(memory, room):
            return None
        return await self._pinned_bytes(first)

    async def _put_bytes(self, note: Note) -> None:
        await self._notes.catch_up()
        key = _note_key(note.agent, note.forgets, note.hash)
        if key not in self._bytes.get(note.agent, {}):
            await self._producer.send_and_wait(topic_name(self._settings, "notes"), encode(note), key=key, partition=0)

    async def _pinned_bytes(self, pin: Pin) -> Note:
        key = _note_key(pin.agent, pin.forgets, pin.note or "")
        if key not in self._bytes.get(pin.agent, {}):
            await self._notes.catch_up()
        note = self._bytes.get(pin.agent, {}).get(key)
        if note is None:
            raise NoteUnavailable("The bytes of a pinned note are gone from the topic `notes`. The next compaction gives the newest.")
        return note

    async def _remove_forgotten(self, agent: str, forgets: int) -> None:
        for key, note in list(self._bytes.get(agent, {}).items()):
            if note.forgets < forgets:
                await self._producer.send_and_wait(topic_name(self._settings, "notes"), None, key=key, partition=0)
                self._bytes[agent].pop(key, None)

    def _take_pin(self, record: Record) -> None:
        pin = PINS.decode(record.value)
        if isinstance(pin, Undecodable) or record.key is None:
            _log.error("pin can't be read", offset=record.offset)
        else:
            self._first_pins.setdefault(record.key, pin)

    def _take_note(self, record: Record) -> None:
        if record.key is None:
            _log.error("note has no key", offset=record.offset)
            return
        if record.value is None:
            self._bytes.get(str(decode_key(record.key)[0]), {}).pop(record.key, None)
            return
        note = NOTES.decode(record.value)
        if isinstance(note, Undecodable):
            _log.error("note can't be read", offset=record.offset)
        else:
            self._bytes.setdefault(note.agent, {})[record.key] = note


async def give(settings: Settings, agent: str, room: str, conversation: str, compaction: int) -> Note | None:
    """Give a conversation's note once, as `NoteGiver.give` does. Raises NoteRefused, NoteUnavailable, BrokerUnavailable."""
    async with NoteGiver(settings) as giver:
        return await giver.give(agent, room, conversation, compaction)


def _note_key(agent: str, forgets: int, note_hash: str) -> bytes:
    return encode_key([agent, forgets, note_hash])


def _is_shut(memory: AgentMemory | None, room: str) -> bool:
    """Whether nothing is given, whatever was pinned: the agent is deleted, or the Room's mode is `off` (C11, W8)."""
    known = memory.rooms.get(room) if memory else None
    return memory is not None and (memory.state.deleted or (known is not None and known.memory is MemoryMode.OFF))


def _newest(memory: AgentMemory | None, room: str) -> Note | None:
    """The note of the memory as it is now; None where nothing confirmed is remembered, and where the Room's mode is `off` (R4, W8)."""
    if memory is None or _is_shut(memory, room):
        return None
    state = memory.state
    summary = summary_document(memory.sections, state.rendered_window, state.dropped)
    if not summary:
        return None
    text = note_text(summary)
    return Note(agent=state.agent, hash=digest(text.encode()), text=text, version=state.version, forgets=state.forgets)
