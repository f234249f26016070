"""A line's history for people and for programs (T4). Every word that comes from a conversation is escaped here (S3)."""

from collections.abc import Iterator
from typing import Any

from streams.audit.history import LineHistory, LineOperation, SourceCandidate, SourceRecord
from streams.cli.counting import counted
from streams.cli.terminal import escape

_JOURNAL = "memory-candidates[0]@"


def history_in_words(history: LineHistory) -> Iterator[str]:
    """Yield lines for a terminal."""
    if history.line is not None:
        line = history.line
        yield f"{history.id}  {escape(line.text)}"
        sources = counted(line.sources, "source")
        yield f"  in section {escape(history.section)}; {line.kind}, {line.trust}, {sources}, since version {line.since}"
    else:
        yield f"{history.id}  has ended"
    yield ""
    yield "What was done to it"
    for operation in history.operations:
        yield from _operation(history, operation)
    for number, candidate in enumerate(history.candidates, start=1):
        yield ""
        yield from _candidate(number, candidate)


def _operation(history: LineHistory, operation: LineOperation) -> Iterator[str]:
    which = "" if operation.line == history.id else f"{operation.line} "
    into = f" into {operation.into}" if operation.into and operation.into != operation.line else ""
    because = f", because of candidate {escape(operation.because)}" if operation.because else ""
    words = f": {escape(operation.text)}" if operation.text else ""
    yield f"  version {operation.version}, {_JOURNAL}{operation.offset}: {which}{operation.what}{into}{because}{words}"
    if operation.call is not None:
        call = operation.call
        yield f"    decided with model {escape(call.model)} ({escape(call.consolidator)}), answer at {_JOURNAL}{call.answer}"


def _candidate(number: int, source: SourceCandidate) -> Iterator[str]:
    candidate, decision = source.candidate, source.decision
    yield f"Source {number}: candidate {candidate.id}, {_JOURNAL}{source.offset}"
    yield f"  {escape(candidate.statement)}"
    yield f"  {candidate.kind}, {candidate.trust}, Room {escape(candidate.room)}; quote: {escape(candidate.quote)}"
    yield f"  {decision.decision.verdict} in version {decision.version}, {_JOURNAL}{decision.offset}"
    if source.call is None:
        yield "  the recorded answer is not there"
    else:
        call = source.call
        yield f"  read by model {escape(call.model)} ({escape(call.extractor)}), attempt {call.attempt}, answer at {call.position}"
        yield f"  request {call.request}, plan {escape(call.plan)}, chunk {call.chunk}"
    for record in source.records:
        yield from _record(record)


def _record(record: SourceRecord) -> Iterator[str]:
    who = (
        f"tool {escape(record.tool)}" if record.author is None else f"{record.author.kind} {escape(record.author.name or record.author.id)}"
    )
    if record.author is not None and record.author.kind == "user":
        who += f" ({record.author.role})"
    if not record.found:
        yield f"  {record.position}  event {escape(record.event)}: no such record lies there"
        return
    yield f"  {record.position}  {record.time.isoformat()}  Room {escape(record.room)}  {who}, event {escape(record.event)}"
    left = f" … and {record.left_out} more characters" if record.left_out else ""
    yield f"    {escape(record.text)}{left}"


def history_as_plain(history: LineHistory) -> dict[str, Any]:
    """Give all of it in plain types."""
    return {
        "agent": history.agent,
        "line": history.id,
        "now": history.line.model_dump(mode="json") if history.line else None,
        "section": history.section,
        "operations": [_operation_as_plain(operation) for operation in history.operations],
        "sources": [_candidate_as_plain(source) for source in history.candidates],
    }


def _operation_as_plain(operation: LineOperation) -> dict[str, Any]:
    call = operation.call
    return {
        "version": operation.version,
        "place": f"{_JOURNAL}{operation.offset}",
        "at": operation.at.isoformat(),
        "line": operation.line,
        "what": operation.what,
        "text": operation.text,
        "because": operation.because,
        "into": operation.into,
        "call": None
        if call is None
        else {"step": call.step, "model": call.model, "consolidator": call.consolidator, "answer": f"{_JOURNAL}{call.answer}"},
    }


def _candidate_as_plain(source: SourceCandidate) -> dict[str, Any]:
    call = source.call
    return {
        "candidate": source.candidate.model_dump(mode="json"),
        "place": f"{_JOURNAL}{source.offset}",
        "decision": source.decision.decision.model_dump(mode="json"),
        "version": source.decision.version,
        "call": None
        if call is None
        else {
            "place": str(call.position),
            "request": call.request,
            "plan": call.plan,
            "chunk": call.chunk,
            "attempt": call.attempt,
            "model": call.model,
            "extractor": call.extractor,
            "prompt": call.prompt,
            "at": call.at.isoformat(),
        },
        "records": [_record_as_plain(record) for record in source.records],
    }


def _record_as_plain(record: SourceRecord) -> dict[str, Any]:
    return {
        "event": record.event,
        "place": str(record.position),
        "position": record.position.model_dump(mode="json"),
        "time": record.time.isoformat(),
        "room": record.room,
        "author": record.author.model_dump(mode="json") if record.author else None,
        "tool": record.tool,
        "text": record.text,
        "characters_left_out": record.left_out,
        "found": record.found,
    }
