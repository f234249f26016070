"""The consolidator on a real broker [C1, C2, C7, C9, C13, T1, A6]."""

import asyncio

import pytest
from aiokafka.errors import KafkaError

from schemas.codec import DeadLetterClass, encode, encode_key
from schemas.dead_letters import DeadLetter
from schemas.events import WorkspaceAttached
from schemas.journal import AgentIdle, MemoryChanged
from schemas.memory import LicenceKind
from schemas.operations import Ending, EndLine
from streams.kafka.reading import read_to_end
from streams.kafka.topics import topic_name
from streams.models.port import ModelAnswer, ModelFault
from streams.settings import Settings
from tests.kafka.consolidation.consolidators import (
    AddingConsolidator,
    DeletingConsolidator,
    ForbiddenConsolidator,
    ScriptedConsolidator,
    SlowConsolidator,
)
from tests.kafka.consolidation.journal import (
    Script,
    consolidating,
    decisions,
    delete_and_create,
    eventually,
    folded_to_end,
    has_version,
    journal,
    memories,
    projection,
    said,
    send_journal,
    texts,
    verdicts,
)
from tests.kafka.producing import send
from tests.unit.consolidation.agent_log import BEGINNING, a_candidate

pytestmark = pytest.mark.usefixtures("topics")


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"retry_first_seconds": 0.05, "retry_most_seconds": 0.1, "outage_retry_seconds": 0.2})


async def test_with_a_licence_candidates_become_memory_and_decisions_and_without_one_nothing_happens_C2(settings: Settings) -> None:
    script, model = Script(), AddingConsolidator()
    script.extracted(a_candidate("c1", "Use tabs."), rejected=[a_candidate("c2", "Perhaps.")], rooms=["room-1"])
    async with consolidating(settings, model):
        await script.send(settings)
        await folded_to_end(settings)
        assert not model.calls and not await decisions(settings) and len(await journal(settings)) == len(script.records)
        script.busy()
        script.idle()
        await script.send(settings)
        await folded_to_end(settings)
        assert not model.calls  # a run is open
        script.busy(False)
        await script.send(settings)
        await has_version(settings, 1)
    assert await texts(settings) == ["Use tabs."]
    assert await verdicts(settings) == {"c1": "merged", "c2": "rejected"}
    assert len(model.calls) == 1 and [c.id for c in model.calls[0].candidates] == ["c1"]
    own = [record.type for record in await journal(settings) if record.type.startswith(("consolidation", "memory"))]
    assert own == ["consolidation.started", "consolidation.answered", "memory.changed"]


async def test_two_days_of_licences_with_nothing_new_make_no_call_and_change_nothing_U27(settings: Settings) -> None:
    script, model = Script(), AddingConsolidator()
    script.extracted(a_candidate("c1", "Use tabs."), rooms=["room-1"])
    script.idle()
    async with consolidating(settings, model):
        await script.send(settings)
        await has_version(settings, 1)
        before = (await memories(settings))["agent"]
        for hour in range(48):
            script.busy()
            script.busy(False)
            script.idle(kind=list(LicenceKind)[hour % 4])
        await script.send(settings)
        await folded_to_end(settings)
        after = (await memories(settings))["agent"]
    assert len(model.calls) == 1
    assert (after.sections, after.summaries, after.state.version) == (before.sections, before.summaries, 1)


async def test_a_candidate_that_arrives_during_a_slow_call_is_in_the_next_step_U36(settings: Settings) -> None:
    script, model = Script(), SlowConsolidator()
    script.extracted(a_candidate("c1", "Use tabs."))
    script.idle()
    async with consolidating(settings, model):
        await script.send(settings)
        await asyncio.wait_for(model.asked.wait(), 30)
        script.extracted(a_candidate("c2", "Never deploy on Fridays."))
        script.idle()
        await script.send(settings)
        await folded_to_end(settings)  # the fold goes on meanwhile
        assert "c2" in (await memories(settings))["agent"].pending
        model.go.set()
        await has_version(settings, 2)
    assert [[c.id for c in call.candidates] for call in model.calls] == [["c1"], ["c2"]]
    assert await texts(settings) == ["Use tabs.", "Never deploy on Fridays."]
    assert await verdicts(settings) == {"c1": "merged", "c2": "merged"}


REJECT = '{"operations": [{"op": "reject", "candidates": ["c1"], "reason": "no"}]}'


async def test_each_thing_is_said_once_whatever_else_comes_meanwhile_C9(settings: Settings) -> None:
    script, model = Script(), AddingConsolidator()
    decided = asyncio.Event()

    async def disturb() -> None:
        number = 0
        while not decided.is_set():
            number += 1
            script.forwarded(WorkspaceAttached(agent="agent", boot=1, workspace="w", path=f"path-{number}"))
            await script.send(settings)

    async with consolidating(settings, model):
        disturbance = asyncio.create_task(disturb())
        for turn in range(3):
            script.extracted(a_candidate(f"c{turn}", f"Keep the {('apples', 'bears', 'cedars')[turn]}."))
            script.idle()
            await has_version(settings, turn + 1)
        decided.set()
        await disturbance
    own = [record.type for record in await journal(settings) if record.type.startswith(("consolidation", "memory"))]
    assert own == ["consolidation.started", "consolidation.answered", "memory.changed"] * 3


