"""Scope, about-whom, topic and dates of a draft, held to what the chunk knows (X6). Pure. What is in doubt becomes narrower, not wider."""

from collections.abc import Sequence
from datetime import date, datetime

from schemas.candidates import Kind, Scope
from schemas.extraction import ChunkInput, InputRecord
from streams.candidates.dates import beginning, dates_in, end, resolve
from streams.candidates.records import Records
from streams.models.words import fold, normalise

LONGEST_TOPIC = 60
EVERYONE = "everyone"
_TOPICS = {
    Kind.RULE: "Rules",
    Kind.PREFERENCE: "Preferences",
    Kind.FACT: "Facts",
    Kind.DECISION: "Decisions",
    Kind.LESSON: "Lessons",
    Kind.PROCEDURE: "Procedures",
}


def scope_of(text: str, chunk: ChunkInput) -> Scope:
    """The scope that the draft names; a project that the chunk doesn't know, or no scope at all: this project, else this Room."""
    kind, _, name = text.strip().partition(":")
    here = Scope(kind="project", id=chunk.project) if chunk.project else Scope(kind="room", id=chunk.room)
    match kind.strip().casefold():
        case "everywhere":
            return Scope()
        case "room":
            return Scope(kind="room", id=chunk.room)
        case "project" if name.strip() and normalise(name) != normalise(chunk.project) and _is_named(name, chunk):
            return Scope(kind="project", id=" ".join(name.split())[:512])
        case _:
            return here


def _is_named(name: str, chunk: ChunkInput) -> bool:
    wanted = fold(name)
    return any(wanted in fold(record.text) for record in chunk.records)


def about_of(text: str, chunk: ChunkInput) -> str:
    """Everyone, an author by display name (the id where there is none), or a person that the chunk names."""
    wanted = normalise(text)
    if wanted in ("", EVERYONE, "every one", "anyone", "all", "everybody"):
        return EVERYONE
    for record in chunk.records:
        if record.author and wanted in (normalise(record.author.id), normalise(record.author.name or "")):
            return record.author.name or record.author.id
    return " ".join(text.split())[:512] if _is_named(text, chunk) else EVERYONE


def topic_of(text: str, kind: Kind, chunk: ChunkInput) -> str:
    """The title of a section that exists, else the draft's own, else one after its kind."""
    known = {normalise(title): title for title in chunk.sections}
    title = known.get(normalise(text), text)
    return title if normalise(title) and len(title) <= LONGEST_TOPIC else _TOPICS[kind]


def holding(text: str | None, known: frozenset[date], holders: Sequence[InputRecord], records: Records, *, until: bool) -> datetime | None:
    """The moment from which, or until which, it holds: a date that was said or on which it was said; any other comes from nowhere."""
    if not text:
        return None
    at = records.at(holders[-1])
    day = resolve(text, at)
    if day is None:
        return None
    said = known if day in known else {found for record in holders for found in dates_in(record.text, records.at(record))}
    if day not in said:
        return None
    return end(day, at) if until else beginning(day, at)
