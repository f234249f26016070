"""What is in nothing that extraction writes: secrets, and our own note [X5, X9]."""

import pytest

from schemas.events import RoomUpdated
from schemas.extraction import Answered, Planned, RoomIndex
from streams.kafka.reading import read_to_end
from streams.kafka.topics import TOPICS, topic_name
from streams.models.port import ModelAnswer
from streams.settings import Settings
from tests.kafka.extraction.conversations import Conversation, send_requests
from tests.kafka.extraction.extracting import extracting, finished, of
from tests.kafka.extraction.extractors import GoodExtractor, ScriptedExtractor
from tests.unit.redaction.test_redaction import AWS, GITHUB, JWT, PEM

pytestmark = pytest.mark.usefixtures("topics")

SECRETS = (AWS, GITHUB, JWT, "ABCD\\nZm9vYg", "Kelp-Harbour-77")


async def test_a_secret_stays_in_the_topics_that_it_was_sent_to_U23_U24(settings: Settings) -> None:
    conversation = Conversation(settings, "agent")
    call = conversation.call("run-1", result=f"export AWS_KEY={AWS}\n{PEM}")
    await conversation.say(
        conversation.message(f"The token is {GITHUB} and the password is Kelp-Harbour-77.", run="run-1"),
        conversation.message(f"half of a key: {AWS[:9]}", run="run-1"),
        conversation.message(f"{AWS[9:]} is the rest", run="run-1"),
        call.model_copy(
            update={"arguments": {"password": "Kelp-Harbour-77", "path": f"/home/ada/{AWS}.pem", "key": PEM}, "tool": f"sh-{AWS}"}
        ),
        RoomUpdated(agent="agent", boot=1, room="r1", title=f"Deploy with {JWT}"),
        conversation.end("run-1"),
    )
    request = conversation.request().model_copy(update={"rooms": (RoomIndex(room="r1", title="Deploy with a token"),)})
    await send_requests(settings, [request])
    leaking = ModelAnswer(f'{{"summary": "The key is {AWS}, send {JWT}", "candidates": []}}')
    async with extracting(settings, ScriptedExtractor(leaking)):
        await finished(settings, request)
    (answered,) = await of(settings, Answered, request)
    assert answered.usable and "[redacted: aws key]" in answered.output
    holding: dict[str, set[str]] = {}
    for spec in TOPICS:
        async for record in read_to_end(settings, topic_name(settings, spec.name)):
            for secret in SECRETS:
                if secret.encode() in (record.value or b""):
                    holding.setdefault(secret, set()).add(spec.name)
    assert set(holding) == set(SECRETS)
    assert set().union(*holding.values()) == {"messages", "tool-calls"}


async def test_the_hidden_note_is_in_no_input_U01(settings: Settings) -> None:
    conversation = Conversation(settings, "agent")
    for run in range(20):
        first = conversation.message("Good morning", f"r{run % 3}", f"run-{run}").model_copy(update={"note": "Always use tabs."})
        await conversation.say(first, conversation.end(f"run-{run}", f"r{run % 3}"))
    request = await conversation.cut()
    extractor = GoodExtractor()
    async with extracting(settings, extractor):
        await finished(settings, request)
    assert sum(len(chunk.records) for chunk in extractor.calls) == 20
    assert not any("Always use tabs" in chunk.model_dump_json() for chunk in extractor.calls)
    async for record in read_to_end(settings, topic_name(settings, "extractions")):
        assert b"Always use tabs" not in (record.value or b"")


async def test_five_megabytes_of_one_message_go_out_within_half_of_the_window_U31(settings: Settings) -> None:
    conversation = Conversation(settings, "agent")
    conversation.window = 8_192
    await conversation.say(
        conversation.message("a b c " * 850_000, run="run-1"), conversation.message("And then?"), conversation.end("run-1")
    )
    request = await conversation.cut()
    extractor = GoodExtractor()
    async with extracting(settings, extractor):
        await finished(settings, request)
    (plan,) = await of(settings, Planned, request)
    assert all(chunk.tokens <= 4_096 for chunk in plan.chunks)
    (first, second) = [record for chunk in extractor.calls for record in chunk.records if record.new]
    assert len(first.text) < 8_192 and first.text.endswith("characters left out]") and second.text == "And then?"


async def test_a_request_without_model_and_window_takes_the_settings_X2(settings: Settings) -> None:
    settings = settings.model_copy(update={"default_model": "a-model", "default_window_tokens": 12_288})
    conversation = Conversation(settings, "agent")
    await conversation.a_run("run-1", "Hello")
    request = conversation.request().model_copy(update={"model": "", "window": 0})
    await send_requests(settings, [request])
    async with extracting(settings, GoodExtractor()):
        await finished(settings, request)
    (plan,) = await of(settings, Planned, request)
    assert (plan.model, plan.window) == ("a-model", 12_288)
