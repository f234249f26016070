"""What a consolidator begins with: the projection as far as it was committed, or nothing, and then what a rebuild must know (C13, T1)."""

from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from schemas.codec import Undecodable, decode_key
from schemas.journal import DECISIONS, JOURNAL, FoldSkipped
from schemas.memory import MEMORY, AgentMemory
from streams.kafka.reading import read_to_end
from streams.kafka.topics import topic_name
from streams.memory_projection import Assembler
from streams.settings import Settings

_log = structlog.get_logger()
_SKIP = b'"fold.skipped"'


@dataclass(frozen=True, slots=True)
class Loaded:
    """Where the fold goes on."""

    memories: dict[str, AgentMemory] = field(default_factory=dict)
    position: int = 0
    """The next offset of the journal to fold."""
    skipped: frozenset[int] = frozenset()
    """Offsets that were skipped before, and are again."""
    decided_to: int = -1
    """Journal offset of the last decision that stands in `decisions` already: a rebuild does not say it twice."""


async def load(settings: Settings, derivation: str, beat: Callable[[], None] = lambda: None) -> Loaded:
    """Read `memory` to its end. Without a position the journal is folded from its beginning, with the skips that it holds.

    `beat` is called at each record.
    """
    assembler = Assembler(derivation)
    async for record in read_to_end(settings, topic_name(settings, "memory"), isolation="read_committed"):
        beat()
        decoded = MEMORY.decode(record.value) if record.value is not None else None
        if record.key is None or isinstance(decoded, Undecodable):
            _log.error("record of the memory can't be read", offset=record.offset)
            continue
        assembler.put(decode_key(record.key), decoded)
    if assembler.position is not None:
        return Loaded(memories=assembler.memories(), position=assembler.position)
    return Loaded(skipped=await _skipped(settings, derivation, beat), decided_to=await _decided_to(settings, derivation, beat))


async def _skipped(settings: Settings, derivation: str, beat: Callable[[], None]) -> frozenset[int]:
    skipped = set()
    async for record in read_to_end(settings, topic_name(settings, "memory-candidates"), isolation="read_committed"):
        beat()
        if record.value is not None and _SKIP in record.value:
            decoded = JOURNAL.decode(record.value)
            if isinstance(decoded, FoldSkipped) and decoded.derivation == derivation:
                skipped.add(decoded.offset)
    return frozenset(skipped)


async def _decided_to(settings: Settings, derivation: str, beat: Callable[[], None]) -> int:
    last = -1
    async for record in read_to_end(settings, topic_name(settings, "decisions"), isolation="read_committed"):
        beat()
        decoded = DECISIONS.decode(record.value)
        if not isinstance(decoded, Undecodable) and decoded.derivation == derivation:
            last = max(last, decoded.offset)
    return last
