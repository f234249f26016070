"""From events in Kafka to files and notes: whole, under kills, and without a secret on the way [O1, A7, X9, R1]."""

import asyncio
import os
import signal
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from streams.importers.events import import_events
from streams.kafka.topics import all_topics, topic_name
from streams.serve.notes import give
from streams.settings import Settings, load_settings
from streams.supervision.pipeline import Running, running
from tests.kafka.producing import send, until
from tests.kafka.whole_pipeline import Watch, copies, feed, files_of, tick, until_settled, watching

SECRETS = (b"AKIAQ3VX7LT2MWZ9RKDP", b"tide-Lantern-8841")
STANDING_RULE = tuple(sorted((Path(__file__).parents[1] / "material" / "standing_rule").glob("*.jsonl")))


def settings_for(broker: str, folder: Path) -> Settings:
    return load_settings(
        bootstrap_servers=broker,
        topic_prefix=f"t{uuid.uuid4().hex[:8]}.",
        partitions=4,
        data_directory=folder / "data",
        workspaces_directory=folder / "workspaces",
        idle_after_seconds=1_800.0,
        run_timeout_seconds=21_600.0,
        tick_every_seconds=60.0,
        session_timeout_seconds=6.0,
        instance="0",
    )


@dataclass(frozen=True)
class Undisturbed:
    """A run that nothing has disturbed, with the standing rule's agent besides; its broker still runs."""

    settings: Settings
    files: dict[str, bytes]
    """Of one agent; all of them have the same transcripts."""


@pytest.fixture(scope="module")
def undisturbed(broker: str, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    folder = tmp_path_factory.mktemp("undisturbed")
    settings = settings_for(broker, folder)
    first, second = copies(folder / "events", ["piet"])

    async def run() -> None:
        async with running(settings, print):
            with watching(settings) as watch:
                await feed(settings, watch, first, ["piet"], 2)
                await feed(settings, watch, second, ["piet"], 4)
                await send(settings, topic_name(settings, "messages"), b'{"text": "' + SECRETS[0] + b" " + SECRETS[1], key=b"piet")
                assert (await import_events(settings, STANDING_RULE)).sent > 0
                await until(lambda: "agent-wren" in watch.agents("memory-candidates", "request.done", 2), "the rule's requests", 60)
                await tick(settings, 6)
                await until_settled(settings, ["agent-wren"], 2)

    asyncio.run(run())
    return Undisturbed(settings, files_of(settings, "piet"))


@pytest.mark.spec("R1")
def test_a_rule_taught_in_one_room_stands_in_the_note_of_another_R1(undisturbed: Undisturbed) -> None:
    """The transcripts were written without sight of the cues of the `rules` side."""
    note = asyncio.run(give(undisturbed.settings, "agent-wren", "room-trade-fair", "fair-2", 0))
    assert note is not None
    assert "prices including VAT" in note.text


@pytest.mark.spec("X9")
def test_a_secret_stays_where_it_was_sent_X9(undisturbed: Undisturbed, broker_logs: Path) -> None:
    """It is searched for in the broker's own log segments, in files, and in logs; first it is found where it was sent."""
    settings = undisturbed.settings
    holding: dict[str, set[bytes]] = {secret.decode(): set() for secret in SECRETS}
    searched = 0
    for segment in sorted(broker_logs.rglob("*.log")):
        content = segment.read_bytes()
        topic = segment.parent.name.rpartition("-")[0]
        searched += len(content) if topic.startswith(settings.topic_prefix) else 0
        for secret in SECRETS:
            if secret in content and topic.startswith(settings.topic_prefix):
                holding[secret.decode()].add(topic.removeprefix(settings.topic_prefix).encode())
    assert searched > 50_000
    assert holding == {secret.decode(): {b"messages", b"tool-calls"} for secret in SECRETS}
    topics = {path.name.rpartition("-")[0] for path in broker_logs.iterdir() if path.name.startswith(settings.topic_prefix)}
    assert topics >= {topic_name(settings, spec.name) for spec in all_topics()}

    files = [path for path in settings.data_directory.parent.rglob("*") if path.is_file() and path.parent.name != "events"]
    assert any(path.name == "MEMORY.md" for path in files)
    assert any(path.suffix == ".jsonl" and path.parent.name == "logs" for path in files)
    assert [path for path in files if any(secret in path.read_bytes() for secret in SECRETS)] == []


class Killer:
    """Kills roles of a running pipeline, and notes how much of the work was done then."""

    def __init__(self, pipeline: Running, agents: Sequence[str]) -> None:
        self._processes = {child.name: child for child in pipeline.children}
        self._agents = agents
        self.at: list[tuple[str, int]] = []

    async def kill(self, role: str, watch: Watch, topic: str, kind: str, cut: int = 0) -> None:
        """Kill the role as soon as the first of these records is there; the work of the other agents is still to be done."""
        await until(lambda: bool(watch.agents(topic, kind, cut)), f"the first {kind}", 60)
        done = len(watch.agents(topic, kind, cut))
        process = self._processes[role].process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        self.at.append((role, done))
        print(f"killed {role}, process {process.pid}: {done} of {len(self._agents)} agents had {kind} of cut {cut} or later")
        assert done < len(self._agents), "nothing was in flight at the kill"


@pytest.mark.spec("A7")
@pytest.mark.timeout(400)
def test_a_sigkill_of_each_role_in_mid_work_changes_no_byte_of_the_files_A7(undisturbed: Undisturbed, broker: str, tmp_path: Path) -> None:
    agents = [f"piet-{number:02d}" for number in range(12)]
    settings = settings_for(broker, tmp_path)
    first, second = copies(tmp_path / "events", agents)

    async def run() -> list[tuple[str, int]]:
        async with running(settings, print) as pipeline:
            killer = Killer(pipeline, agents)
            with watching(settings) as watch:

                async def activity(watch: Watch) -> None:
                    await killer.kill("activity", watch, "extraction-requests", "extraction.request")

                async def extraction(watch: Watch) -> None:
                    await killer.kill("extraction", watch, "extractions", "extraction.answered", 2)

                async def candidates(watch: Watch) -> None:
                    await killer.kill("activity", watch, "memory-candidates", "request.done", 3)

                async def consolidation(watch: Watch) -> None:
                    await killer.kill("consolidation", watch, "memory-candidates", "memory.changed")

                async def workspaces(watch: Watch) -> None:
                    os.kill(pid_of(pipeline, "workspaces"), signal.SIGKILL)

                await feed(settings, watch, first, agents, 2, while_sending=activity, while_deciding=consolidation)
                await feed(
                    settings, watch, second, agents, 4, while_sending=extraction, while_extracting=candidates, while_writing=workspaces
                )
            return killer.at

    killed = asyncio.run(run())
    assert [role for role, _ in killed] == ["activity", "consolidation", "extraction", "activity"]
    for agent in agents:
        assert renamed(files_of(settings, agent)) == renamed(undisturbed.files)


def pid_of(pipeline: Running, role: str) -> int:
    process = next(child for child in pipeline.children if child.name == role).process
    assert process is not None
    return process.pid


def renamed(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files without the bookkeeping beside them, which names the agent."""
    return {path: content for path, content in files.items() if "/agent-memory/" in path}
