"""A conversation's note on real Kafka: the first pin counts, from any replica, after any restart [R1, R2, R4, R5]."""

import asyncio
from dataclasses import replace

import pytest

from schemas.codec import encode, encode_key
from schemas.events import MemoryMode
from schemas.memory import AgentMemory
from schemas.recall import NOTES, PINS, Note, Pin
from streams.kafka.reading import read_to_end
from streams.kafka.topics import topic_name
from streams.serve.note_text import note_text
from streams.serve.notes import NoteGiver, NoteRefused, NoteUnavailable, give
from streams.settings import Settings
from streams.workspaces.render import render
from tests.kafka.producing import send
from tests.kafka.workspaces.memory_topic import MemoryTopic, remembering
from tests.unit.workspaces.memories import BEGINNING, a_memory, a_summary

pytestmark = pytest.mark.usefixtures("topics")


def text_of(memory: AgentMemory) -> str:
    return note_text(render(memory)["summary.md"].decode())


async def pins(settings: Settings) -> list[Pin]:
    read = [PINS.decode(record.value) async for record in read_to_end(settings, topic_name(settings, "recalls"))]
    return [pin for pin in read if isinstance(pin, Pin)]


async def test_a_new_conversation_in_any_room_gets_the_newest_summary_R1_R3(settings: Settings) -> None:
    async with MemoryTopic(settings) as memories, NoteGiver(settings) as giver:
        await memories.publish(remembering(1))
        first = await giver.give("agent", "room-1", "c-1", 0)
        await memories.publish(remembering(2))
        second = await giver.give("agent", "a room where nothing was said", "c-2", 0)
        third = await giver.give("agent", "room-1", "c-3", 0)
    assert first is not None and second is not None and third is not None
    assert first.text == text_of(remembering(1))
    assert second.text == third.text == text_of(remembering(2))


@pytest.mark.case("U60")
async def test_a_running_conversation_keeps_its_bytes_until_it_is_compacted_U60_R2(settings: Settings) -> None:
    async with MemoryTopic(settings) as memories:
        await memories.publish(remembering(1))
        before = await give(settings, "agent", "room-1", "c-1", 0)
        await memories.publish(remembering(2))
        await memories.publish(remembering(3))
        again = await give(settings, "agent", "room-1", "c-1", 0)
        compacted = await give(settings, "agent", "room-1", "c-1", 1)
        async with NoteGiver(settings) as another:
            assert await another.give("agent", "room-1", "c-1", 0) == again
            assert await another.give("agent", "room-1", "c-1", 1) == compacted
    assert before is not None and before == again
    assert compacted is not None and compacted.text == text_of(remembering(3))
    assert len(await pins(settings)) == 2


async def test_that_there_is_no_memory_is_pinned_too_and_never_an_empty_note_R4_R2(settings: Settings) -> None:
    async with MemoryTopic(settings) as memories:
        assert await give(settings, "agent", "room-1", "c-1", 0) is None
        only_summaries = a_memory(summaries=(a_summary("room-1"),))
        await memories.publish(only_summaries)
        assert await give(settings, "agent", "room-1", "c-2", 0) is None
        await memories.publish(remembering(2))
        async with NoteGiver(settings) as giver:
            assert await giver.give("agent", "room-1", "c-1", 0) is None
            assert await giver.give("agent", "room-1", "c-2", 0) is None
            assert await giver.give("agent", "room-1", "c-1", 1) is not None
    assert [pin.note is None for pin in await pins(settings)] == [True, True, False]


async def test_two_that_are_asked_at_once_give_one_answer_R2(settings: Settings) -> None:
    async with MemoryTopic(settings) as memories, NoteGiver(settings) as one, NoteGiver(settings) as other:
        await memories.publish(remembering(1))
        for round_number in range(10):
            asked = [giver.give("agent", "room-1", f"c-{round_number}", 0) for giver in (one, other, one, other)]
            asked.append(_publish_then_give(memories, round_number + 2, other, f"c-{round_number}"))
            answers = await asyncio.gather(*asked)
            assert answers[0] is not None and all(answer == answers[0] for answer in answers)


async def _publish_then_give(memories: MemoryTopic, version: int, giver: NoteGiver, conversation: str) -> Note | None:
    await memories.publish(remembering(version))
    return await giver.give("agent", "room-1", conversation, 0)


async def test_the_first_pin_of_a_key_counts_whoever_wrote_it_R2(settings: Settings) -> None:
    async with MemoryTopic(settings) as memories, NoteGiver(settings) as giver:
        await memories.publish(remembering(1))
        mine = await giver.give("agent", "room-1", "c-1", 0)
        later = Pin(agent="agent", conversation="c-1", compaction=0, forgets=0, room="room-1", note=None, version=9, at=BEGINNING)
        await send(settings, topic_name(settings, "recalls"), encode(later), key=encode_key(["agent", "c-1", 0, 0]))
        assert await giver.give("agent", "room-1", "c-1", 0) == mine
        assert await give(settings, "agent", "room-1", "c-1", 0) == mine


