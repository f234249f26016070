"""`why`: from a line back to the operations, candidates, model calls and original messages that made it (T4).

Lineage is in `decisions`: a candidate's decision names its line, a line's end names the line that took its place.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import orjson

from schemas.base import MAIN, Position
from schemas.codec import Event, Undecodable, decode_event
from schemas.events import Author, MessagePosted, ToolCalled
from schemas.extraction import EXTRACTIONS, Answered
from schemas.journal import (
    DECISIONS,
    CandidateDecided,
    CandidateProposed,
    CandidateRejected,
    ConsolidationAnswered,
    ConsolidationStarted,
    LineEnded,
    MemoryChanged,
)
from schemas.memory import AgentMemory
from schemas.operations import Ending, EndLine, PutLine
from streams.audit.history import ConsolidationCall, ExtractionCall, LineHistory, LineOperation, SourceCandidate, SourceRecord
from streams.audit.invariants.refold import Accepted, Refold, Revised
from streams.audit.journal import journal_end, of_agent, read_journal, skipped_records
from streams.audit.positions import read_positions
from streams.audit.projection import read_projection
from streams.errors import LingerMemoryError
from streams.kafka.reading import Record, read_to_end
from streams.kafka.topics import topic_name
from streams.redaction.redaction import redact
from streams.settings import Settings

SHOWN_CHARACTERS = 2_000
_HANDS_OVER = frozenset({Ending.REPLACED, Ending.MERGED_INTO})
"""How a line ends whose sources another takes over; one that was disproved leaves them behind."""


class NoSuchLine(LingerMemoryError):
    """A line that this agent's memory has never had."""


@dataclass(frozen=True)
class _Lineage:
    """What `decisions` says of one line: the lines that ended in it, itself among them, and the candidates behind all of them."""

    lines: frozenset[str]
    decided: Mapping[str, CandidateDecided]


@dataclass(frozen=True)
class _Proposal:
    candidate: CandidateProposed | CandidateRejected
    offset: int


async def why(settings: Settings, agent: str, line: str, derivation: str = MAIN) -> LineHistory:
    """Give the whole history of a line, of one that has ended too. Raises NoSuchLine, KafkaFault."""
    memory = (await read_projection(settings, derivation)).memories.get(agent)
    lineage = await _lineage(settings, agent, line, derivation)
    operations, proposals = await _from_journal(settings, agent, lineage, derivation)
    if not operations:
        raise NoSuchLine(f"Agent {agent} has never had a line {line}; `linger-memory memory show {agent} --ids` lists the lines.")
    calls = await _extraction_calls(settings, proposals)
    records = await _records(settings, proposals)
    section = _section(memory, line)
    return LineHistory(
        agent=agent,
        id=line,
        line=next((one for one in memory.lines if one.id == line), None) if memory else None,
        section=section,
        operations=operations,
        candidates=tuple(
            SourceCandidate(
                candidate=proposal.candidate.candidate,
                offset=proposal.offset,
                decision=lineage.decided[proposal.candidate.candidate.id],
                call=calls.get(proposal.candidate.origin.position),
                records=tuple(records[evidence.position] for evidence in proposal.candidate.candidate.evidence),
            )
            for proposal in proposals
        ),
    )


def _section(memory: AgentMemory | None, line: str) -> str:
    sections = memory.sections if memory else ()
    return next((section.title for section in sections if any(one.id == line for one in section.lines)), "")


async def _lineage(settings: Settings, agent: str, line: str, derivation: str) -> _Lineage:
    decided: dict[str, CandidateDecided] = {}
    into: dict[str, set[str]] = {}
    async for record in read_to_end(settings, topic_name(settings, "decisions"), isolation="read_committed"):
        value = DECISIONS.decode(record.value)
        if isinstance(value, Undecodable) or value.agent != agent or value.derivation != derivation:
            continue
        match value:
            case CandidateDecided():
                decided[value.decision.candidate] = value
            case LineEnded(ending=ending) if ending.into is not None and ending.how in _HANDS_OVER:
                into.setdefault(ending.into, set()).add(ending.line)
    lines, waiting = set(), [line]
    while waiting:
        name = waiting.pop()
        if name not in lines:
            lines.add(name)
            waiting.extend(into.get(name, ()))
    behind = {name: decision for name, decision in decided.items() if decision.decision.line in lines}
    return _Lineage(frozenset(lines), behind)


