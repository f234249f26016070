"""One worker on a real broker: what it records, in which order, and what it never does twice [X1, X10, X11, A5]."""

import asyncio

import pytest
import structlog

from schemas.codec import encode
from schemas.events import Author, AuthorKind, Context, MessageDeleted, MessageEdited, MessagePosted
from schemas.extraction import AgentMark, Answered, Attempted, ChunkInput, ExtractionRequest, Failed, Parked, Planned, SummaryMark
from streams.kafka.reading import read_to_end
from streams.kafka.topics import topic_name
from streams.models.port import ModelAnswer, ModelFault
from streams.settings import Settings
from tests.kafka.extraction.conversations import Conversation, send_requests
from tests.kafka.extraction.extracting import extracting, finished, inputs, marks, of, outcome, records, tries, types
from tests.kafka.extraction.extractors import (
    GoodExtractor,
    HeldExtractor,
    MeanwhileExtractor,
    OverloadedExtractor,
    ScriptedExtractor,
    an_answer,
)
from tests.kafka.producing import send, until

pytestmark = pytest.mark.usefixtures("topics")


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"retry_first_seconds": 0.02})


async def test_a_request_is_planned_tried_answered_and_done_in_that_order_X10(settings: Settings) -> None:
    conversation = Conversation(settings, "agent")
    await conversation.a_run("run-1", "Always use tabs.", "r1")
    await conversation.a_run("run-2", "We deploy on Mondays.", "r2")
    request = await conversation.cut()
    async with extracting(settings, GoodExtractor()):
        await finished(settings, request)
    assert await types(settings, request) == ["planned", "attempted", "answered", "attempted", "answered", "done"]
    assert await outcome(settings, request) == "completed"
    assert await inputs(settings, request) == {"r1": ["Always use tabs.", "done"], "r2": ["We deploy on Mondays.", "done"]} or (
        await inputs(settings, request) == {"r1": ["done", "Always use tabs."], "r2": ["done", "We deploy on Mondays."]}
    )
    view = await marks(settings)
    mark, summary = view["agent", "agent"], view["summary", "agent", "r1"]
    assert isinstance(mark, AgentMark) and isinstance(summary, SummaryMark)
    assert (mark.cut, mark.tool_position, len(mark.runs), len(mark.calls)) == (1, 2, 2, 2)
    assert summary.text == "+r1" and len(summary.tail) == 2


async def test_what_is_read_is_the_agents_own_room_conversations_as_they_are_now_X1_A2(settings: Settings) -> None:
    one, other = Conversation(settings, "agent"), Conversation(settings, "another")
    other.partition = one.partition  # beside it in the log
    await other.a_run("run-1", "Words of another agent.")
    edited, deleted = await one.say(one.message("First words."), one.message("Words to forget."))
    await one.say(
        MessagePosted(agent="agent", boot=1, room="r1", author=Author(kind=AuthorKind.SYSTEM, id="s"), text="System words."),
        MessagePosted(agent="agent", boot=1, room="r1", context=Context.TASK, author=one.message("").author, text="Words in a task."),
        MessageEdited(agent="agent", boot=1, room="r1", message=edited.id, text="Newest words."),
        MessageDeleted(agent="agent", boot=1, room="r1", message=deleted.id),
        one.call("run-of-nobody", result="Call of a run that is not asked for."),
        one.call("run-1", result="Result."),
        one.message("Last words.", run="run-1"),
        one.end("run-1"),
    )
    request = await one.cut()
    async with extracting(settings, GoodExtractor()):
        await finished(settings, request)
        await one.a_run("run-2", "Second cut.")
        second = await one.cut()
        await finished(settings, second)
    assert (await inputs(settings, request))["r1"] == ["Newest words.", "Last words.", "Result."]
    assert (await inputs(settings, second))["r1"] == ["Second cut.", "done"]
    [answered] = await of(settings, Answered, second)
    assert {record.text for record in answered.input.records if not record.new} == {"Newest words.", "Last words.", "Result."}
    assert answered.input.summary == "+r1"


async def test_nothing_to_read_is_a_plan_without_chunks_and_a_success_X10(settings: Settings) -> None:
    conversation = Conversation(settings, "agent")
    await conversation.say(conversation.end("run-1"))
    request = await conversation.cut()
    async with extracting(settings, GoodExtractor()):
        await finished(settings, request)
    assert await types(settings, request) == ["planned", "done"]
    assert await outcome(settings, request) == "completed"


async def test_a_slow_call_causes_no_rebalance_and_one_agent_has_one_request_in_work_X11(settings: Settings) -> None:
    one, two = Conversation(settings, "agent-1"), Conversation(settings, "agent-2")
    asked: list[ExtractionRequest] = []
    for conversation in (one, one, two):
        await conversation.a_run(f"run-{len(asked)}", "Words.")
        asked.append(await conversation.cut())
    extractor, loop = HeldExtractor(), asyncio.get_running_loop()
    with structlog.testing.capture_logs() as logs:
        async with extracting(settings, extractor):
            await until(lambda: len(extractor.running) == 2, "a call of each agent")
            began = loop.time()
            await until(lambda: loop.time() > began + 1.3 * settings.session_timeout_seconds, "more than the session's time-out")
            assert sorted(extractor.running) == ["agent-1", "agent-2"]
            extractor.go.set()
            await finished(settings, *asked)
    assert [await types(settings, request) for request in asked] == [["planned", "attempted", "answered", "done"]] * 3
    assert sum(line["event"] == "partitions assigned" for line in logs) == 1


