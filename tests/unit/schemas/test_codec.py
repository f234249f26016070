"""Bytes to models and back: nothing raises, nothing is lost, equal values give equal bytes."""

import string
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import Event, Undecodable, decode_event, decode_structured, encode, encode_event, structured, topic_of
from schemas.dead_letters import DeadLetterClass
from schemas.events import (
    BY_TOPIC,
    BY_TYPE,
    Author,
    AuthorKind,
    ClockTicked,
    EventData,
    MessagePosted,
    Outcome,
    Role,
    RunFinished,
    ToolCalled,
)
from schemas.journal import JOURNAL, AgentBusy
from schemas.memory import MEMORY, AgentState, Section

TIME = datetime(2026, 3, 4, 9, 30, tzinfo=timezone(timedelta(hours=2)))

MESSAGE = MessagePosted(
    agent="ada",
    boot=7,
    room="kitchen",
    author=Author(kind=AuthorKind.USER, id="u1", name="Mara", role=Role.OWNER),
    text="Grüße 🌍",
    note="a hidden note",
)
TOOL_CALL = ToolCalled(agent="ada", boot=7, room="kitchen", tool="read", arguments={"path": "/a", "n": [1, 2.5, None]}, result="text")


def event(data: EventData, **changes: Any) -> Event:
    return Event(**{"id": "e1", "source": "linger-0", "time": TIME, "data": data, **changes})


def changed(value: dict[str, object]) -> bytes:
    return orjson.dumps(orjson.loads(encode(TOOL_CALL)) | value)


@pytest.mark.parametrize("data", [MESSAGE, TOOL_CALL, RunFinished(agent="a", boot=0, room="r", run="x", outcome=Outcome.FAILED)])
def test_an_event_comes_back_as_it_was_sent_E2(data: EventData) -> None:
    sent = event(data)
    headers, key, value = encode_event(sent)
    assert decode_event(topic_of(data), headers, key, value) == sent
    assert decode_structured(structured(sent)) == sent


def test_headers_follow_cloudevents_binary_mode_E2() -> None:
    headers, key, value = encode_event(event(MESSAGE))
    assert [name for name, _ in headers] == ["ce_specversion", "ce_id", "ce_source", "ce_type", "ce_time", "content-type"]
    assert dict(headers)["ce_specversion"] == b"1.0"
    assert dict(headers)["content-type"] == b"application/json"
    assert key == b"ada"
    assert "type" not in orjson.loads(value)


def test_the_zone_of_an_event_is_kept_E2() -> None:
    headers, key, value = encode_event(event(MESSAGE))
    decoded = decode_event("messages", headers, key, value)
    assert isinstance(decoded, Event)
    assert decoded.time.utcoffset() == timedelta(hours=2)


def test_no_role_means_guest_E4() -> None:
    headers, key, _ = encode_event(event(MESSAGE))
    value = orjson.dumps({"agent": "ada", "boot": 1, "room": "r", "text": "t", "author": {"kind": "user", "id": "u"}})
    decoded = decode_event("messages", headers, key, value)
    assert isinstance(decoded, Event)
    assert isinstance(decoded.data, MessagePosted)
    assert decoded.data.author.role is Role.GUEST


def test_an_unknown_field_is_accepted_E6() -> None:
    headers, key, _ = encode_event(event(TOOL_CALL))
    assert isinstance(decode_event("tool-calls", headers, key, changed({"later_field": 1})), Event)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, DeadLetterClass.TOMBSTONE),
        (b"", DeadLetterClass.UNDECODABLE),
        (b"\xff\xfe", DeadLetterClass.UNDECODABLE),
        (b'{"agent":', DeadLetterClass.UNDECODABLE),
        (b"[" * 100_000, DeadLetterClass.UNDECODABLE),
        (changed({})[:-1] + b',"result":"\\ud800"}', DeadLetterClass.UNDECODABLE),
        (b"[]", DeadLetterClass.INVALID),
        (b"null", DeadLetterClass.INVALID),
        (b'{"agent":"ada","boot":7,"tool":"t"}', DeadLetterClass.INVALID),
        (changed({"boot": "7"}), DeadLetterClass.INVALID),
        (changed({"boot": True}), DeadLetterClass.INVALID),
        (changed({"boot": -1}), DeadLetterClass.INVALID),
        (changed({"context": "elsewhere"}), DeadLetterClass.INVALID),
        (changed({"room": "line\nbreak"}), DeadLetterClass.INVALID),
        (changed({"room": ""}), DeadLetterClass.INVALID),
        (changed({"room": "r" * 257}), DeadLetterClass.INVALID),
        (changed({})[:-1] + b',"boot":1180591620717411303424}', DeadLetterClass.INVALID),
        (changed({})[:-1] + b',"arguments":{"deep":[1180591620717411303424]}}', DeadLetterClass.INVALID),
        (changed({})[:-1] + b',"arguments":{"deep":[NaN]}}', DeadLetterClass.INVALID),
        (changed({})[:-1] + b',"arguments":-Infinity}', DeadLetterClass.INVALID),
        (changed({"agent": "bob"}), DeadLetterClass.WRONG_KEY),
    ],
)
def test_bad_values_have_their_class_E6(value: bytes | None, reason: DeadLetterClass) -> None:
    headers, key, _ = encode_event(event(TOOL_CALL))
    decoded = decode_event("tool-calls", headers, key, value)
    assert isinstance(decoded, Undecodable)
    assert decoded.reason is reason


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("ce_id", None, DeadLetterClass.INVALID),
        ("ce_id", b"", DeadLetterClass.INVALID),
        ("ce_id", b"x" * 257, DeadLetterClass.INVALID),
        ("ce_id", b"a\nb", DeadLetterClass.INVALID),
        ("ce_source", b"\xff", DeadLetterClass.UNDECODABLE),
        ("ce_type", b"no.such.type", DeadLetterClass.UNKNOWN_TYPE),
        ("ce_type", b"message.posted", DeadLetterClass.UNKNOWN_TYPE),  # known, but not on this topic
        ("ce_time", b"2026-03-04T09:30:00", DeadLetterClass.INVALID),  # has no zone
        ("ce_time", b"yesterday", DeadLetterClass.INVALID),
        ("ce_time", b"0001-01-01T00:00:00+00:00", DeadLetterClass.INVALID),  # can't be told in a western zone
        ("ce_time", b"9999-12-31T23:59:59Z", DeadLetterClass.INVALID),
        ("ce_time", b"2026-03-01T10:00:00+23:59:59.999999", DeadLetterClass.INVALID),  # would be written as +24:00
    ],
)
def test_bad_headers_have_their_class_E6(name: str, text: bytes | None, reason: DeadLetterClass) -> None:
    headers, key, value = encode_event(event(TOOL_CALL))
    headers = [header for header in headers if header[0] != name] + ([(name, text)] if text is not None else [])
    decoded = decode_event("tool-calls", headers, key, value)
    assert isinstance(decoded, Undecodable)
    assert decoded.reason is reason