async def test_garbage_changes_nothing_and_is_recorded_as_failed_U13(settings: Settings) -> None:
    garbage = [ModelAnswer(text) for text in ("", " \n", "{}", '{"operations": [{"op": "add", "sec')]
    garbage += [ModelAnswer('{"operations": []}'), ModelAnswer(REJECT, stop_reason="max_tokens"), ModelAnswer("", fault="no result")]
    script, model = Script(), ScriptedConsolidator(*garbage)
    script.extracted(a_candidate("c1", "Use tabs."))
    script.idle()
    async with consolidating(settings.model_copy(update={"attempts_max": 20}), model):
        await script.send(settings)
        await has_version(settings, 1)
    answered, failed = await said(settings, "consolidation.answered"), await said(settings, "consolidation.failed")
    assert [record.usable for record in answered] == [False] * len(garbage) + [True]  # type: ignore[union-attr]
    assert [record.attempt for record in failed] == list(range(1, len(garbage) + 1))  # type: ignore[union-attr]
    assert len(await said(settings, "memory.changed")) == 1
    assert (await texts(settings), await verdicts(settings)) == (["Use tabs."], {"c1": "merged"})


async def test_an_outage_has_bounded_tries_and_is_tried_again_under_the_same_licence_U26(settings: Settings) -> None:
    slow = settings.model_copy(update={"attempts_max": 2, "outage_retry_seconds": 3_600.0})
    script, model = Script(), ScriptedConsolidator(*[ModelFault("overloaded", transient=True)] * 2)
    script.extracted(a_candidate("c1", "Use tabs."))
    script.idle()
    async with consolidating(slow, model):
        await script.send(settings)
        await eventually(lambda: has_said(settings, "consolidation.failed", 2), "two failures")
        await folded_to_end(settings)
    assert len(model.calls) == 2 and not await decisions(settings)
    state = (await memories(settings))["agent"].state
    assert state.step is not None and (state.step.attempts, state.licence_used) == (2, 0)
    async with consolidating(settings, model):  # tries are counted over the restart, and the licence still stands
        await has_version(settings, 1)
    started = await said(settings, "consolidation.started")
    assert [record.attempt for record in started] == [1, 2, 3]  # type: ignore[union-attr]
    assert len({record.step for record in started}) == 1  # type: ignore[union-attr]
    assert await texts(settings) == ["Use tabs."]


async def has_said(settings: Settings, kind: str, count: int) -> bool:
    return len(await said(settings, kind)) >= count


async def test_delete_all_is_refused_on_the_journal_U12(settings: Settings) -> None:
    script, model = Script(), DeletingConsolidator()
    script.extracted(*(a_candidate(f"c{n}", f"Keep the {name}.") for n, name in enumerate(("apples", "bears", "cedars", "drums"))))
    script.idle()
    async with consolidating(settings, model):
        await script.send(settings)
        await has_version(settings, 1)
        script.extracted(a_candidate("x", "Bread is baked at noon.", minute=9))
        script.idle()
        await script.send(settings)
        await has_version(settings, 2)
    assert len(await texts(settings)) == 4
    changed = (await said(settings, "memory.changed"))[-1]
    assert len(changed.refused) == 4  # type: ignore[union-attr]


async def test_new_boot_between_extraction_and_consolidation_still_merges_what_is_pending_U49(settings: Settings) -> None:
    script, model = Script(), AddingConsolidator()
    script.extracted(a_candidate("c1", "Use tabs."))
    script.busy()
    async with consolidating(settings, model):
        await script.send(settings)
        await folded_to_end(settings)
    script.busy(False)  # the new boot ends the run that was open
    script.idle()
    async with consolidating(settings, model):
        await script.send(settings)
        await has_version(settings, 1)
    assert await texts(settings) == ["Use tabs."]


async def test_an_older_writer_is_fenced_and_writes_nothing_more_C1(settings: Settings) -> None:
    script, old_model, model = Script(), SlowConsolidator(), AddingConsolidator()
    script.extracted(a_candidate("c1", "Use tabs."))
    script.idle()
    async with consolidating(settings, old_model) as older:
        await script.send(settings)
        await asyncio.wait_for(old_model.asked.wait(), 30)
        async with consolidating(settings, model):
            await has_version(settings, 1)
            count = len(await journal(settings))
            old_model.go.set()  # the older one's call ends now
            await asyncio.wait([older], timeout=30)
            assert isinstance(older.exception(), KafkaError)  # ProducerFenced, or what the broker says when it is at its end already
            await folded_to_end(settings)
            assert len(await journal(settings)) == count
    assert (await texts(settings), await verdicts(settings)) == (["Use tabs."], {"c1": "merged"})


