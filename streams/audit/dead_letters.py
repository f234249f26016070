"""What could not be processed, each record once (E6)."""

from collections.abc import AsyncIterator

from pydantic import TypeAdapter

from schemas.codec import Codec, Undecodable
from schemas.dead_letters import DeadLetter
from streams.kafka.reading import read_to_end
from streams.kafka.topics import topic_name
from streams.settings import Settings

DEAD_LETTERS: Codec[DeadLetter] = Codec(TypeAdapter(DeadLetter))


async def list_dead_letters(settings: Settings) -> AsyncIterator[DeadLetter]:
    """Yield the dead letters, oldest first. A record that was passed over again after a restart is one dead letter."""
    seen = set()
    async for record in read_to_end(settings, topic_name(settings, "dead-letters")):
        letter = DEAD_LETTERS.decode(record.value)
        if not isinstance(letter, Undecodable) and letter.position not in seen:
            seen.add(letter.position)
            yield letter
