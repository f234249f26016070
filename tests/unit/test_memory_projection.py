"""A memory becomes its records and back, and a reader can tell where an agent's records end [C9]."""

from dataclasses import replace

from schemas.memory import AgentMemory, AgentState, JournalPosition, KnownRoom, Section, memory_key
from streams.memory_projection import Assembler, assemble, projected


def a_memory(*titles: str) -> AgentMemory:
    sections = tuple(Section(agent="agent", id=f"s{number}", title=title) for number, title in enumerate(titles, start=1))
    rooms = {"room-1": KnownRoom(agent="agent", room="room-1")}
    return AgentMemory(state=AgentState(agent="agent", version=len(titles)), sections=sections, rooms=rooms)


def test_only_what_changed_is_written_and_the_state_stands_last_C9() -> None:
    before = a_memory("Food", "Work")
    after = replace(before, sections=(before.sections[0], Section(agent="agent", id="s3", title="People")))
    assert [key for key, _ in projected(before, after)] == [
        ("main", "section", "agent", "s2"),
        ("main", "section", "agent", "s3"),
        ("main", "state", "agent"),
    ]
    assert projected(before, after)[0][1] is None
    assert projected(after, after) == []


def test_a_new_agent_has_a_state_even_if_nothing_else_C10() -> None:
    empty = AgentMemory.empty("agent")
    assert projected(None, empty) == [(("main", "state", "agent"), empty.state)]


def test_sections_come_back_in_the_order_in_which_they_came_C3() -> None:
    memory = a_memory(*(f"Topic {number}" for number in range(12)))
    assert assemble(reversed(projected(None, memory))) == {"agent": memory}


def test_another_derivations_records_are_left_out_T2() -> None:
    one, other = a_memory("Food"), a_memory("Work")
    records = [*projected(None, one), *projected(None, other, "other")]
    assert assemble(records) == {"agent": one}
    assert assemble(records, "other") == {"agent": other}
    assert assemble([(("current",), None), *records]) == {"agent": one}


def test_a_tombstone_takes_its_record_away_and_the_position_is_told() -> None:
    assembler = Assembler()
    memory = a_memory("Food")
    for key, record in projected(None, memory):
        assert assembler.put(key, record) == "agent"
    at = JournalPosition(next=7)
    assert assembler.put(memory_key(at), at) is None
    assert assembler.position == 7
    assembler.put(memory_key(memory.sections[0]), None)
    assert assembler.memory("agent") == replace(memory, sections=())
    assembler.put(memory_key(memory.state), None)
    assert assembler.memory("agent") is None and assembler.memories() == {}