async def _from_journal(
    settings: Settings, agent: str, lineage: _Lineage, derivation: str
) -> tuple[tuple[LineOperation, ...], tuple[_Proposal, ...]]:
    end = await journal_end(settings)
    refold = Refold(derivation, await skipped_records(settings, derivation))
    started: dict[str, ConsolidationStarted] = {}
    answered: dict[str, int] = {}
    operations: list[LineOperation] = []
    proposals: list[_Proposal] = []
    async for offset, record in read_journal(settings, end, of_agent(agent)):
        if isinstance(record, Undecodable) or record.agent != agent:
            continue
        outcome = refold.fold(record, offset)
        match record:
            case CandidateProposed() | CandidateRejected() if isinstance(outcome, Accepted) and record.candidate.id in lineage.decided:
                proposals.append(_Proposal(record, offset))
            case ConsolidationStarted():
                started[record.step] = record
            case ConsolidationAnswered() if record.usable:
                answered.setdefault(record.step, offset)
            case MemoryChanged() if isinstance(outcome, Revised):
                operations += _operations(record, offset, lineage.lines, _call(record.step, started, answered))
                started.clear()
                answered.clear()
    return tuple(operations), tuple(proposals)


def _call(step: str, started: Mapping[str, ConsolidationStarted], answered: Mapping[str, int]) -> ConsolidationCall | None:
    if step not in started or step not in answered:
        return None
    return ConsolidationCall(step, started[step].model, started[step].consolidator, answered[step])


def _operations(changed: MemoryChanged, offset: int, lines: frozenset[str], call: ConsolidationCall | None) -> Iterable[LineOperation]:
    for operation in changed.operations:
        match operation:
            case PutLine(line=line) if line.id in lines:
                yield LineOperation(changed.version, offset, changed.at, line.id, "put", line.text, None, None, call)
            case EndLine() if operation.line in lines or operation.into in lines:
                how, because, into = operation.how.value, operation.because, operation.into
                yield LineOperation(changed.version, offset, changed.at, operation.line, how, "", because, into, call)


async def _extraction_calls(settings: Settings, proposals: Iterable[_Proposal]) -> dict[Position, ExtractionCall]:
    calls = {}
    async for position, record in read_positions(settings, _sorted(proposal.candidate.origin.position for proposal in proposals)):
        answer = EXTRACTIONS.decode(record.value) if record is not None else None
        if isinstance(answer, Answered):
            calls[position] = ExtractionCall(
                position=position,
                request=answer.request,
                plan=answer.plan,
                chunk=answer.chunk,
                attempt=answer.attempt,
                model=answer.model,
                extractor=answer.extractor,
                prompt=answer.prompt,
                at=answer.at,
            )
    return calls


async def _records(settings: Settings, proposals: Iterable[_Proposal]) -> dict[Position, SourceRecord]:
    cited = {evidence.position: evidence for proposal in proposals for evidence in proposal.candidate.candidate.evidence}
    found = {}
    async for position, record in read_positions(settings, _sorted(cited)):
        evidence = cited[position]
        event = _event(position, record)
        there = event is not None and event.id == evidence.event
        text, author, tool = _words(event) if event is not None and there else ("", None, "")
        found[position] = SourceRecord(
            event=evidence.event,
            position=position,
            time=evidence.time,
            room=evidence.room,
            author=author,
            tool=tool,
            text=text[:SHOWN_CHARACTERS],
            left_out=max(0, len(text) - SHOWN_CHARACTERS),
            found=there,
        )
    return found


def _event(position: Position, record: "Record | None") -> Event | None:
    if record is None:
        return None
    event = decode_event(position.topic, record.headers, record.key, record.value)
    return None if isinstance(event, Undecodable) else event


def _words(event: Event) -> tuple[str, Author | None, str]:
    """Text, author and tool of a record; all words redacted, the whole before it is cut, so that no secret is cut in two (X9)."""
    match event.data:
        case MessagePosted() as message:
            name = redact(message.author.name) if message.author.name else None
            return redact(message.text), message.author.model_copy(update={"name": name}), ""
        case ToolCalled() as call:
            shown = {"arguments": call.arguments, "result": call.result}
            return redact(orjson.dumps(shown).decode()), None, redact(call.tool)
        case _:
            return "", None, ""


def _sorted(positions: Iterable[Position]) -> list[Position]:
    return sorted(set(positions), key=lambda at: (at.topic, at.generation, at.partition, at.offset))
