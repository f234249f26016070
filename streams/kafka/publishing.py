"""Publishing from a Faust app: sent in order with its one producer, and awaited until acknowledged (F32)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from streams.kafka.topics import topic_name
from streams.settings import Settings


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A record to publish; `topic` is a base name."""

    topic: str
    partition: int
    key: bytes | None
    value: bytes
    headers: tuple[tuple[str, bytes], ...] = ()


async def publish(app: Any, settings: Settings, records: Iterable[Outgoing]) -> None:
    """Send records in their order; returns when the broker has acknowledged all, raises Kafka's error if it does not."""
    send = app.producer.send
    acknowledgements = [
        await send(topic_name(settings, record.topic), record.key, record.value, record.partition, None, list(record.headers))
        for record in records
    ]
    for acknowledgement in acknowledgements:
        await acknowledgement