async def test_a_call_after_its_plan_goes_into_the_next_plan_as_late_and_only_once_A5(settings: Settings) -> None:
    conversation = Conversation(settings, "agent")
    await conversation.a_run("run-1", "One.")
    asked = [await conversation.cut()]
    async with extracting(settings, GoodExtractor()):
        await finished(settings, asked[0])
        [late] = await conversation.say(conversation.call("run-1", result="Too late."))
        for number in (2, 3):
            await conversation.send([late] if number == 3 else [])  # sent again, at a new offset
            await conversation.a_run(f"run-{number}", f"Cut {number}.")
            asked.append(await conversation.cut())
            await finished(settings, asked[-1])
    late_in = [
        [(record.text, record.id) for one in await of(settings, Answered, request) for record in one.input.records if record.late]
        for request in asked
    ]
    assert late_in == [[], [("Too late.", late.id)], []]


async def test_a_late_call_waits_for_a_plan_of_its_room_A5(settings: Settings) -> None:
    conversation = Conversation(settings, "agent")
    await conversation.a_run("run-1", "One.", "r1")
    asked = [await conversation.cut()]
    async with extracting(settings, GoodExtractor()):
        await finished(settings, asked[0])
        await conversation.say(conversation.call("run-1", "r1", result="Too late."))
        for number, room in ((2, "r2"), (3, "r1")):
            await conversation.a_run(f"run-{number}", f"Cut {number}.", room)
            asked.append(await conversation.cut())
            await finished(settings, asked[-1])
    assert "Too late." not in str(await inputs(settings, asked[1]))
    assert "Too late." in (await inputs(settings, asked[2]))["r1"]


async def test_a_model_that_always_fails_costs_bounded_tries_and_stops_nobody_U26_U35(settings: Settings) -> None:
    failing, wordy = Conversation(settings, "agent-1"), Conversation(settings, "agent-2")
    await failing.a_run("run-1", "One.", "r1")
    await failing.a_run("run-2", "Two.", "r2")
    first = await failing.cut()
    await wordy.a_run("run-1", "One.")
    second = await wordy.cut()
    extractor = OverloadedExtractor("agent-1", "r1")
    async with extracting(settings, extractor):
        await finished(settings, first, second)
        await failing.a_run("run-3", "Three.", "r1")
        third = await failing.cut()
        await finished(settings, third)
    assert await tries(settings, first) == {"r1": [1, 2, 3], "r2": [1]}
    assert await outcome(settings, first) == "partly"
    assert [one.fault for one in await of(settings, Failed, first)] == ["overloaded"] * 3
    assert len(await of(settings, Parked, first)) == 1
    assert await outcome(settings, second) == "completed"
    assert await outcome(settings, third) == "failed"


async def test_an_unusable_answer_is_recorded_as_such_and_tried_again_X10_U35(settings: Settings) -> None:
    conversation = Conversation(settings, "agent")
    await conversation.a_run("run-1", "One.")
    request = await conversation.cut()
    secret = "ghp_" + "A1b2C3d4" * 5
    extractor = ScriptedExtractor(ModelAnswer('{"summary": "half', stop_reason="max_tokens"), ModelAnswer(f"I can't. {secret}"))
    async with extracting(settings, extractor):
        await finished(settings, request)
    answers = await of(settings, Answered, request)
    assert [(one.usable, one.fault) for one in answers] == [(False, "cut off"), (False, "wrong shape"), (True, "")]
    assert secret not in answers[1].output
    assert await outcome(settings, request) == "completed"


async def test_an_answer_that_says_it_is_none_is_not_asked_for_again_X14(settings: Settings) -> None:
    conversation = Conversation(settings, "agent")
    await conversation.a_run("run-1", "Eins.")
    request = await conversation.cut()
    async with extracting(settings, ScriptedExtractor(ModelAnswer("", fault="no result: the cues cover English only"))):
        await finished(settings, request)
    assert await types(settings, request) == ["planned", "attempted", "answered", "done"]
    assert await outcome(settings, request) == "failed"


async def test_a_request_that_cant_be_planned_fails_and_the_next_one_goes_on_X11(settings: Settings) -> None:
    conversation = Conversation(settings, "agent")
    await conversation.a_run("run-1", "One.")
    conversation.window = 64
    request = await conversation.cut()
    await conversation.a_run("run-2", "Two.")
    conversation.window = 32_768
    following = await conversation.cut()
    async with extracting(settings, GoodExtractor()):
        await finished(settings, following)
    assert await types(settings, request) == ["planned", "done"]
    assert await outcome(settings, request) == "failed"
    assert await outcome(settings, following) == "completed"


