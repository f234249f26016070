"""The topic `memory` as it stands: every agent's memory and how far the journal is folded into it."""

from collections.abc import Mapping
from dataclasses import dataclass

from schemas.base import MAIN
from schemas.codec import Undecodable, decode_key
from schemas.memory import MEMORY, AgentMemory
from streams.kafka.reading import read_to_end
from streams.kafka.topics import topic_name
from streams.memory_projection import Assembler
from streams.settings import Settings


@dataclass(frozen=True)
class Projection:
    memories: Mapping[str, AgentMemory]
    next: int | None
    """Offset of the journal up to which all is folded, exclusive; None: the topic says nothing, it is empty or new."""
    undecodable: tuple[int, ...] = ()
    """Offsets in `memory` of records that can't be read."""


async def read_projection(settings: Settings, derivation: str = MAIN) -> Projection:
    """Read `memory` to its end, whole transactions only."""
    assembler = Assembler(derivation)
    undecodable = []
    async for record in read_to_end(settings, topic_name(settings, "memory"), isolation="read_committed"):
        value = None if record.value is None else MEMORY.decode(record.value)
        try:
            key = decode_key(record.key or b"")
        except ValueError:
            key = ()
        if isinstance(value, Undecodable) or not key:
            undecodable.append(record.offset)
        else:
            assembler.put(key, value)
    return Projection(assembler.memories(), assembler.position, tuple(undecodable))
