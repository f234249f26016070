"""The memory's share of the window, as verify counts it (C3, C5, W2)."""

from datetime import timedelta

import pytest

from schemas.base import Origin, Position
from schemas.candidates import Kind, Trust
from schemas.journal import AgentIdle, FoldSkipped, MemoryChanged, RoomSummarised
from schemas.memory import LicenceKind, Line, Summary
from schemas.operations import PutLine, PutSection, PutSummary
from streams.audit.invariants.refold import Refold, Revised
from streams.audit.invariants.share import see_file, see_revision, share
from tests.unit.audit.histories import AGENT, START


@pytest.mark.spec("C5")
@pytest.mark.parametrize(("window", "tokens"), [(8_192, 2_048), (32_768, 8_192), (200_000, 50_000), (1_000_000, 250_000)])
def test_the_share_of_a_window_C5(window: int, tokens: int) -> None:
    assert share(window) == tokens


@pytest.mark.spec("C5")
def test_a_file_is_over_its_share_by_one_word_too_many_C5() -> None:
    assert list(see_file(AGENT, "MEMORY.md", "word " * 1_900, 8_192)) == []
    (violation,) = see_file(AGENT, "MEMORY.md", "word " * 2_100, 8_192)
    assert "2048" in violation.sentence and "MEMORY.md" in violation.sentence


@pytest.mark.spec("C3")
def test_too_many_lines_and_too_many_sections_are_named_C3() -> None:
    lines = [PutLine(section="s1", line=_line(number)) for number in range(1, 32)]
    found = _sentences([PutSection(section="s1", title="One"), *lines])
    assert len(found) == 1 and "section s1 has 31 lines; 30 may be" in found[0]
    found = _sentences([PutSection(section=f"s{number}", title=f"Section {number}") for number in range(1, 42)])
    assert len(found) == 1 and "41 sections; 40 may be" in found[0]
    assert _sentences([PutSection(section=f"s{number}", title=f"Section {number}") for number in range(1, 42)], window=200_001) == []


@pytest.mark.spec("W2")
def test_a_summary_beyond_thirty_rooms_is_named_unless_something_of_its_room_waits_W2() -> None:
    puts = [
        PutSummary(
            summary=Summary(
                agent=AGENT, room=f"r{number}", text="They talked.", newest=START + timedelta(days=number), cut=1, published=True
            )
        )
        for number in range(31)
    ]
    (found,) = _sentences(puts)
    assert "Room r0 keeps its summary" in found
    waits = RoomSummarised(
        agent=AGENT,
        origin=Origin(position=Position(topic="extractions", partition=0, offset=1)),
        cut=1,
        chunk="c",
        room="r0",
        text="News.",
        newest=START,
    )
    refold = Refold()
    refold.fold(_changed(puts[:30], 200_000, base=0), 0)
    refold.fold(waits, 1)
    revised = refold.fold(_changed(puts[30:], 200_000, base=2).model_copy(update={"version": 2}), 2)
    assert isinstance(revised, Revised) and list(see_revision(revised)) == []


@pytest.mark.spec("C13")
def test_a_record_that_was_skipped_is_skipped_here_too_C13() -> None:
    skip = FoldSkipped(agent=AGENT, offset=0, fault="there is no line l9")
    changed = _changed([PutSection(section="s1", title="One")], 200_000, base=0)
    refold = Refold(skipped={(AGENT, 0)})
    assert refold.fold(changed, 0) is None and refold.fold(skip, 1) is None
    assert refold.memories.get(AGENT) is None or refold.memories[AGENT].version == 0
    again = _changed([PutSection(section="s1", title="One")], 200_000, base=2)
    assert isinstance(refold.fold(again, 2), Revised)


@pytest.mark.spec("C9")
def test_what_comes_from_activity_twice_is_taken_once_and_a_revision_on_an_older_base_is_void_C9() -> None:
    refold = Refold()
    idle = AgentIdle(
        agent=AGENT,
        origin=Origin(position=Position(topic="messages", partition=0, offset=5)),
        number=1,
        kind=LicenceKind.IDLE,
        cut=1,
        at=START,
    )
    refold.fold(idle, 0)
    refold.fold(idle.model_copy(update={"number": 2}), 1)
    assert refold.memories[AGENT].licences == {1: 1}
    changed = _changed([PutSection(section="s1", title="One")], 200_000, base=1)
    assert isinstance(refold.fold(changed, 2), Revised)
    assert refold.fold(changed, 3) is None  # the same version again
    assert refold.fold(changed.model_copy(update={"version": 2, "base": 2}), 4) is None  # decided before the revision at 2 was read
    assert isinstance(refold.fold(changed.model_copy(update={"version": 2, "base": 3}), 5), Revised)


def _sentences(operations: list, window: int = 200_000) -> list[str]:  # type: ignore[type-arg]
    revised = Refold().fold(_changed(operations, window, base=1), 1)
    assert isinstance(revised, Revised)
    return [violation.sentence for violation in see_revision(revised)]


def _changed(operations: list, window: int, base: int) -> MemoryChanged:  # type: ignore[type-arg]
    return MemoryChanged(
        agent=AGENT,
        step="s",
        base=base,
        operations=tuple(operations),
        decisions=(),
        version=1,
        window=window,
        render_format=1,
        files={},
        at=START,
    )


def _line(number: int) -> Line:
    return Line(
        id=f"l{number}",
        text=f"Rule {number}.",
        kind=Kind.RULE,
        trust=Trust.OWNER,
        said_at=START,
        sources=1,
        last_sources=(),
        rooms=(),
        since=1,
    )
