"""`import events`: each event once and in order, a run's end last, and only what is missing [E3, E7]."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from schemas.codec import Event, decode_event, structured
from schemas.events import Author, AuthorKind, EventData, MessagePosted, Outcome, RunFinished, RunStarted, ToolCalled
from streams.importers import events
from streams.importers.events import import_events
from streams.kafka.clients import make_producer
from streams.kafka.errors import TopicsWrong
from streams.kafka.partitioner import partition_for
from streams.kafka.reading import read_to_end
from streams.kafka.topics import topic_name
from streams.settings import Settings

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
AUTHOR = Author(kind=AuthorKind.USER, id="p")


def run_of(agent: str, number: int) -> list[EventData]:
    common = {"agent": agent, "boot": 1, "room": "r"}
    run = f"{agent}-run-{number}"
    return [
        RunStarted(run=run, **common),
        MessagePosted(author=AUTHOR, text=f"question {number}", run=run, **common),
        ToolCalled(tool="read", arguments={"n": number}, result="x", run=run, **common),
        MessagePosted(author=AUTHOR, text=f"answer {number}", run=run, **common),
        RunFinished(run=run, outcome=Outcome.SUCCEEDED, **common),
    ]


def write(path: Path, datas: Iterable[EventData]) -> Path:
    lines = [structured(Event(f"e{number}", "server", AT, data)) for number, data in enumerate(datas)]
    path.write_bytes(b"\n".join(lines))
    return path


async def texts(settings: Settings, name: str) -> list[tuple[str, int, str, int]]:
    """Event id, partition, type and append time in milliseconds of all records of a topic, by partition and offset."""
    found = []
    async for record in read_to_end(settings, topic_name(settings, name)):
        event = decode_event(name, record.headers, record.key, record.value)
        assert isinstance(event, Event)
        assert record.partition == partition_for(record.key or b"", settings.partitions)
        found.append((event.id, record.partition, event.type, record.timestamp))
    return sorted(found, key=lambda one: one[1])


@pytest.mark.spec("E7")
async def test_events_are_sent_once_in_order_and_the_same_file_again_sends_nothing_E7(
    settings: Settings, topics: tuple[str, ...], tmp_path: Path
) -> None:
    file = write(tmp_path / "a.jsonl", [data for number in range(20) for agent in ("a", "b", "c") for data in run_of(agent, number)])
    first = await import_events(settings, [file])
    assert (first.sent, first.present, first.agents, first.bad) == (300, 0, ("a", "b", "c"), ())
    messages = await texts(settings, "messages")
    for partition in range(settings.partitions):
        numbers = [int(event[1:]) for event, where, _, _ in messages if where == partition]
        assert numbers == sorted(numbers)
    assert len(messages) == 240
    assert len(await texts(settings, "tool-calls")) == 60

    again = await import_events(settings, [file, file])
    assert (again.sent, again.present) == (0, 600)
    assert await texts(settings, "messages") == messages


@pytest.mark.spec("E7")
async def test_a_longer_file_later_sends_only_what_is_missing_E7(settings: Settings, topics: tuple[str, ...], tmp_path: Path) -> None:
    datas = [data for number in range(6) for data in run_of("a", number)]
    await import_events(settings, [write(tmp_path / "a.jsonl", datas[:13])])
    later = await import_events(settings, [write(tmp_path / "a.jsonl", datas)])
    assert (later.sent, later.present) == (17, 13)
    both = await texts(settings, "messages") + await texts(settings, "tool-calls")
    assert sorted(int(event[1:]) for event, _, _, _ in both) == list(range(30))


@pytest.mark.spec("E7")
async def test_the_same_ids_of_another_agent_are_other_events_E7(settings: Settings, topics: tuple[str, ...], tmp_path: Path) -> None:
    files = [write(tmp_path / f"{agent}.jsonl", run_of(agent, 0)) for agent in ("a", "b")]
    assert (await import_events(settings, files)).sent == 10
    assert [(await import_events(settings, files[:1], agent)).sent for agent in ("c", "c", "b")] == [5, 0, 0]


class LateToolCalls:
    """A real producer that gives tool calls to the broker only after a while, as one does whose connection to that partition is slow."""

    def __init__(self, settings: Settings) -> None:
        self._producer = make_producer(settings)

    async def start(self) -> None:
        await self._producer.start()

    async def stop(self) -> None:
        await self._producer.stop()

    async def send(self, topic: str, value: bytes, **arguments: Any) -> Awaitable[object]:
        if not topic.endswith("tool-calls"):
            return await self._producer.send(topic, value, **arguments)
        return asyncio.create_task(self._send_late(topic, value, arguments))

    async def _send_late(self, topic: str, value: bytes, arguments: dict[str, Any]) -> None:
        await asyncio.sleep(0.1)
        await self._producer.send_and_wait(topic, value, **arguments)


@pytest.mark.spec("E3")
async def test_a_runs_end_waits_for_its_slow_tool_calls_E3(
    settings: Settings, topics: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "make_producer", lambda settings, role: LateToolCalls(settings))
    await import_events(settings, [write(tmp_path / "a.jsonl", [data for number in range(5) for data in run_of("a", number)])])
    calls = {event: at for event, _, _, at in await texts(settings, "tool-calls")}
    ends = {event: at for event, _, kind, at in await texts(settings, "messages") if kind == "run.finished"}
    assert len(calls) == len(ends) == 5
    for event, at in ends.items():
        assert calls[f"e{int(event[1:]) - 2}"] <= at


@pytest.mark.spec("E7")
@pytest.mark.spec("O5")
async def test_a_line_that_is_no_event_makes_the_command_end_with_1_and_all_progress_ends_E7_O5(
    settings: Settings, topics: tuple[str, ...], tmp_path: Path
) -> None:
    file = write(tmp_path / "a.jsonl", run_of("a", 0))
    file.write_bytes(file.read_bytes() + b"\n{}\n")
    own = {f"LINGER_MEMORY_{name.upper()}": str(value) for name, value in settings.model_dump(exclude_none=True).items()}
    command = [sys.executable, "-m", "streams.cli.main", "import", "events", str(file)]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=60, check=False, env=os.environ | own)
    assert (done.returncode, done.stdout) == (1, "Sent: 5 events; there already: 0; agents: a\n")
    assert "1 line not sent" in done.stderr and "line 6: invalid, specversion: missing" in done.stderr
    for stage in ("reading", "comparing with what is there", "sending"):
        assert f"{stage} 100 %" in done.stderr


@pytest.mark.spec("O3")
async def test_nothing_is_sent_to_wrong_topics_O3(settings: Settings, topics: tuple[str, ...], tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", run_of("a", 0))
    with pytest.raises(TopicsWrong, match="LINGER_MEMORY_PARTITIONS=4"):
        await import_events(settings.model_copy(update={"partitions": 7}), [file])
    assert await texts(settings, "messages") == []