def test_a_fault_names_the_field_and_never_its_value_E6() -> None:
    headers, key, _ = encode_event(event(TOOL_CALL))
    decoded = decode_event("tool-calls", headers, key, changed({"boot": "hunter2", "arguments": {"hunter2": "x"}, "error": "hunter2"}))
    assert isinstance(decoded, Undecodable)
    assert "boot" in decoded.detail
    assert "hunter2" not in decoded.detail


@given(
    topic=st.sampled_from([*BY_TOPIC, "elsewhere"]),
    headers=st.lists(
        st.tuples(
            st.sampled_from(["ce_id", "ce_type", "ce_source", "ce_time", "x"]),
            st.binary(max_size=20) | st.sampled_from([name.encode() for name in BY_TYPE]) | st.just(b"2026-01-01T00:00:00Z"),
        ),
        max_size=8,
    ),
    key=st.none() | st.binary(max_size=5),
    value=st.none() | st.binary(max_size=40) | st.text(alphabet=string.printable, max_size=40).map(str.encode),
)
def test_decoding_never_raises_E6(topic: str, headers: list[tuple[str, bytes]], key: bytes | None, value: bytes | None) -> None:
    assert isinstance(decode_event(topic, headers, key, value), Event | Undecodable)
    assert isinstance(JOURNAL.decode(value), Undecodable)
    assert isinstance(decode_structured(value or b""), Event | Undecodable)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)


@given(arguments=json_values, result=json_values)
def test_any_json_in_a_tool_call_comes_back_E3(arguments: Any, result: Any) -> None:
    sent = event(ToolCalled(agent="ada", boot=7, room="r", tool="t", arguments=arguments, result=result))
    headers, key, value = encode_event(sent)
    assert decode_event("tool-calls", headers, key, value) == sent


def test_a_clock_tick_has_no_key_E3() -> None:
    headers, key, value = encode_event(event(ClockTicked(partition=3)))
    assert key is None
    assert decode_event("messages", headers, key, value) == event(ClockTicked(partition=3))


def test_our_own_records_come_back_and_a_strange_type_does_not() -> None:
    state = AgentState(agent="ada", files={"summary.md": "0" * 64})
    assert MEMORY.decode(encode(state)) == state
    assert isinstance(MEMORY.decode(b'{"type":"no_such_kind"}'), Undecodable)
    assert isinstance(JOURNAL.decode(encode(state)), Undecodable)
    assert JOURNAL.decode(
        b'{"type":"agent.busy","agent":"a","origin":{"position":{"topic":"messages","partition":0,"offset":1}},"busy":true,"new":1}'
    ) == AgentBusy.model_validate_json(
        b'{"agent":"a","origin":{"position":{"topic":"messages","partition":0,"offset":1},"ordinal":0},"busy":true}'
    )


def test_equal_values_give_equal_bytes_W3() -> None:
    one = Section(agent="a", id="s1", title="T")
    assert encode(one) == encode(Section.model_validate_json(encode(one)))


def test_times_in_utc_and_with_an_offset_are_the_same_moment() -> None:
    headers, key, value = encode_event(event(MESSAGE, time=TIME.astimezone(UTC)))
    decoded = decode_event("messages", headers, key, value)
    assert isinstance(decoded, Event)
    assert decoded.time == TIME
