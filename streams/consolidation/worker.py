"""The consolidator's process: one writer that reads the journal in order and folds (C1, C9).

Start, in this order:

1. Start the producer. That fences a predecessor, so from here on nobody else adds to the log; with any later order a predecessor's last
   transaction could come after what step 2 has read (`test_an_older_writer_is_fenced_and_writes_nothing_more`).
2. Load `memory` to its end: the memories and the position, as one transaction left them.
3. Seek to the position and fold to the journal's end as it is now, saying nothing: what follows may be our own earlier words, and a
   decision or a call before they are read would be a second one (`test_a_rebuild_makes_no_call_T1`).
4. Go on: fold what comes, and say for each agent what is next.
"""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import structlog
from aiokafka import TopicPartition

from schemas.base import MAIN, Position
from schemas.codec import Undecodable
from schemas.dead_letters import DeadLetter, DeadLetterClass
from schemas.journal import (
    JOURNAL,
    ConsolidationAnswered,
    ConsolidationFailed,
    ConsolidationStarted,
    FoldSkipped,
    MemoryChanged,
)
from schemas.memory import AgentMemory
from streams.consolidation.budgets import Limits
from streams.consolidation.calls import Calls
from streams.consolidation.errors import JournalIncomplete
from streams.consolidation.loading import load
from streams.consolidation.pacing import Pacing
from streams.consolidation.replay import Replay
from streams.consolidation.steps import Steps
from streams.consolidation.transactions import Outgoing, Writer
from streams.kafka.clients import make_consumer, start
from streams.kafka.reading import Record, read_range
from streams.kafka.topics import topic_name
from streams.memory_projection import projected
from streams.models.port import Consolidator
from streams.observability.health import Health
from streams.settings import Settings

_log = structlog.get_logger()

JOURNAL_TOPIC = "memory-candidates"
ROLE = "consolidation"
_POLL_MS = 100
_RECORDS_IN_TRANSACTION = 500
_OWN = (ConsolidationStarted, ConsolidationAnswered, ConsolidationFailed, MemoryChanged)


async def run(settings: Settings, health: Health, stop: asyncio.Event, consolidator: Consolidator | None = None) -> None:
    """Consolidate until `stop` is set. Raises ProducerFenced if another writer has started, and other faults of Kafka."""
    if consolidator is None:
        from streams.models import choose

        consolidator = choose.consolidator(settings)
    worker = Worker(settings, health, consolidator)
    try:
        await worker.start()
        while not stop.is_set():
            await worker.go_on()
        await worker.drain()
    finally:
        await worker.stop()


