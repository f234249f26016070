"""Memories for tests of what is rendered and written."""

from datetime import UTC, datetime, timedelta
from typing import Any

from schemas.candidates import Kind, Trust
from schemas.memory import AgentMemory, AgentState, Line, Section, Summary

BEGINNING = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def a_line(number: int, text: str = "Never deploy on Fridays.", **given: Any) -> Line:
    """A trusted rule from one Room, said `number` minutes after the beginning."""
    values: dict[str, Any] = {
        "id": f"l{number}",
        "text": text,
        "kind": Kind.RULE,
        "trust": Trust.OWNER,
        "said_at": BEGINNING + timedelta(minutes=number),
        "sources": 1,
        "last_sources": (f"c{number}",),
        "rooms": ("room-1",),
        "since": 1,
    }
    return Line(**values | given)


def a_section(number: int, *lines: Line, title: str = "", gist: str = "") -> Section:
    return Section(agent="agent", id=f"s{number}", title=title or f"Topic {number}", gist=gist, lines=lines)


def a_summary(room: str, **given: Any) -> Summary:
    values: dict[str, Any] = {"title": f"About {room}", "text": "They talked.", "newest": BEGINNING, "cut": 1, "published": True}
    return Summary(agent="agent", room=room, **values | given)


def a_memory(*sections: Section, summaries: tuple[Summary, ...] = (), version: int = 1, **state: Any) -> AgentMemory:
    values: dict[str, Any] = {"agent": "agent", "version": version, "revised_at": version * 10, "rendered_window": 200_000}
    return AgentMemory(state=AgentState(**values | state), sections=sections, summaries={summary.room: summary for summary in summaries})