async def test_poison_is_a_dead_letter_and_the_others_go_on_C13(settings: Settings) -> None:
    topic = topic_name(settings, "memory-candidates")
    script, other, model = Script(), Script("other"), AddingConsolidator()
    script.extracted(a_candidate("c1", "Use tabs."))
    other.extracted(a_candidate("c2", "Never deploy on Fridays."))
    poison = MemoryChanged(
        agent="agent",
        step="step",
        base=1_000,
        operations=(EndLine(line="l77", how=Ending.DROPPED),),
        decisions=(),
        version=1,
        window=200_000,
        render_format=1,
        files={},
        at=BEGINNING,
    )
    async with consolidating(settings, model):
        await script.send(settings)
        for value in (b"{", b"\xff", None, b'{"type": "unheard.of", "agent": "agent"}'):
            await send(settings, topic, value, key=b"agent", partition=0)
        await send_journal(settings, [poison])
        other.idle()
        await other.send(settings)
        await has_version(settings, 1, "other")
    assert await texts(settings, "other") == ["Never deploy on Fridays."]
    letters = await dead_letters(settings)
    assert len(letters) == 5 and letters[-1].reason is DeadLetterClass.SKIPPED
    assert len({str(letter.position) for letter in letters}) == 5
    (skip,) = await said(settings, "fold.skipped")
    assert (skip.agent, skip.offset) == ("agent", letters[-1].position.offset)  # type: ignore[union-attr]
    before = await projection(settings)
    await delete_and_create(settings, "memory", "decisions")
    async with consolidating(settings, ForbiddenConsolidator()):
        await folded_to_end(settings)
    assert len(await said(settings, "fold.skipped")) == 1  # honoured, not said again
    assert without_position(await projection(settings)) == without_position(before)


async def dead_letters(settings: Settings) -> list[DeadLetter]:
    topic = topic_name(settings, "dead-letters")
    return [DeadLetter.model_validate_json(r.value) async for r in read_to_end(settings, topic, isolation="read_committed") if r.value]


def without_position(view: dict[bytes, bytes]) -> dict[bytes, bytes]:
    return {key: value for key, value in view.items() if key != encode_key(["main", "position"])}


async def a_busy_history(settings: Settings, model: AddingConsolidator) -> None:
    """Three agents, several revisions each."""
    scripts = [Script(f"agent-{number}") for number in range(3)]
    async with consolidating(settings, model):
        for turn in range(3):
            for script in scripts:
                name = f"{script.agent}-{turn}"
                script.extracted(
                    a_candidate(name, f"Keep the {('apples', 'bears', 'cedars')[turn]}.", minute=turn),
                    rejected=[a_candidate(f"{name}-no", "Perhaps.")],
                    rooms=[f"room-{turn}", "room-9"],
                )
                script.idle()
                await script.send(settings)
            for script in scripts:
                await has_version(settings, turn + 1, script.agent)


async def test_a_rebuild_makes_no_call_and_gives_the_same_projection_byte_for_byte_T1(settings: Settings) -> None:
    await a_busy_history(settings, AddingConsolidator())
    before, decided, said_before = await projection(settings), await decisions(settings), len(await journal(settings))
    await delete_and_create(settings, "memory", "decisions")
    small_batches = settings.model_copy(update={"batch_records_max": 3})
    async with consolidating(small_batches, ForbiddenConsolidator()):
        await folded_to_end(settings)
    assert without_position(await projection(settings)) == without_position(before)
    assert sorted(map(encode, await decisions(settings))) == sorted(map(encode, decided))
    assert len(await journal(settings)) == said_before


async def test_a_rebuild_of_the_projection_alone_decides_nothing_twice_T1(settings: Settings) -> None:
    await a_busy_history(settings, AddingConsolidator())
    decided = len(await decisions(settings))
    await delete_and_create(settings, "memory")
    async with consolidating(settings, ForbiddenConsolidator()):
        await folded_to_end(settings)
    assert len(await decisions(settings)) == decided


async def test_a_licence_may_come_before_the_end_of_its_requests_A6(settings: Settings) -> None:
    script, model = Script(), AddingConsolidator()
    script.extracted(a_candidate("c1", "Use tabs."))
    *candidates, done = script.records
    licence = AgentIdle(agent="agent", origin=script.from_input(), number=1, kind=LicenceKind.IDLE, cut=1, at=BEGINNING)
    async with consolidating(settings, model):
        await send_journal(settings, [licence, *candidates])
        await folded_to_end(settings)
        assert not model.calls
        await send_journal(settings, [done])
        await has_version(settings, 1)
    assert await texts(settings) == ["Use tabs."]
