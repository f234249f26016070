"""A reader of `memory` never takes half of a change for a memory [R2, W4]."""

from dataclasses import replace

from schemas.memory import AgentMemory, KnownWorkspace
from streams.memory_follower import WholeMemories
from streams.memory_projection import projected
from tests.unit.workspaces.memories import a_line, a_memory, a_section


def _version(number: int, agent: str) -> AgentMemory:
    sections = tuple(
        a_section(section, a_line(section, f"{agent} {number}")).model_copy(update={"agent": agent}) for section in range(number % 3 + 1)
    )
    memory = a_memory(*sections, version=number, agent=agent)
    return replace(memory, workspaces={"w": KnownWorkspace(agent=agent, workspace="w", path=f"w-{number}")})


def test_every_memory_that_is_given_once_was_one_whatever_stands_between_its_records_R2() -> None:
    reader, before = WholeMemories(), dict[str, AgentMemory]()
    for number in range(1, 12):
        written = [list(projected(before.get(agent), _version(number, agent))) for agent in ("one", "two")]
        for records in (written[0][:-1], written[1][:-1]):
            for key, record in records:
                assert reader.take(key, record) is None
            for agent, last in before.items():
                assert reader.memory(agent) == last, "half of a change was given"
        for agent, records in zip(("one", "two"), written, strict=True):
            assert reader.take(*records[-1]) == agent
            before[agent] = _version(number, agent)
            assert reader.memory(agent) == before[agent]


def test_another_derivation_is_left_out_T2() -> None:
    reader = WholeMemories("main")
    for key, record in projected(None, _version(1, "one"), derivation="trial"):
        assert reader.take(key, record) is None
    assert reader.memory("one") is None
