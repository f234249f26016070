"""Reading single records back by their positions, many at a time, without reading all that lies between."""

from collections.abc import AsyncIterator, Iterable
from itertools import groupby
from typing import TypeAlias

from schemas.base import Position
from streams.kafka.errors import OffsetGone
from streams.kafka.reading import Record, end_offsets, read_range
from streams.kafka.topics import topic_name
from streams.settings import Settings

_WORTH_SKIPPING = 10_000  # offsets: a shorter gap is cheaper to read through than a new consumer
_TOGETHER = 50_000

Found: TypeAlias = "tuple[Position, Record | None]"


async def read_positions(settings: Settings, positions: Iterable[Position]) -> AsyncIterator[Found]:
    """Yield each position once with its record; None where no record lies, no longer or never.

    `positions` must be sorted by topic, generation, partition and offset; near ones are one read, and one record is held at a time.
    Raises KafkaFault if the topic does not exist.
    """
    for (topic, generation, partition), wanted in groupby(positions, key=lambda at: (at.topic, at.generation, at.partition)):
        name = topic_name(settings, topic, generation)
        end = (await end_offsets(settings, name)).get(partition, 0)
        for stretch in _stretches(wanted):
            present = [at for at in stretch if at.offset < end]
            async for found in _read(settings, name, present):
                yield found
            for at in stretch[len(present) :]:
                yield at, None


async def _read(settings: Settings, name: str, stretch: list[Position]) -> AsyncIterator[Found]:
    if not stretch:
        return
    answered = 0
    try:
        async for record in read_range(settings, name, stretch[0].partition, stretch[0].offset, stretch[-1].offset + 1):
            while answered < len(stretch) and stretch[answered].offset < record.offset:
                yield stretch[answered], None
                answered += 1
            if answered < len(stretch) and stretch[answered].offset == record.offset:
                yield stretch[answered], record
                answered += 1
    except OffsetGone:
        if len(stretch) > 1:  # some of them may still be there
            for at in stretch[answered:]:
                async for found in _read(settings, name, [at]):
                    yield found
            return
    for at in stretch[answered:]:
        yield at, None


def _stretches(wanted: Iterable[Position]) -> Iterable[list[Position]]:
    stretch: list[Position] = []
    for at in wanted:
        if stretch and at == stretch[-1]:
            continue
        if stretch and (at.offset - stretch[-1].offset > _WORTH_SKIPPING or len(stretch) == _TOGETHER):
            yield stretch
            stretch = []
        stretch.append(at)
    if stretch:
        yield stretch
