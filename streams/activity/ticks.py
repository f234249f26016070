"""The tick that goes to a quiet partition, so that time goes on there (A6)."""

import uuid
from datetime import UTC, datetime

from schemas.codec import Event, encode_event
from schemas.events import ClockTicked
from streams.kafka.publishing import Outgoing


def tick(source: str, partition: int) -> Outgoing:
    """Give a tick of the clock for a partition of `messages`; it has no key, and an id of its own."""
    headers, key, value = encode_event(Event(str(uuid.uuid4()), source, datetime.now(UTC), ClockTicked(partition=partition)))
    return Outgoing("messages", partition, key, value, tuple(headers))
