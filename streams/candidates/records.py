"""The records of a chunk as the gates look at them: what they say, how far they are trusted, what a "yes" answers (X5, X7, X8). Pure."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime

from schemas.candidates import Reporter, Trust
from schemas.events import AuthorKind, Role
from schemas.extraction import ChunkInput, InputRecord
from streams.candidates.dates import local
from streams.models.mood import is_assent
from streams.models.sentences import own_text
from streams.models.words import content_words, fold, identifiers

OUR_FOLDER = "agent-memory"
_OUR_TOOLS = ("linger-memory", "linger_memory")
# "I don't remember this" and "don't save this file" ask for nothing of us.
_NOT_TO_REMEMBER = re.compile(
    r"(?:^|[.!?,;:(] ?|\bplease |\bbut |\band )"
    r"(?:(?:don't|do not) (?:remember|memori[sz]e) (?:this|that|any of this|it|what i)\b"
    r"|(?:don't|do not) (?:put|save|store|keep|record) (?:this|that|any of this|it) (?:to|in|into) (?:your )?memory\b"
    r"|(?:this is )?off the record\b)"
)


class Records:
    """The records of one chunk by id, with what is asked of them more than once worked out once."""

    def __init__(self, chunk: ChunkInput) -> None:
        self.chunk = chunk
        self.by_id: Mapping[str, InputRecord] = {record.id: record for record in chunk.records}
        self._folded: dict[str, str] = {}
        self._words: dict[str, frozenset[str]] = {}
        self._identifiers: dict[str, frozenset[str]] = {}
        self._answers = _answers(chunk.records)
        self._unremembered = _unremembered(chunk.records)
        names = " ".join((chunk.title, chunk.project, *authors(chunk)))
        self.name_words = content_words(names)
        """Words of titles and names: they alone don't show that somebody said something."""

    def folded(self, record: InputRecord) -> str:
        """All that the record says, folded."""
        if record.id not in self._folded:
            self._folded[record.id] = fold(words_of(record))
        return self._folded[record.id]

    def content(self, record: InputRecord) -> frozenset[str]:
        if record.id not in self._words:
            self._words[record.id] = content_words(self.folded(record))
        return self._words[record.id]

    def identifiers(self, record: InputRecord) -> frozenset[str]:
        if record.id not in self._identifiers:
            self._identifiers[record.id] = identifiers(words_of(record))
        return self._identifiers[record.id]

    def answered(self, assent: InputRecord) -> InputRecord | None:
        """The message that a bare "yes" answers; None: it is no bare yes, or answers nothing."""
        name = self._answers.get(assent.id)
        return self.by_id[name] if name is not None else None

    def is_kept_out(self, record: InputRecord) -> bool:
        """Whether a user asked not to remember it (C11)."""
        return record.id in self._unremembered

    def run_of(self, record: InputRecord) -> Iterable[InputRecord]:
        """The tool calls of the record's run."""
        if record.run is None:
            return ()
        return (other for other in self.chunk.records if other.kind == "tool_call" and other.run == record.run)

    def at(self, record: InputRecord) -> datetime:
        """The record's time on the clock of who wrote it."""
        return local(record.time, self.chunk.zone)


def words_of(record: InputRecord) -> str:
    """A message's text, or a tool call's arguments and result."""
    return f"{record.arguments}\n{record.text}" if record.kind == "tool_call" else record.text


def authors(chunk: ChunkInput) -> tuple[str, ...]:
    """Names and ids of those who wrote in the chunk."""
    found = [name for record in chunk.records if record.author for name in (record.author.name, record.author.id) if name]
    return tuple(dict.fromkeys(found))


def is_by_user(record: InputRecord) -> bool:
    return record.author is not None and record.author.kind is AuthorKind.USER


def is_by_agent(record: InputRecord) -> bool:
    return record.author is not None and record.author.kind is AuthorKind.AGENT


def is_system(record: InputRecord) -> bool:
    return record.author is not None and record.author.kind is AuthorKind.SYSTEM


def is_own_reading(record: InputRecord) -> bool:
    """Whether the agent reads its own memory with it (X5)."""
    tool = record.tool.casefold()
    return record.kind == "tool_call" and (OUR_FOLDER in record.arguments or any(name in tool for name in _OUR_TOOLS))


def trust_of(record: InputRecord) -> Trust:
    """How far the words of this record are trusted (X8)."""
    if record.author is None or record.kind == "tool_call":
        return Trust.REPORTED
    if record.author.kind is AuthorKind.AGENT:
        return Trust.AGENT
    if record.author.kind is AuthorKind.USER:
        return {Role.OWNER: Trust.OWNER, Role.MEMBER: Trust.MEMBER, Role.GUEST: Trust.REPORTED}[record.author.role]
    return Trust.REPORTED


def reporter_of(record: InputRecord) -> Reporter | None:
    """Who says what this record reports; None for those whose words are more than a report, and for the system."""
    if record.author is None or record.kind == "tool_call":
        return Reporter.TOOL
    match record.author.kind:
        case AuthorKind.USER if record.author.role is Role.GUEST:
            return Reporter.GUEST
        case AuthorKind.TASK_REPORT:
            return Reporter.TASK_REPORT
        case AuthorKind.OTHER_AGENT:
            return Reporter.OTHER_AGENT
        case _:
            return None


def _answers(records: tuple[InputRecord, ...]) -> dict[str, str]:
    """Each bare "yes" of a user with the message that it answers: the last one before it by somebody else."""
    found: dict[str, str] = {}
    for index, record in enumerate(records):
        if not is_by_user(record) or not is_assent(record.text):
            continue
        for before in reversed(records[:index]):
            if before.author is not None and not is_system(before) and before.author != record.author:
                found[record.id] = before.id
                break
    return found


def _unremembered(records: tuple[InputRecord, ...]) -> frozenset[str]:
    """The messages in which a user asks not to remember, and the rest of their runs."""
    asked = [record for record in records if is_by_user(record) and _asks_not_to(record.text)]
    runs = {record.run for record in asked if record.run is not None}
    return frozenset(record.id for record in records if record in asked or (record.run is not None and record.run in runs))


def _asks_not_to(text: str) -> bool:
    return _NOT_TO_REMEMBER.search(fold(own_text(text))) is not None
