"""One partition of `messages` without a broker: records in, effects and rows out, with batches cut anywhere and kills in between."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from schemas.codec import Event
from schemas.dead_letters import DeadLetter
from schemas.extraction import REQUESTS, ExtractionRequest
from schemas.journal import JOURNAL, AgentBusy, AgentIdle, Forwarded
from streams.activity.commands import CommandsBatch
from streams.activity.deadlines import Agenda, Timing, next_deadline
from streams.activity.intake import Intake
from streams.activity.messages import Calls, MessagesBatch
from streams.activity.outgoing import Defaults, Outcomes
from streams.activity.repeats import Rings
from streams.activity.rows import PARTITION_KEY, AgentRow, PartitionRow, Row, agent_key, agent_of, decode_row, encode_row
from streams.activity.tool_calls import ToolCallsBatch, calls_row_of, spans_for_cut
from streams.kafka.publishing import Outgoing
from tests.activity_events import wire

MINUTE = 60_000
HOUR = 60 * MINUTE
TIMING = Timing(idle_after=60 * MINUTE, run_timeout=6 * HOUR, overdue_after=24 * HOUR, overdue_any_after=48 * HOUR, runs_per_cut=5)
BEGINNING = 1_772_440_000_000


@dataclass(frozen=True)
class FakeRecord:
    """A record as aiokafka gives it."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes]] = ()


def record(offset: int, event: Event, time: int) -> FakeRecord:
    headers, key, value = wire(event)
    return FakeRecord(offset, time, key, value, tuple(headers.items()))


@dataclass
class Partition:
    """Partition 0 of 1. Rows are kept as bytes, as a changelog has them."""

    timing: Timing = TIMING
    rows: dict[str, dict[bytes, tuple[int, bytes]]] = field(default_factory=lambda: {"messages": {}, "tool-calls": {}, "commands": {}})
    agenda: Agenda = field(default_factory=Agenda)
    published: list[Outgoing] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    repeats: int = 0
    time: int = BEGINNING
    ends: dict[str, int] = field(default_factory=lambda: {"messages": 0, "tool-calls": 0, "commands": 0})

    def __post_init__(self) -> None:
        self.rings = self._new_rings()

    def _new_rings(self) -> dict[str, Rings]:
        return {topic: Rings(lambda key, topic=topic: self.row(key, topic)) for topic in self.rows}  # type: ignore[misc]

    # --- driving it ---

    def feed(self, *events: Event, after: int = 1_000, topic: str = "messages") -> list[int]:
        """Append events, each `after` milliseconds later than the one before, and work on each alone; give their offsets."""
        offsets = []
        for event in events:
            self.time += after
            offset = self.ends[topic]
            self.ends[topic] += 1
            self.work([record(offset, event, self.time)], topic)
            offsets.append(offset)
        return offsets

    def work(self, records: Sequence[FakeRecord], topic: str = "messages", written: int | None = None, said: int | None = None) -> Outcomes:
        """Work on a batch as the app does; `written`: a kill after so many rows, `said`: after so many publications."""
        outcomes = self.compute(records, topic)
        self.published += outcomes.publish[:said]
        self.repeats += outcomes.counts.get("repeat", 0)
        self.late += [late.event for late in outcomes.late]
        for key, row in list(outcomes.rows.items())[:written]:
            self.rows[topic][key] = (row.applied, encode_row(row))
        if written is None:
            self.rings[topic].written(outcomes.rings)
        else:
            self.restart()
        return outcomes

    def compute(self, records: Sequence[FakeRecord], topic: str) -> Outcomes:
        intake = Intake(topic, 0, 1, 1_000_000)
        if topic == "tool-calls":
            batch = ToolCallsBatch(intake, lambda key: self.row(key, topic), self.rings[topic], self.row, self.timing)
            return batch.apply(records)
        if topic == "commands":
            return CommandsBatch(intake, lambda key: self.row(key, topic), self.rings[topic]).apply(records)
        seen = self.row(PARTITION_KEY, "tool-calls")
        calls = Calls(
            lambda agent, open_runs: spans_for_cut(calls_row_of(lambda key: self.row(key, "tool-calls"), agent), open_runs),
            seen.applied + 1 if isinstance(seen, PartitionRow) else 0,
        )
        return MessagesBatch(intake, self.row, self.rings[topic], self.agenda, calls, self.timing, Defaults("rules", 200_000)).apply(
            records
        )

    def restart(self) -> None:
        """Make again what is remembered of the rows, as after an assignment."""
        self.rings = self._new_rings()
        self.agenda = Agenda()
        for key in self.rows["messages"]:
            row = self.row(key)
            agent = agent_of(key)
            due = next_deadline(row, self.timing) if isinstance(row, AgentRow) else None
            if agent is not None and due is not None:
                self.agenda.put(agent, due[0])

    # --- looking at it ---

    def row(self, key: bytes, topic: str = "messages") -> Row | None:
        found = self.rows[topic].get(key)
        return None if found is None else decode_row(key, *found)

    def agent(self, agent: str) -> AgentRow:
        row = self.row(agent_key(agent))
        assert isinstance(row, AgentRow)
        return row

    @property
    def next(self) -> int:
        row = self.row(PARTITION_KEY)
        return 0 if row is None else row.applied + 1

    @property
    def requests(self) -> list[ExtractionRequest]:
        """As readers take them: the first of each id."""
        found: dict[str, ExtractionRequest] = {}
        for outgoing in self.published:
            if outgoing.topic == "extraction-requests":
                one = REQUESTS.decode(outgoing.value)
                assert isinstance(one, ExtractionRequest)
                found.setdefault(one.id, one)
        return list(found.values())

    @property
    def journal(self) -> list[AgentIdle | AgentBusy | Forwarded]:
        """As the fold takes it: of each agent and source only what rises by origin."""
        highest: dict[tuple[str, str], tuple[int, int]] = {}
        taken: list[AgentIdle | AgentBusy | Forwarded] = []
        for outgoing in self.published:
            if outgoing.topic == "memory-candidates":
                one = JOURNAL.decode(outgoing.value)
                assert isinstance(one, AgentIdle | AgentBusy | Forwarded)
                source, order = (one.agent, one.origin.position.topic), (one.origin.position.offset, one.origin.ordinal)
                if order > highest.get(source, (-1, -1)):
                    highest[source] = order
                    taken.append(one)
        return taken

    @property
    def licences(self) -> list[AgentIdle]:
        return [one for one in self.journal if isinstance(one, AgentIdle)]

    @property
    def busy(self) -> list[bool]:
        return [one.busy for one in self.journal if isinstance(one, AgentBusy)]

    @property
    def dead_letters(self) -> list[DeadLetter]:
        return [DeadLetter.model_validate_json(one.value) for one in self.published if one.topic == "dead-letters"]


def cut_up(records: Sequence[FakeRecord], sizes: Iterable[int]) -> list[Sequence[FakeRecord]]:
    """Cut records into batches of these sizes; what is left over is the last."""
    batches, at = [], 0
    for size in sizes:
        if at < len(records):
            batches.append(records[at : at + size])
            at += size
    if at < len(records):
        batches.append(records[at:])
    return batches
