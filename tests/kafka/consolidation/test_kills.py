"""A killed consolidator loses nothing, decides nothing twice, and comes to the same memory [A7, C7, C9]."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from schemas.memory import AgentMemory
from streams.settings import PREFIX, Settings
from tests.kafka.consolidation.consolidators import AddingConsolidator
from tests.kafka.consolidation.journal import Script, consolidating, folded_to_end, has_version, memories, said, texts, verdicts
from tests.unit.consolidation.agent_log import AgentLog, a_candidate

pytestmark = pytest.mark.usefixtures("topics")

ROOT = Path(__file__).parents[3]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"retry_first_seconds": 0.05, "outage_retry_seconds": 0.2})


def environment(settings: Settings) -> dict[str, str]:
    given = {
        "bootstrap_servers": settings.bootstrap_servers,
        "topic_prefix": settings.topic_prefix,
        "partitions": settings.partitions,
        "data_directory": settings.data_directory,
        "retry_first_seconds": settings.retry_first_seconds,
        "outage_retry_seconds": settings.outage_retry_seconds,
    }
    return {**os.environ, **{PREFIX + name.upper(): str(value) for name, value in given.items()}}


async def killed(settings: Settings, moment: str) -> None:
    """Run the worker till it has killed itself at this moment."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.kafka.consolidation.dying_process", moment, cwd=ROOT, env=environment(settings)
    )
    try:
        assert await asyncio.wait_for(process.wait(), 60) == -signal.SIGKILL, f"it never came to: {moment}"
    finally:
        if process.returncode is None:
            process.kill()


def a_history() -> Script:
    script = Script()
    script.extracted(a_candidate("c1", "Use tabs."), rejected=[a_candidate("c2", "Perhaps.")], rooms=["room-1"])
    script.idle()
    return script


def undisturbed() -> AgentMemory:
    """The same history without a process, a broker or a crash."""
    log = AgentLog()
    for record in a_history().records:
        log.append(record)
    log.revise({"op": "add", "section": "Work", "text": "Use tabs.", "candidates": ["c1"]})
    return log.memory


def what_counts(memory: AgentMemory) -> tuple[object, ...]:
    """A memory without the places of its records on the journal, which a crash may move."""
    return memory.sections, memory.summaries, memory.pending, memory.state.version, memory.state.files, memory.state.licence_used


@pytest.mark.parametrize(
    "moment",
    [
        "before consolidation.started",
        "after consolidation.started",
        "call",
        "before consolidation.answered",
        "after consolidation.answered",
        "before memory.changed",
        "after memory.changed",
    ],
)
async def test_a_killed_consolidator_loses_nothing_and_decides_once_A7_C7(settings: Settings, moment: str) -> None:
    script = a_history()
    await script.send(settings)
    await killed(settings, moment)
    async with consolidating(settings, AddingConsolidator()):
        await has_version(settings, 1)
        await folded_to_end(settings)
    assert await texts(settings) == ["Use tabs."]
    assert await verdicts(settings) == {"c1": "merged", "c2": "rejected"}
    memory = (await memories(settings))["agent"]
    tries = [record.attempt for record in await said(settings, "consolidation.started")]  # type: ignore[union-attr]
    paid = moment in ("after consolidation.started", "call", "before consolidation.answered")
    assert tries == ([1, 2] if paid else [1])  # a crash counts as a try
    assert what_counts(memory) == what_counts(undisturbed())
