"""A small whole log on a real broker: records as the roles write them, with a script in the place of models and clocks."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from aiokafka import AIOKafkaProducer

from schemas.base import Origin, Position
from schemas.candidates import Candidate, Evidence, Kind, Trust
from schemas.codec import Event, encode, encode_event, encode_key, topic_of
from schemas.events import AgentUpdated, Author, AuthorKind, EventData, MessagePosted, Role, RoomUpdated, ToolCalled, WorkspaceAttached
from schemas.extraction import Answered, ChunkInput, Done, DoneOutcome, ExtractionRecord, Usage
from schemas.ids import candidate_id, chunk_id, request_id, step_id
from schemas.journal import (
    AgentIdle,
    CandidateDecided,
    CandidateProposed,
    CandidateRejected,
    ConsolidationAnswered,
    ConsolidationStarted,
    DecisionRecord,
    Forwarded,
    Journal,
    RequestDone,
    RoomSummarised,
)
from schemas.memory import AgentMemory, JournalPosition, KnownWorkspace, LicenceKind, MemoryRecord
from schemas.workspaces import WorkspaceOutcome, WorkspaceResult
from streams.consolidation.budgets import Limits
from streams.consolidation.decide import decide
from streams.consolidation.due import due
from streams.consolidation.replay import Replay
from streams.kafka.partitioner import partition_for
from streams.kafka.topics import topic_name
from streams.memory_projection import projected
from streams.settings import Settings
from streams.workspaces.outcomes import note_outcome
from streams.workspaces.render import render
from tests.kafka.producing import Outgoing

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Said:
    """A candidate that the script proposes."""

    statement: str
    evidence: Sequence[Evidence]
    topic: str = "Deploys"
    kind: Kind = Kind.RULE
    trust: Trust = Trust.OWNER
    gate: str = ""
    """The reason, if a gate rejects it."""


@dataclass
class SmallLog:
    """Writes to the topics at once and folds what it writes to the journal, so that decisions and `memory` come out honest."""

    settings: Settings
    producer: AIOKafkaProducer
    replay: Replay = field(default_factory=Replay)
    shown: dict[str, AgentMemory] = field(default_factory=dict)
    next: int = 0
    events: int = 0
    cuts: dict[str, int] = field(default_factory=dict)
    licences: dict[str, int] = field(default_factory=dict)

    @property
    def agents(self) -> tuple[str, ...]:
        return tuple(self.replay.memories)

    @property
    def now(self) -> datetime:
        return START + timedelta(minutes=self.events)

    async def happened(self, data: EventData) -> tuple[Event, Position]:
        """Send an event to its input topic."""
        self.events += 1
        agent: str = data.agent  # type: ignore[attr-defined]
        event = Event(f"e{self.events}", "server-0", self.now, data)
        headers, key, value = encode_event(event)
        topic, partition = topic_of(data), partition_for(agent.encode(), self.settings.partitions)
        ((_, offset),) = await self.send([Outgoing(self._name(topic), value, key, partition, dict(headers))])
        return event, Position(topic=topic, partition=partition, offset=offset)

    async def message(self, agent: str, room: str, text: str, role: Role = Role.OWNER, name: str = "Maria") -> Evidence:
        author = Author(kind=AuthorKind.USER, id="u1", name=name, role=role)
        event, position = await self.happened(MessagePosted(agent=agent, boot=1, room=room, author=author, text=text))
        return Evidence(event=event.id, position=position, time=event.time, room=room)

    async def tool_call(self, agent: str, room: str, tool: str, arguments: str, result: str) -> Evidence:
        data = ToolCalled(agent=agent, boot=1, room=room, tool=tool, arguments={"command": arguments}, result=result, run="r1")
        event, position = await self.happened(data)
        return Evidence(event=event.id, position=position, time=event.time, room=room)

    async def forward(self, data: EventData) -> None:
        """A life-cycle event, and what activity forwards of it."""
        event, position = await self.happened(data)
        agent: str = data.agent  # type: ignore[attr-defined]
        await self.journal(
            Forwarded(
                agent=agent,
                origin=Origin(position=position),
                event=event.id,
                event_type=data.type,
                at=event.time,
                data=data,  # type: ignore[arg-type]
            )
        )

    async def agent(self, agent: str, workspace: str, window: int = 200_000) -> None:
        await self.forward(AgentUpdated(agent=agent, boot=1, name=agent.title(), model="rules", window=window))
        await self.forward(WorkspaceAttached(agent=agent, boot=1, workspace=f"w-{agent}", path=workspace))

    async def room(self, agent: str, room: str, title: str) -> None:
        await self.forward(RoomUpdated(agent=agent, boot=1, room=room, title=title, project="shop"))

    async def extracted(self, agent: str, said: Mapping[str, Sequence[Said]], summary: str = "They talked.") -> list[Candidate]:
        """One request: by Room one answer with its candidates, then its end."""
        self.cuts[agent] = cut = self.cuts.get(agent, 0) + 1
        found = []
        for room, statements in sorted(said.items()):
            chunk = chunk_id(f"plan-{agent}-{cut}", room, 0)
            where = await self._extraction(agent, self._answered(agent, cut, room, chunk))
            for ordinal, one in enumerate(statements):
                candidate = self._candidate(agent, cut, room, chunk, ordinal, one)
                origin = Origin(position=where, ordinal=ordinal)
                await self.journal(
                    CandidateRejected(agent=agent, origin=origin, candidate=candidate, reason=one.gate)
                    if one.gate
                    else CandidateProposed(agent=agent, origin=origin, candidate=candidate)
                )
                found.append(candidate)
            await self.journal(
                RoomSummarised(
                    agent=agent,
                    origin=Origin(position=where, ordinal=len(statements)),
                    cut=cut,
                    chunk=chunk,
                    room=room,
                    title=f"Room {room}",
                    text=summary,
                    newest=self.now,
                )
            )
        request = request_id(agent, cut)
        done = Done(agent=agent, request=request, cut=cut, plan=f"plan-{agent}-{cut}", outcome=DoneOutcome.COMPLETED, at=self.now)
        origin = Origin(position=await self._extraction(agent, done))
        await self.journal(RequestDone(agent=agent, origin=origin, request=request, cut=cut, outcome=DoneOutcome.COMPLETED))
        return found

    async def consolidated(self, agent: str, *answers: Sequence[Mapping[str, object]]) -> None:
        """A licence for all cuts, and all steps under it; each call takes the next answer."""
        number = await self.licence(agent)
        waiting, limits = list(answers), Limits()
        while (step := due(self.replay.memories[agent], limits)) is not None:
            answer = None
            if step.offered:
                answer = json.dumps({"operations": list(waiting.pop(0))})
                await self._called(agent, number, [pending.candidate.id for pending in step.offered], answer)
            changed = decide(self.replay.memories[agent], answer, limits, base=self.next, at=self.now)
            assert changed is not None
            await self.journal(changed)
        assert not waiting

    async def licence(self, agent: str) -> int:
        """An idle licence for all cuts so far."""
        self.licences[agent] = number = self.licences.get(agent, 0) + 1
        self.events += 1
        position = Position(
            topic="messages", partition=partition_for(agent.encode(), self.settings.partitions), offset=10_000 + self.events
        )
        idle = AgentIdle(
            agent=agent,
            origin=Origin(position=position),
            number=number,
            kind=LicenceKind.IDLE,
            cut=self.cuts.get(agent, 0),
            at=self.now,
        )
        await self.journal(idle)
        return number

    async def journal(self, *records: Journal) -> int:
        """Append to the journal and fold; give the offset of the last one."""
        name = self._name("memory-candidates")
        sent = await self.send([Outgoing(name, encode(record), record.agent.encode(), 0) for record in records])
        for record, (_, offset) in zip(records, sent, strict=True):
            taken = self.replay.take(record, offset)
            assert not taken.fault, taken.fault
            await self.decisions(*taken.decided)
            self.next = offset + 1
        return self.next - 1

    async def journal_unchecked(self, record: Journal) -> None:
        """Append what no honest fold takes; only the position goes on."""
        name = self._name("memory-candidates")
        ((_, offset),) = await self.send([Outgoing(name, encode(record), record.agent.encode(), 0)])
        self.next = offset + 1

    async def decisions(self, *records: DecisionRecord) -> None:
        name = self._name("decisions")
        keys = [
            record.decision.candidate.encode() if isinstance(record, CandidateDecided) else encode_key([record.agent, record.ending.line])
            for record in records
        ]
        await self.send([Outgoing(name, encode(record), key, 0) for record, key in zip(records, keys, strict=True)])

    async def publish(self) -> None:
        """Bring the topic `memory` and the files in the workspaces to where the journal is."""
        records: list[tuple[Sequence[str | int], MemoryRecord | None]] = []
        for agent, memory in self.replay.memories.items():
            records += projected(self.shown.get(agent), memory)
            self.shown[agent] = memory
        records.append((("main", "position"), JournalPosition(next=self.next)))
        name = self._name("memory")
        await self.send([Outgoing(name, None if value is None else encode(value), encode_key(key), 0) for key, value in records])
        for memory in self.replay.memories.values():
            for workspace in memory.workspaces.values():
                for path, content in render(memory).items():
                    place = self.settings.workspaces_directory / workspace.path / "agent-memory" / path
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(content)
                note_outcome(self.settings.data_directory, self._written(memory, workspace))

    def _written(self, memory: AgentMemory, workspace: KnownWorkspace) -> WorkspaceOutcome:
        return WorkspaceOutcome(
            agent=memory.state.agent,
            workspace=workspace.workspace,
            path=workspace.path,
            result=WorkspaceResult.WRITTEN,
            version=memory.state.version,
            at=self.now,
        )

    def _name(self, topic: str) -> str:
        return topic_name(self.settings, topic)

    async def send(self, records: Sequence[Outgoing]) -> list[tuple[int, int]]:
        """Send records in their order; give each one's partition and offset once all are acknowledged."""
        futures = [
            await self.producer.send(one.topic, one.value, key=one.key, partition=one.partition, headers=list(one.headers.items()))
            for one in records
        ]
        return [(sent.partition, sent.offset) for sent in await asyncio.gather(*futures)]

    async def _extraction(self, agent: str, record: ExtractionRecord) -> Position:
        partition = partition_for(agent.encode(), self.settings.partitions)
        outgoing = Outgoing(self._name("extractions"), encode(record), agent.encode(), partition)
        ((_, offset),) = await self.send([outgoing])
        return Position(topic="extractions", partition=partition, offset=offset)

    def _answered(self, agent: str, cut: int, room: str, chunk: str) -> Answered:
        return Answered(
            agent=agent,
            request=request_id(agent, cut),
            cut=cut,
            plan=f"plan-{agent}-{cut}",
            chunk=chunk,
            room=room,
            ordinal=0,
            attempt=1,
            model="scripted-model",
            extractor="script",
            prompt="p1",
            input=ChunkInput(agent=agent, room=room, records=()),
            output="{}",
            stop_reason="end_turn",
            usage=Usage(),
            usable=True,
            at=self.now,
        )

    def _candidate(self, agent: str, cut: int, room: str, chunk: str, ordinal: int, said: Said) -> Candidate:
        return Candidate(
            id=candidate_id(chunk, ordinal),
            agent=agent,
            request=request_id(agent, cut),
            cut=cut,
            room=room,
            chunk=chunk,
            chunk_ordinal=0,
            ordinal=ordinal,
            statement=said.statement,
            topic=said.topic,
            kind=said.kind,
            trust=said.trust,
            evidence=tuple(said.evidence),
            quote=said.statement[:200],
            said_at=max((evidence.time for evidence in said.evidence), default=self.now),
            extractor="script",
        )

    async def _called(self, agent: str, licence: int, candidates: Sequence[str], answer: str) -> None:
        base = self.next
        step = step_id(agent, "main", base)
        await self.journal(
            ConsolidationStarted(
                agent=agent,
                step=step,
                base=base,
                licence=licence,
                candidates=tuple(candidates),
                attempt=1,
                model="scripted-model",
                consolidator="script",
                prompt="p1",
                at=self.now,
            ),
            ConsolidationAnswered(
                agent=agent,
                step=step,
                attempt=1,
                input="{}",
                output=answer,
                stop_reason="end_turn",
                usage=Usage(),
                usable=True,
                at=self.now,
            ),
        )
