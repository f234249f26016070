"""Workers that come and go: no request is lost, none is done twice [A7, X10]."""

import pytest
import structlog

from schemas.extraction import Done, ExtractionRequest, Planned
from streams.settings import Settings
from tests.kafka.extraction.conversations import Conversation
from tests.kafka.extraction.extracting import extracting, finished, marks, of, outcome, tries
from tests.kafka.extraction.extractors import GoodExtractor, HeldExtractor
from tests.kafka.producing import until

pytestmark = pytest.mark.usefixtures("topics")


async def test_a_worker_that_joins_and_one_that_leaves_lose_and_double_nothing_A7(settings: Settings) -> None:
    """Calls are in work when the second worker comes; later it leaves."""
    settings = settings.model_copy(update={"retry_first_seconds": 0.02})
    conversations = [Conversation(settings, f"agent-{number}") for number in range(8)]
    assert len({conversation.partition for conversation in conversations}) > 1
    asked: list[ExtractionRequest] = []

    async def ask() -> None:
        for conversation in conversations:
            await conversation.a_run(f"run-{conversation.cuts}", "Words.")
            asked.append(await conversation.cut())

    await ask()
    extractor = HeldExtractor()
    with structlog.testing.capture_logs() as logs:
        async with extracting(settings, extractor):
            await until(lambda: bool(extractor.running), "work in hand")
            async with extracting(settings.model_copy(update={"instance": "1"}), GoodExtractor()):
                await ask()
                # The call in hand is given up after a bounded time; its partition may be either worker's then.
                await until(lambda: any(line["event"] == "work ended" for line in logs), "the first worker to have given up")
                extractor.go.set()
                await finished(settings, *asked)
            await ask()
            await finished(settings, *asked)  # the membership is static: they are taken over after the session's time-out
    assert any(line.get("given_up") for line in logs)
    for request in asked:
        assert len(await of(settings, Planned, request)) == 1
        assert len(await of(settings, Done, request)) == 1
        assert await outcome(settings, request) == "completed"
        assert len((await tries(settings, request))["r1"]) <= 2
    assert len([key for key in await marks(settings) if key[0] == "agent"]) == 8
