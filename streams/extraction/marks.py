"""Where extraction stands for each agent, kept in the compacted topic `extraction-marks` so that a restart reads little (A5, X1).

A mark is written after its request is done. It is a cache of what `extraction-requests` and `extractions` say: one that is lost makes a
worker read more, and one that is late (a kill between `done` and mark) is written again when the request is delivered again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from schemas.codec import decode_key, encode_key
from schemas.extraction import MARKS, AgentMark, ExtractionRequest, Planned, PlannedRecord, SummaryMark
from schemas.ids import short_hash
from streams.extraction.progress import Progress
from streams.extraction.summaries import summaries_after
from streams.kafka.reading import Record

MARKS_TOPIC = "extraction-marks"
HORIZON = 1_000
"""Runs, and tool calls, of an agent that are remembered; a call that comes later than that is not known as late."""
TAIL_RECORDS = 8


@dataclass
class Marks:
    """The marks of one partition."""

    _agents: dict[str, AgentMark] = field(default_factory=dict)
    _summaries: dict[tuple[str, str], SummaryMark] = field(default_factory=dict)

    def agent(self, agent: str) -> AgentMark:
        """Give an agent's mark; one before its first cut if there is none."""
        return self._agents.get(agent) or AgentMark(agent=agent, cut=0, tool_position=0)

    def summary(self, agent: str, room: str) -> SummaryMark:
        """Give a Room's mark; an empty one if there is none."""
        return self._summaries.get((agent, room)) or SummaryMark(agent=agent, room=room, text="")

    def put(self, mark: AgentMark | SummaryMark) -> None:
        """Remember a mark. One of an earlier cut, which a worker that was cut off may write late, changes nothing."""
        if isinstance(mark, SummaryMark):
            self._summaries[mark.agent, mark.room] = mark
        elif mark.cut >= self.agent(mark.agent).cut:
            self._agents[mark.agent] = mark

    def take(self, record: Record) -> None:
        """Take a record of the topic. What can't be read is as if it were not there."""
        mark = MARKS.decode(record.value)
        if isinstance(mark, AgentMark | SummaryMark):
            self.put(mark)
        elif record.value is None and record.key is not None:
            self._forget(decode_key(record.key))

    def _forget(self, key: tuple[str | int, ...]) -> None:
        match key:
            case ("agent", str(agent)):
                self._agents.pop(agent, None)
            case ("summary", str(agent), str(room)):
                self._summaries.pop((agent, room), None)


def key_of(mark: AgentMark | SummaryMark) -> bytes:
    """Give the key under which a mark is kept."""
    return encode_key(["agent", mark.agent] if isinstance(mark, AgentMark) else ["summary", mark.agent, mark.room])


def marks_after(
    marks: Marks, request: ExtractionRequest, progress: Progress, waiting_calls: tuple[int, ...], longest_tokens: int
) -> list[AgentMark | SummaryMark]:
    """Give the marks of a request that is done, the agent's last: who has read that has read the others."""
    assert progress.plan is not None
    plan, before = progress.plan, marks.agent(request.agent)
    rooms = dict.fromkeys(chunk.room for chunk in plan.chunks)
    so_far = {room: marks.summary(request.agent, room).text for room in rooms}
    texts = summaries_after(progress, so_far, longest_tokens)
    tails = _tails(plan)
    return [
        *(SummaryMark(agent=request.agent, room=room, text=texts[room], tail=tails.get(room, ())) for room in rooms),
        AgentMark(
            agent=request.agent,
            cut=request.cut,
            tool_position=max(before.tool_position, plan.tool_position),
            runs=_last(before.runs, (short_hash(run.run) for run in request.runs)),
            calls=_last(before.calls, plan.taken_calls),
            waiting_calls=waiting_calls,
            extractions_offset=progress.done_offset,
        ),
    ]


def _tails(plan: Planned) -> Mapping[str, tuple[PlannedRecord, ...]]:
    """Give per Room its last records."""
    read: dict[str, list[PlannedRecord]] = {}
    for chunk in plan.chunks:
        read.setdefault(chunk.room, []).extend(chunk.records)
    return {room: tuple(records[-TAIL_RECORDS:]) for room, records in read.items()}


def _last(known: Sequence[str], more: Iterable[str]) -> tuple[str, ...]:
    """Give the last of both, each once, where it came first."""
    return tuple(dict.fromkeys((*known, *more)))[-HORIZON:]
