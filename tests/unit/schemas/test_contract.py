"""What must not change by accident once a log is full: types, topics, ids, keys, and the checked-in schemas."""

import pytest

from schemas import ids
from schemas.candidates import Trust
from schemas.codec import decode_key, encode_key
from schemas.events import BY_TOPIC, BY_TYPE
from schemas.generate import differences
from schemas.memory import AgentState, JournalPosition, KnownRoom, KnownWorkspace, Section, memory_key

SPEC_TYPES = {
    "message.posted",
    "message.edited",
    "message.deleted",
    "tool.called",
    "run.started",
    "run.finished",
    "conversation.started",
    "conversation.compacted",
    "conversation.ended",
    "workspace.attached",
    "workspace.detached",
    "room.updated",
    "room.deleted",
    "agent.updated",
    "agent.deleted",
    "clock.ticked",
}


def test_every_type_of_the_contract_is_there_E3() -> None:
    assert BY_TYPE.keys() >= SPEC_TYPES


def test_every_type_travels_on_one_topic_E1() -> None:
    types = [model.type for models in BY_TOPIC.values() for model in models]
    assert len(types) == len(set(types))
    assert [model.type for model in BY_TOPIC["tool-calls"]] == ["tool.called"]
    # what needs the order of `messages` travels there, every other command on `commands`
    on_messages = {model.type for model in BY_TOPIC["messages"]}
    assert {"extract.now", "consolidate.now", "chunk.redriven"} <= on_messages
    assert "memory.correct" not in on_messages


def test_checked_in_schemas_are_those_of_the_models_E5() -> None:
    assert differences() == [], "run `make schemas`"


def test_ids_are_functions_of_what_they_name_A5() -> None:
    # Golden: another value here would give every record of an existing log another id.
    assert ids.request_id("ada", 1) == "5c525911-ebc3-54d1-af58-d3a32f7f262f"
    assert ids.candidate_id("c", 0) == "12a3f87c-2eb5-5942-94f8-5e5a0df88052"
    assert ids.short_hash("x") == "2d711642b726b044"
    assert ids.request_id("ada", 1) != ids.request_id("ada", 11)
    assert ids.request_id("ada1", 1) != ids.request_id("ada", 11)
    assert ids.derived_id("a", "b", "c") != ids.derived_id("a", "b,c")


@pytest.mark.parametrize(
    ("record", "key"),
    [
        (Section(agent="a", id="s1", title="T"), b'["main","section","a","s1"]'),
        (KnownRoom(agent="a", room='r"]'), b'["main","room","a","r\\"]"]'),
        (KnownWorkspace(agent="a", workspace="w", path="p"), b'["main","workspace","a","w"]'),
        (AgentState(agent="a"), b'["main","state","a"]'),
        (JournalPosition(next=4), b'["main","position"]'),
    ],
)
def test_projection_keys_begin_with_the_derivation_T2(record: object, key: bytes) -> None:
    parts = memory_key(record)  # type: ignore[arg-type]
    assert encode_key(parts) == key
    assert decode_key(key) == parts


def test_owners_and_members_are_trusted_and_nobody_else_X8() -> None:
    assert [trust for trust in Trust if trust.trusted] == [Trust.OWNER, Trust.MEMBER]
    assert Trust.MEMBER.rank > Trust.AGENT.rank > Trust.REPORTED.rank
