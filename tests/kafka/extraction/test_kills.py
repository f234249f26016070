"""A killed worker follows its plan, pays for no usable answer twice, and loses nothing [X10, X11, A7]."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from schemas.extraction import AgentMark, Answered, Attempted, Done, ExtractionRequest, Parked, Planned, SummaryMark
from streams.settings import PREFIX, Settings
from tests.kafka.extraction.conversations import Conversation
from tests.kafka.extraction.extracting import extracting, finished, inputs, marks, of, outcome, tries
from tests.kafka.extraction.extractors import GoodExtractor

pytestmark = pytest.mark.usefixtures("topics")

ROOT = Path(__file__).parents[3]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"retry_first_seconds": 0.02, "crashes_max": 2})


def environment(settings: Settings) -> dict[str, str]:
    given = {name: value for name, value in settings.model_dump(mode="json").items() if value is not None}
    clean = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    return clean | {PREFIX + name.upper(): str(value) for name, value in given.items()}


async def killed(settings: Settings, moment: str) -> None:
    """Run the worker till it has killed itself at this moment."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.kafka.extraction.dying_process", moment, cwd=ROOT, env=environment(settings)
    )
    try:
        assert await asyncio.wait_for(process.wait(), 60) == -signal.SIGKILL, f"it never came to: {moment}"
    finally:
        if process.returncode is None:
            process.kill()


async def a_request(settings: Settings) -> tuple[Conversation, ExtractionRequest]:
    conversation = Conversation(settings, "agent")
    await conversation.a_run("run-1", "One.", "r1")
    await conversation.a_run("run-2", "Two.", "r2")
    return conversation, await conversation.cut()


@pytest.mark.parametrize(
    "moment",
    ["after extraction.planned", "after extraction.attempted", "call", "after extraction.answered", "after extraction.done", "marks"],
)
async def test_a_killed_worker_follows_its_plan_and_pays_for_no_answer_twice_X10_A7(settings: Settings, moment: str) -> None:
    conversation, request = await a_request(settings)
    await killed(settings, moment)
    [plan] = await of(settings, Planned, request)
    extractor = GoodExtractor()
    extractor.prompt = "prompt-2"  # a plan is followed, whatever has changed since
    async with extracting(settings, extractor):
        await finished(settings, request)
        await conversation.a_run("run-3", "Three.", "r1")
        following = await conversation.cut()
        await finished(settings, following)

    assert await of(settings, Planned, request) == [plan]
    assert {one.plan for one in await of(settings, Answered, request)} == {plan.id}
    tried_in_vain = moment in ("after extraction.attempted", "call")
    assert await tries(settings, request) == {"r1": [1, 2] if tried_in_vain else [1], "r2": [1]}  # a crash counts as a try
    usable = [one.chunk for one in await of(settings, Answered, request) if one.usable]
    assert sorted(usable) == sorted(chunk.id for chunk in plan.chunks)
    assert len(await of(settings, Done, request)) == 1
    assert await outcome(settings, request) == "completed"

    assert sorted((await inputs(settings, following))["r1"]) == ["Three.", "done"]
    view = await marks(settings)
    mark, summary = view["agent", "agent"], view["summary", "agent", "r1"]
    assert isinstance(mark, AgentMark) and isinstance(summary, SummaryMark)
    assert (mark.cut, mark.tool_position, len(mark.runs), len(mark.calls)) == (2, 3, 3, 3)
    assert summary.text == "+r1+r1"  # each answer rewrote it once


async def test_a_call_that_kills_its_worker_is_parked_after_bounded_crashes_X11(settings: Settings) -> None:
    _, request = await a_request(settings)
    for _ in range(settings.crashes_max):
        await killed(settings, "call")
    async with extracting(settings, GoodExtractor()):
        await finished(settings, request)
    assert await tries(settings, request) == {"r1": [1, 2], "r2": [1]}
    assert len(await of(settings, Parked, request)) == 1
    assert len(await of(settings, Attempted, request)) == 3
    assert await outcome(settings, request) == "partly"
