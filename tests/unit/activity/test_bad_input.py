"""Bad input is never a crash and never silently lost: one dead letter each, and the next record is processed [E1, E6]."""

import pytest

from schemas.dead_letters import DeadLetterClass
from schemas.events import ClockTicked, PinLine
from streams.activity.intake import log_time
from streams.kafka.partitioner import partition_for
from tests.activity_events import Server, wire
from tests.unit.activity.partition import FakeRecord, Partition, record

server = Server()
GOOD = {
    "messages": server.said("a"),
    "tool-calls": server.called("a", "run"),
    "commands": server.event(PinLine(agent="a", boot=1, who="ops", line="l1")),
}


def bad_ones(topic: str) -> dict[DeadLetterClass, list[FakeRecord]]:
    """Give records of each class, all at offset 0."""
    good = record(0, GOOD[topic], 1_000)
    elsewhere = b"tool.called" if topic == "messages" else b"clock.ticked"
    assert good.value is not None

    def changed(**parts: object) -> FakeRecord:
        return FakeRecord(**({name: getattr(good, name) for name in good.__dataclass_fields__} | parts))  # type: ignore[arg-type]

    def header(name: str, value: bytes | None) -> FakeRecord:
        return changed(headers=[(had, value if had == name else text) for had, text in good.headers if value is not None or had != name])

    return {
        DeadLetterClass.UNDECODABLE: [changed(value=b"\xff\xfe"), changed(value=b'{"agent":'), header("ce_id", b"\xff")],
        DeadLetterClass.INVALID: [
            changed(value=b"{}"),
            changed(value=good.value.replace(b'"boot":1', b'"boot":NaN')),
            changed(value=good.value.replace(b'"boot":1', b'"boot":1180591620717411303424')),
            changed(value=good.value.replace(b'"boot":1', b'"boot":"1"')),
            header("ce_time", b"2026-03-02T09:00:00"),
            header("ce_source", None),
        ],
        DeadLetterClass.TOMBSTONE: [changed(value=None)],
        DeadLetterClass.UNKNOWN_TYPE: [
            header("ce_type", b"no.such"),
            header("ce_type", elsewhere),
        ],
        DeadLetterClass.WRONG_KEY: [changed(key=b"b"), changed(key=None)],
        DeadLetterClass.TOO_LARGE: [changed(value=b'"' + b"x" * 1_000_000 + b'"')],
    }


@pytest.mark.parametrize("topic", ["messages", "tool-calls", "commands"])
@pytest.mark.parametrize("reason", [one for one in DeadLetterClass if one in bad_ones("messages")])
def test_each_class_of_bad_input_on_each_topic_is_one_dead_letter_and_the_next_is_processed_E6(topic: str, reason: DeadLetterClass) -> None:
    for bad in bad_ones(topic)[reason]:
        partition = Partition()
        partition.work([bad, record(1, GOOD[topic], 2_000)], topic)
        (letter,) = partition.dead_letters
        assert (letter.reason, str(letter.position), letter.size) == (reason, f"{topic}[0]@0", len(bad.value or b""))
        assert b"hello" not in letter.model_dump_json().encode()
        applied = partition.row(b"partition", topic)
        assert applied is not None and applied.applied == 1
        assert len(partition.rows[topic]) > 1


def test_a_record_in_a_partition_that_its_key_does_not_give_is_a_dead_letter_E1() -> None:
    from streams.activity.intake import Intake

    wrong = next(number for number in range(4) if number != partition_for(b"a", 4))
    letter = Intake("messages", wrong, 4, 1_000_000).read(record(0, GOOD["messages"], 1))
    assert getattr(letter, "reason", None) is DeadLetterClass.WRONG_PARTITION


@pytest.mark.parametrize(("named", "key", "reason"), [(1, None, DeadLetterClass.WRONG_PARTITION), (0, b"a", DeadLetterClass.WRONG_KEY)])
def test_a_tick_names_its_partition_and_has_no_key_E1(named: int, key: bytes | None, reason: DeadLetterClass) -> None:
    headers, _, value = wire(server.event(ClockTicked(partition=named)))
    partition = Partition()
    partition.work([FakeRecord(0, 1_000, key, value, tuple(headers.items()))])
    assert [letter.reason for letter in partition.dead_letters] == [reason]


def test_a_copied_record_has_the_time_of_its_original_but_none_after_its_own_E1() -> None:
    def copied(time: bytes) -> int:
        return log_time(FakeRecord(0, 5_000, b"a", b"{}", [("linger_append_time", time)]))

    assert (copied(b"3000"), copied(b"9000"), copied(b"-1"), copied(b"x"), copied(b"9" * 40)) == (3_000, 5_000, 5_000, 5_000, 5_000)


def test_an_unknown_field_is_accepted_E6() -> None:
    good = record(0, GOOD["messages"], 1_000)
    partition = Partition()
    partition.work([FakeRecord(0, 1_000, good.key, good.value[:-1] + b',"later":{"x":[1]}}', good.headers)])  # type: ignore[index]
    assert partition.dead_letters == []