async def test_a_pin_that_came_first_while_this_one_was_on_its_way_counts_R2(settings: Settings) -> None:
    async with MemoryTopic(settings) as memories, NoteGiver(settings) as giver:
        await memories.publish(remembering(1))
        put_bytes = giver._put_bytes

        async def put_bytes_while_another_replica_pins(note: Note) -> None:
            await put_bytes(note)
            other = Pin(agent="agent", conversation="c-1", compaction=0, forgets=0, room="room-1", note=None, version=0, at=BEGINNING)
            await send(settings, topic_name(settings, "recalls"), encode(other), key=encode_key(["agent", "c-1", 0, 0]))

        giver._put_bytes = put_bytes_while_another_replica_pins  # type: ignore[method-assign]
        assert await giver.give("agent", "room-1", "c-1", 0) is None
        assert len(await pins(settings)) == 2


async def test_no_agent_sees_another_s_memory_R5(settings: Settings) -> None:
    async with MemoryTopic(settings) as memories, NoteGiver(settings) as giver:
        await memories.publish(remembering(1, "one", text="A secret of one."), remembering(1, "two", text="A secret of two."))
        one = await giver.give("one", "room-1", "c-1", 0)
        two = await giver.give("two", "room-1", "c-1", 0)
        assert await giver.give("three", "room-1", "c-1", 0) is None
        assert one is not None and "of one" in one.text and "of two" not in one.text
        assert two is not None and "of two" in two.text and "of one" not in two.text


async def test_a_room_whose_mode_is_off_gets_no_note_W8(settings: Settings) -> None:
    memory = remembering(1)
    off = replace(memory, rooms={"room-1": memory.rooms["room-1"].model_copy(update={"memory": MemoryMode.OFF})})
    async with MemoryTopic(settings) as memories, NoteGiver(settings) as giver:
        await memories.publish(memory)
        assert await giver.give("agent", "room-1", "c-1", 0) is not None
        await memories.publish(off)
        assert await giver.give("agent", "room-1", "c-1", 0) is None
        assert await giver.give("agent", "room-1", "c-2", 0) is None
        assert await giver.give("agent", "room-2", "c-3", 0) is not None


async def test_forgetting_breaks_a_pin_and_removes_the_older_bytes_R2(settings: Settings) -> None:
    async with MemoryTopic(settings) as memories, NoteGiver(settings) as giver:
        await memories.publish(remembering(1, text="The code of the door is 4711."))
        first = await giver.give("agent", "room-1", "c-1", 0)
        await memories.publish(remembering(2, text="Doors have codes.", forgets=1))
        second = await giver.give("agent", "room-1", "c-1", 0)
        assert first is not None and "4711" in first.text
        assert second is not None and "4711" not in second.text
        assert await give(settings, "agent", "room-1", "c-1", 0) == second
    kept: dict[bytes, Note | None] = {}
    async for record in read_to_end(settings, topic_name(settings, "notes")):
        note = NOTES.decode(record.value)
        kept[record.key or b""] = note if isinstance(note, Note) else None
    assert [note.text for note in kept.values() if note] == [second.text]


async def test_the_same_bytes_under_a_later_forget_number_are_not_lost_R2(settings: Settings) -> None:
    async with MemoryTopic(settings) as memories, NoteGiver(settings) as one, NoteGiver(settings) as other:
        await memories.publish(remembering(1, text="Use tabs."))
        await one.give("agent", "room-1", "c-1", 0)
        await memories.publish(remembering(2, text="Use tabs.", forgets=1))
        answers = await asyncio.gather(*(giver.give("agent", "room-1", "c-1", 0) for giver in (one, other)))
        again = await give(settings, "agent", "room-1", "c-1", 0)
        assert again is not None and again.text == text_of(remembering(2, text="Use tabs."))
        assert all(answer == again for answer in answers)


async def test_what_is_no_id_is_refused_and_pins_nothing(settings: Settings) -> None:
    async with NoteGiver(settings) as giver:
        for question in (("", "r", "c", 0), ("a", "r\n", "c", 0), ("a", "r", "c" * 300, 0), ("a", "r", "c", -1)):
            with pytest.raises(NoteRefused):
                await giver.give(*question)
    assert await pins(settings) == []


async def test_no_answer_in_time_is_said_so_and_later_asks_are_answered_R4(settings: Settings) -> None:
    async with MemoryTopic(settings) as memories, NoteGiver(settings) as giver:
        await memories.publish(remembering(1))
        with pytest.raises(NoteUnavailable):
            await giver.give("agent", "room-1", "c-1", 0, within_seconds=0)
        assert await giver.give("agent", "room-1", "c-1", 0) is not None