class Worker:
    """One derivation's writer. Used from one task."""

    def __init__(self, settings: Settings, health: Health, consolidator: Consolidator, derivation: str = MAIN) -> None:
        self._settings = settings
        self._health = health
        self._derivation = derivation
        self._journal = TopicPartition(topic_name(settings, JOURNAL_TOPIC), 0)
        self._consumer = make_consumer(settings, isolation="read_committed", role=ROLE)
        self._writer = Writer(settings, derivation)
        self._calls = Calls(
            consolidator, at_once=settings.consolidation_concurrency, timeout_seconds=settings.call_timeout_seconds, derivation=derivation
        )
        self._steps = Steps(
            limits=Limits(default_window=settings.default_window_tokens),
            pacing=Pacing(settings.attempts_max, settings.retry_first_seconds, settings.retry_most_seconds, settings.outage_retry_seconds),
            calls=self._calls,
            consolidator=consolidator,
            default_model=settings.default_model,
            read_answer=self._read_answer,
            derivation=derivation,
        )
        self._replay = Replay(derivation=derivation)
        self._decided_to = -1
        self._position = 0
        self._quiet_to = 0
        """Offset up to which nothing is said: the journal's end at the start."""
        self._to_look_at: set[str] = set()
        self._unread: dict[str, int] = {}
        """Agent to the offset of what was last said for it, till that is read back."""
        self._answers: dict[str, tuple[int, str]] = {}
        self._log_time = datetime.now(UTC)

    async def start(self) -> None:
        """Take over. Raises JournalIncomplete if the journal's beginning is gone and is needed, BrokerUnavailable."""
        self._health.set_unready("loading the memory")
        await self._writer.start()
        loaded = await load(self._settings, self._derivation, self._health.beat)
        self._replay = Replay(loaded.memories, skipped=loaded.skipped, derivation=self._derivation)
        self._decided_to, self._position = loaded.decided_to, loaded.position
        await start(self._consumer, self._settings)
        self._consumer.assign([self._journal])
        await self._consumer._client.force_metadata_update()
        beginning = (await self._consumer.beginning_offsets([self._journal]))[self._journal]
        self._quiet_to = (await self._consumer.end_offsets([self._journal]))[self._journal]
        if not beginning <= self._position <= self._quiet_to:
            raise JournalIncomplete(
                f"The memory is folded up to offset {self._position} of {self._journal.topic}, which holds {beginning} to "
                f"{self._quiet_to}. Nothing was changed. Bring back the journal that belongs to this memory, or delete the topic memory "
                "and start again."
            )
        self._consumer.seek(self._journal, self._position)
        self._to_look_at.update(loaded.memories)
        _log.info("memory loaded", agents=len(loaded.memories), position=self._position, journal_end=self._quiet_to)

    async def go_on(self) -> None:
        """Fold what has come, say what is next, and commit both at once."""
        records = await self._fetch()
        outgoing = self._fold(records)
        speakers: list[str] = []
        if self._position >= self._quiet_to:
            if not self._health.ready:
                self._health.set_ready()
            speakers = await self._speak(outgoing)
        if records or outgoing:
            offsets = await self._writer.write(outgoing, self._position)
            said = offsets[len(offsets) - len(speakers) :]  # skips stand before what was said
            self._unread.update(zip(speakers, said, strict=True))
        self._health.beat()

    async def drain(self) -> None:
        """Let calls in flight end, within half of the grace, and record what came of them."""
        await self._calls.drain(self._settings.stop_grace_seconds / 2)
        outgoing = Outgoing()
        for agent in self._calls.ended():
            outcome = self._calls.take(agent)
            if outcome is not None:
                outgoing.journal += outcome.records
        if outgoing:
            await self._writer.write(outgoing, self._position)

    async def stop(self) -> None:
        """Let all connections go."""
        await self._calls.drain(0)
        await self._consumer.stop()
        await self._writer.stop()

    async def _fetch(self) -> Sequence[Record]:
        fetched = await self._consumer.getmany(
            self._journal,
            timeout_ms=0 if self._to_look_at and self._position >= self._quiet_to else _POLL_MS,
            max_records=min(_RECORDS_IN_TRANSACTION, self._settings.batch_records_max),
        )
        self._position = await self._consumer.position(self._journal)
        return list(fetched.get(self._journal, ()))

    def _fold(self, records: Sequence[Record]) -> Outgoing:
        outgoing = Outgoing()
        before: dict[str, AgentMemory | None] = {}
        for record in records:
            self._log_time = datetime.fromtimestamp(record.timestamp / 1000, UTC)
            decoded = JOURNAL.decode(record.value)
            if isinstance(decoded, Undecodable):
                outgoing.dead_letters.append((record.key, self._dead_letter(record, decoded.reason, decoded.detail)))
                continue
            agent = decoded.agent
            before.setdefault(agent, self._replay.memories.get(agent))
            taken = self._replay.take(decoded, record.offset)
            if taken.fault:
                outgoing.journal.append(FoldSkipped(agent=agent, derivation=self._derivation, offset=record.offset, fault=taken.fault))
                outgoing.dead_letters.append((record.key, self._dead_letter(record, DeadLetterClass.SKIPPED, taken.fault)))
                _log.error("journal record skipped", agent=agent, offset=record.offset, fault=taken.fault)
                self._steps.hold(agent)
            if record.offset > self._decided_to:
                outgoing.decisions += taken.decided
            if isinstance(decoded, ConsolidationAnswered) and decoded.usable:
                self._answers[agent] = (record.offset, decoded.output)
            if isinstance(decoded, _OWN):
                self._to_look_at.add(agent)  # also if it had no effect: then it is said anew
            if self._unread.get(agent) == record.offset:
                del self._unread[agent]
        for agent, old in before.items():
            new = self._replay.memories.get(agent)
            if new is not None and new is not old:
                outgoing.memory += projected(old, new, self._derivation)
                self._to_look_at.add(agent)
        return outgoing

    async def _speak(self, outgoing: Outgoing) -> list[str]:
        """Add to the journal what is to be said, one agent after the other; give the agent of each record."""
        speakers: list[str] = []
        for agent in sorted(self._to_look_at.union(self._steps.waiting_no_longer())):
            if len(speakers) >= _RECORDS_IN_TRANSACTION:
                break
            if agent in self._unread:
                continue  # looked at again when it is read back
            self._to_look_at.discard(agent)
            memory = self._replay.memories.get(agent)
            if memory is None:
                continue
            try:
                said = await self._steps.next(memory, self._position, self._log_time)
            except Exception as error:  # one agent's fault stops nobody else (C13)
                _log.error("step can't be decided", agent=agent, exc_info=error)
                self._steps.hold(agent)
                continue
            outgoing.journal += said
            speakers += [agent] * len(said)
        return speakers

    async def _read_answer(self, agent: str, offset: int) -> str:
        known = self._answers.pop(agent, None)
        if known is not None and known[0] == offset:
            return known[1]
        async for record in read_range(self._settings, self._journal.topic, 0, offset, offset + 1, "read_committed"):
            decoded = JOURNAL.decode(record.value)
            if isinstance(decoded, ConsolidationAnswered):
                known = (offset, decoded.output)
        if known is not None and known[0] == offset:
            return known[1]
        raise JournalIncomplete(f"At offset {offset} of {self._journal.topic} there is no answer, though one was folded from there.")

    def _dead_letter(self, record: Record, reason: DeadLetterClass, detail: str) -> DeadLetter:
        position = Position(topic=JOURNAL_TOPIC, partition=0, offset=record.offset)
        return DeadLetter.about(record.value, position, reason, detail, role=ROLE, at_ms=record.timestamp)