async def test_a_plan_too_large_for_the_broker_fails_its_request_and_the_next_one_goes_on_X11(settings: Settings) -> None:
    settings = settings.model_copy(update={"max_event_bytes": 8_192})
    conversation = Conversation(settings, "agent")
    await conversation.say(*(conversation.message("Hm.") for _ in range(300)))
    large = await conversation.cut()
    await conversation.a_run("run-1", "Always use tabs.")
    small = await conversation.cut()
    async with extracting(settings, GoodExtractor()):
        await finished(settings, large, small)
    assert await types(settings, large) == ["planned", "done"]
    assert [await outcome(settings, request) for request in (large, small)] == ["failed", "completed"]


async def test_a_fault_that_will_not_pass_is_not_tried_again_X11(settings: Settings) -> None:
    conversation = Conversation(settings, "agent")
    await conversation.a_run("run-1", "One.")
    request = await conversation.cut()
    async with extracting(settings, ScriptedExtractor(ModelFault("no such model", transient=False))):
        await finished(settings, request)
    assert await types(settings, request) == ["planned", "attempted", "failed", "parked", "done"]


async def test_a_repeated_request_and_a_broken_one_change_nothing_E6_E9(settings: Settings) -> None:
    conversation = Conversation(settings, "agent")
    await conversation.a_run("run-1", "One.")
    first = await conversation.cut()
    topic = topic_name(settings, "extraction-requests")
    async with extracting(settings, GoodExtractor()):
        await finished(settings, first)
        before = await records(settings)
        await send_requests(settings, [first])
        await send(settings, topic, b"{", key=b"agent", partition=conversation.partition)
        await send(settings, topic, None, key=b"agent", partition=conversation.partition)
        await conversation.a_run("run-2", "Two.")
        second = await conversation.cut()
        await finished(settings, second)
    assert [one for one in await records(settings) if one.cut == 1] == before
    dead = [record async for record in read_to_end(settings, topic_name(settings, "dead-letters"))]
    assert len(dead) == 2


async def test_the_first_plan_and_the_first_answer_count_whoever_recorded_them_X10(settings: Settings) -> None:
    """A zombie's plan stands before the request is taken, and its answer comes during the call."""
    conversation = Conversation(settings, "agent")
    await conversation.a_run("run-1", "One.")
    request = conversation.request()
    extractions = topic_name(settings, "extractions")
    async with extracting(settings, GoodExtractor()):
        await send_requests(settings, [request])
        await finished(settings, request)
    [plan] = await of(settings, Planned, request)
    [attempt] = await of(settings, Attempted, request)

    second = Conversation(settings, "agent-2")
    await second.a_run("run-1", "Two.")
    asked = second.request()
    foreign = plan.model_copy(
        update={
            "agent": "agent-2",
            "request": asked.id,
            "id": "foreign-plan",
            "chunks": tuple(
                chunk.model_copy(
                    update={
                        "id": "foreign-chunk",
                        "records": tuple(
                            one.model_copy(update={"offset": asked.interval.first if one.kind == "message" else asked.tool_spans[0].first})
                            for one in chunk.records
                        ),
                    }
                )
                for chunk in plan.chunks
            ),
        }
    )
    key, partition = b"agent-2", second.partition
    await send(settings, extractions, encode(foreign), key=key, partition=partition)

    async def answered_by_another(chunk: ChunkInput) -> None:
        answer = Answered(
            agent="agent-2",
            request=asked.id,
            cut=1,
            plan="foreign-plan",
            chunk="foreign-chunk",
            room="r1",
            ordinal=0,
            attempt=1,
            model="model-1",
            extractor="good",
            prompt="prompt-1",
            input=chunk,
            output=an_answer(chunk, "first"),
            stop_reason="end_turn",
            usage=ModelAnswer("").usage,
            usable=True,
            at=attempt.at,
        )
        await send(settings, extractions, encode(answer), key=key, partition=partition)

    await send_requests(settings, [asked])
    async with extracting(settings, MeanwhileExtractor(answered_by_another)):
        await finished(settings, asked)
    assert len(await of(settings, Planned, asked)) == 1
    summary = (await marks(settings))["summary", "agent-2", "r1"]
    assert isinstance(summary, SummaryMark) and summary.text == "first"


async def test_a_worker_that_is_stopped_ends_its_call_and_leaves_the_rest_O2(settings: Settings) -> None:
    conversation = Conversation(settings, "agent")
    await conversation.a_run("run-1", "One.", "r1")
    await conversation.a_run("run-2", "Two.", "r2")
    request = await conversation.cut()
    extractor = HeldExtractor()
    async with extracting(settings, extractor):
        await until(lambda: bool(extractor.running), "the call")
        asyncio.get_running_loop().call_later(0.3, extractor.go.set)
    assert await types(settings, request) == ["planned", "attempted", "answered"]
    async with extracting(settings, GoodExtractor()):
        await finished(settings, request)
    assert await tries(settings, request) == {"r1": [1], "r2": [1]}
