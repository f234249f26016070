"""How far the work on one request has come, folded from what is recorded on `extractions` (X10). Pure.

The first plan, the first usable answer of a chunk and the first end count, for ever; nothing after the end counts, and what names another
plan does not. So two workers that both recorded something (a zombie and its successor) come to the same, whoever reads.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from schemas.extraction import Answered, Attempted, Done, DoneOutcome, ExtractionRecord, Failed, Parked, Planned
from streams.candidates.answer import read_answer

NO_RESULT = "no result"
"""Beginning of the fault of an answer that says itself that it is none (X14): another try would say the same."""


@dataclass(frozen=True, slots=True)
class ChunkProgress:
    """What became of one chunk so far."""

    last_attempt: int = 0
    attempts: int = 0
    """Calls that were begun. One that has neither answer nor failure ended in a crash, or is in flight."""
    failures: int = 0
    """Calls that failed, or whose answer was of no use."""
    answered: bool = False
    """Whether there is a usable answer."""
    summary: str = ""
    """The Room's summary as the first usable answer says it; empty if it says none."""
    without_result: bool = False
    parked: bool = False

    @property
    def ended(self) -> bool:
        """Whether no further call is to be made."""
        return self.answered or self.without_result or self.parked

    @property
    def crashes(self) -> int:
        """Calls that nothing is known of; only meaningful while none is in flight."""
        return max(0, self.attempts - self.failures)


@dataclass(frozen=True, slots=True)
class Progress:
    """One request's progress, as of all records of its partition that were taken."""

    request: str
    plan: Planned | None = None
    chunks: Mapping[str, ChunkProgress] = field(default_factory=dict)
    done: Done | None = None
    done_offset: int = -1

    def chunk(self, chunk: str) -> ChunkProgress:
        return self.chunks.get(chunk, ChunkProgress())

    def after(self, record: ExtractionRecord, offset: int) -> "Progress":
        """Give the progress after the record at `offset`, which is one of this request."""
        if self.done is not None:
            return self
        match record:
            case Planned():
                return self if self.plan is not None else replace(self, plan=record)
            case _ if self.plan is None or record.plan != self.plan.id:
                return self
            case Done():
                return replace(self, done=record, done_offset=offset)
            case Attempted() | Answered() | Failed() | Parked():
                chunk = _after(self.chunk(record.chunk), record)
                return replace(self, chunks={**self.chunks, record.chunk: chunk})
            case _:
                return self

    def outcome(self) -> DoneOutcome:
        """Give how the request ends, if it ends as it stands: only usable answers count as success."""
        planned = () if self.plan is None else self.plan.chunks
        if self.plan is not None and self.plan.fault:
            return DoneOutcome.FAILED
        answered = sum(self.chunk(one.id).answered for one in planned)
        if answered == len(planned):
            return DoneOutcome.COMPLETED
        return DoneOutcome.PARTLY if answered else DoneOutcome.FAILED


def _after(chunk: ChunkProgress, record: Attempted | Answered | Failed | Parked) -> ChunkProgress:
    match record:
        case Attempted():
            return replace(chunk, attempts=chunk.attempts + 1, last_attempt=max(chunk.last_attempt, record.attempt))
        case Answered() if record.usable:
            answer = read_answer(record.output)
            return chunk if chunk.answered else replace(chunk, answered=True, summary="" if answer is None else answer.summary.strip())
        case Answered():
            return replace(chunk, failures=chunk.failures + 1, without_result=chunk.without_result or record.fault.startswith(NO_RESULT))
        case Failed():
            return replace(chunk, failures=chunk.failures + 1)
        case Parked():
            return replace(chunk, parked=True)
