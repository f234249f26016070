"""Putting records onto a topic for a test, exactly as they are given: also ones that no honest producer would send."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from streams.kafka.clients import make_producer, start
from streams.settings import Settings


@dataclass(frozen=True)
class Outgoing:
    """One record to send; `topic` is a whole name, and without `partition` the key decides."""

    topic: str
    value: bytes | None
    key: bytes | None = None
    partition: int | None = None
    headers: Mapping[str, bytes] = field(default_factory=dict)
    timestamp_ms: int | None = None


async def send(
    settings: Settings,
    topic: str,
    value: bytes | None,
    *,
    key: bytes | None = None,
    partition: int | None = None,
    headers: Mapping[str, bytes] | None = None,
    timestamp_ms: int | None = None,
) -> tuple[int, int]:
    """Send one record and give its partition and offset."""
    return (await send_all(settings, [Outgoing(topic, value, key, partition, headers or {}, timestamp_ms)]))[0]


async def send_all(settings: Settings, records: Iterable[Outgoing]) -> list[tuple[int, int]]:
    """Send records in their order with one producer, and give each one's partition and offset once all are acknowledged."""
    producer = make_producer(settings)
    await start(producer, settings)
    try:
        futures = [
            await producer.send(
                record.topic,
                record.value,
                key=record.key,
                partition=record.partition,
                headers=list(record.headers.items()),
                timestamp_ms=record.timestamp_ms,
            )
            for record in records
        ]
        acknowledged = await asyncio.gather(*futures)
    finally:
        await producer.stop()
    return [(record.partition, record.offset) for record in acknowledged]


async def until(condition: Callable[[], bool], what: str, deadline_seconds: float = 30.0) -> None:
    """Wait till `condition` holds; fail with `what` was waited for past the deadline."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + deadline_seconds
    while not condition():
        assert loop.time() < deadline, f"waited {deadline_seconds:.0f} s in vain for {what}"
        await asyncio.sleep(0.02)
