"""One batch of `commands`: each goes into the journal, once (C11, E6, E9). Pure."""

from collections import Counter
from collections.abc import Sequence

from schemas.base import Origin, Position
from schemas.dead_letters import DeadLetter
from schemas.events import Command
from streams.activity import outgoing
from streams.activity.effects import Forward
from streams.activity.intake import Intake
from streams.activity.messages import COMMANDS, RowOf
from streams.activity.outgoing import Outcomes
from streams.activity.repeats import RecentIds, Rings, hashed
from streams.activity.rows import PARTITION_KEY, PartitionRow, Row, ring_key
from streams.kafka.chain import Record
from streams.kafka.publishing import Outgoing


class CommandsBatch:
    """Applies one batch; used once."""

    def __init__(self, intake: Intake, row_of: RowOf, rings: Rings) -> None:
        self._intake, self._row_of, self._kept = intake, row_of, rings

    def apply(self, records: Sequence[Record]) -> Outcomes:
        """Give what these records come to."""
        publish: list[Outgoing] = []
        rings: dict[str, RecentIds] = {}
        counts: Counter[str] = Counter()
        partition = self._row_of(PARTITION_KEY)
        offset = partition.applied if isinstance(partition, PartitionRow) else -1
        for record in records:
            if record.offset <= offset:
                continue
            offset = record.offset
            event = self._intake.read(record)
            if isinstance(event, DeadLetter):
                counts[f"dead_letter_{event.reason}"] += 1
                publish.append(outgoing.dead_letter(event, record.key))
                continue
            assert isinstance(event.data, Command)
            agent, one = event.data.agent, hashed(event.source, event.id)
            ring = rings.get(agent) or self._kept.ring(ring_key(COMMANDS, agent))
            rings[agent] = ring
            if offset <= ring.applied:
                continue
            if ring.seen(one):
                counts["repeat"] += 1
                continue
            rings[agent] = ring.with_id(one, offset)
            position = Position(topic=self._intake.topic, partition=self._intake.partition, offset=offset)
            publish.append(outgoing.journal_record(agent, Forward(event), Origin(position=position)))
            counts["forward"] += 1
        rows: dict[bytes, Row] = {}
        for ring in rings.values():
            rows.update(ring.rows())
        rows[PARTITION_KEY] = PartitionRow(offset)
        return Outcomes(tuple(publish), rows, dict(counts), rings=tuple(rings.values()))
