"""What could not be processed, each record once (E6)."""

from collections.abc import AsyncIterator

from pydantic import TypeAdapter

from schemas.base import Position
from schemas.codec import Codec, Undecodable
from schemas.dead_letters import DeadLetter
from streams.kafka.reading import read_to_end
from streams.kafka.topics import topic_name
from streams.settings import Settings

DEAD_LETTERS: Codec[DeadLetter] = Codec(TypeAdapter(DeadLetter))


async def list_dead_letters(settings: Settings) -> AsyncIterator[DeadLetter]:
    """Yield the dead letters, by the time of the record that was passed over. One that was passed over again is one dead letter."""
    found: dict[Position, DeadLetter] = {}
    async for record in read_to_end(settings, topic_name(settings, "dead-letters")):
        letter = DEAD_LETTERS.decode(record.value)
        if not isinstance(letter, Undecodable):
            found.setdefault(letter.position, letter)
    for letter in sorted(found.values(), key=lambda letter: (letter.at, str(letter.position))):
        yield letter
