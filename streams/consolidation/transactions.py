"""The only way out: one transaction holds what was folded, what was decided, what is said on the journal, and the position last (C9).

The transactional id is static, so that a start fences every predecessor: an older writer's next transaction fails, and its process ends.
"""

import asyncio
import contextlib
from dataclasses import dataclass, field

from aiokafka import AIOKafkaProducer
from aiokafka.structs import RecordMetadata

from schemas.codec import encode, encode_key
from schemas.dead_letters import DeadLetter
from schemas.journal import DecisionRecord, Journal
from schemas.memory import JournalPosition, MemoryRecord, memory_key
from streams.kafka.clients import make_transactional_producer, start
from streams.kafka.topics import topic_name
from streams.memory_projection import Key
from streams.settings import Settings

_STOP_SECONDS = 5.0


@dataclass(slots=True)
class Outgoing:
    """What one transaction writes."""

    memory: list[tuple[Key, MemoryRecord | None]] = field(default_factory=list)
    decisions: list[DecisionRecord] = field(default_factory=list)
    journal: list[Journal] = field(default_factory=list)
    dead_letters: list[tuple[bytes | None, DeadLetter]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.memory or self.decisions or self.journal or self.dead_letters)


class Writer:
    """The single writer of a derivation."""

    def __init__(self, settings: Settings, derivation: str) -> None:
        self._settings = settings
        self._derivation = derivation
        self._producer: AIOKafkaProducer = make_transactional_producer(settings, f"consolidation-{derivation}", role="consolidation")

    async def start(self) -> None:
        """Fence every predecessor; from here on the log's end is final. Raises BrokerUnavailable."""
        await start(self._producer, self._settings)

    async def write(self, outgoing: Outgoing, position: int) -> list[int]:
        """Commit all of it with the position; give the offsets of the journal's records.

        Raises ProducerFenced if another writer has started, KafkaError if the outcome is not known; the process ends then, and the next
        start reads what was committed.
        """
        async with self._producer.transaction():
            futures = []
            for key, record in outgoing.memory:
                value = encode(record) if record is not None else None
                futures.append(await self._send("memory", encode_key(key), value))
            for decision in outgoing.decisions:
                futures.append(await self._send("decisions", decision_key(decision), encode(decision)))
            for source_key, letter in outgoing.dead_letters:
                futures.append(await self._send("dead-letters", source_key, encode(letter)))
            said = [await self._send("memory-candidates", record.agent.encode(), encode(record)) for record in outgoing.journal]
            at = JournalPosition(next=position)
            futures.append(await self._send("memory", encode_key(memory_key(at, self._derivation)), encode(at)))
            acknowledged = await asyncio.gather(*said, *futures)
            return [metadata.offset for metadata in acknowledged[: len(said)]]

    async def stop(self) -> None:
        """Let the connection go, whatever state it is in."""
        with contextlib.suppress(TimeoutError):  # a fenced producer may wait for ever for what it can't send
            await asyncio.wait_for(self._producer.stop(), _STOP_SECONDS)

    async def _send(self, name: str, key: bytes | None, value: bytes | None) -> "asyncio.Future[RecordMetadata]":
        sent: asyncio.Future[RecordMetadata] = await self._producer.send(topic_name(self._settings, name), value, key=key, partition=0)
        return sent


def decision_key(decision: DecisionRecord) -> bytes:
    """Give the key of a decision: the candidate's id, or agent and line."""
    if decision.type == "candidate.decided":
        return decision.decision.candidate.encode()
    return encode_key([decision.agent, decision.ending.line])
