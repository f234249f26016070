"""What the demo shows of a memory, as plain lines. Every word of a conversation is escaped for the terminal (S3)."""

import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from schemas.memory import AgentMemory, Line
from schemas.recall import Note
from streams.audit.history import LineHistory, SourceRecord
from streams.cli.terminal import escape
from streams.demo.scenario import AGENT, ROOM

LIMITS = (
    'This memory was made by the offline `rules` side. It finds only what is said with an English cue such as "always", "never", '
    '"from now on", "we decided" or "no, X instead", keeps the speaker\'s own words, and overlooks the rest; it can\'t sum up, '
    "rephrase, or see that two different wordings mean the same."
)


def heading(title: str) -> str:
    """Give a heading, set off from what is before it."""
    return f"\n── {title} " + "─" * max(3, 96 - len(title))


def document(text: str) -> str:
    """Give a whole text, indented."""
    return "\n".join(f"  {line}".rstrip() for line in escape(text, lines=True).rstrip().split("\n"))


def line_to_explain(memory: AgentMemory) -> Line | None:
    """Give the line that shows most: of the trusted ones one with the most sources, then the oldest."""
    trusted = [line for line in memory.lines if line.trust.trusted] or list(memory.lines)
    return max(trusted, key=lambda line: (line.sources, -line.since), default=None)


def explained(history: LineHistory, rooms: Mapping[str, str]) -> Iterator[str]:
    """Give the messages that a line came from, each with its position."""
    text = history.line.text if history.line else ""
    yield f'  {history.id}, under "{escape(history.section)}": {escape(text)}'
    for source in history.candidates:
        for record in source.records:
            room = escape(rooms.get(record.room, record.room))
            yield f"    {record.position}  {record.time:%Y-%m-%d %H:%M %z}  {escape(_who(record))} in {room}"
            yield f"      {escape(record.text)}"


def _who(record: SourceRecord) -> str:
    if record.author is None:
        return f"tool {record.tool}"
    name = record.author.name or record.author.id
    return f"{name} ({record.author.role.value})" if record.author.kind.value == "user" else f"{name} ({record.author.kind.value})"


def tree(root: Path) -> Iterator[str]:
    """Give the files below a folder, with their sizes."""
    yield f"  {root}"
    for path in sorted(root.rglob("*")):
        depth = len(path.relative_to(root).parts)
        size = "" if path.is_dir() else f"  {path.stat().st_size:,} bytes"
        yield f"  {'   ' * (depth - 1)}└─ {escape(path.name)}{'/' if path.is_dir() else ''}{size}"


def commands(data_directory: Path, line: str) -> Iterator[str]:
    """Give the commands that show more of the demo's data, ready to paste."""
    program = Path(sys.executable).with_name("linger-memory")
    if program.is_relative_to(Path.cwd()):
        program = program.relative_to(Path.cwd())
    name = "linger-memory" if shutil.which("linger-memory") == str(program.absolute()) else shlex.quote(str(program))
    yield f"  export LINGER_MEMORY_DATA_DIRECTORY={shlex.quote(str(data_directory))}"
    for rest in (
        "broker start",
        f"memory show {AGENT} --ids",
        f"memory why {AGENT} {line}",
        "candidates list",
        f"note give {AGENT} {ROOM} books-3",
        "verify",
        "broker stop",
    ):
        yield f"  {name} {rest}"


def why_this_room(memory: AgentMemory, room: str) -> str:
    """Say what the Room has to do with the lines that its note carries."""
    title = memory.rooms[room].title if room in memory.rooms else room
    others = sorted({memory.rooms[name].title if name in memory.rooms else name for line in memory.lines for name in line.rooms})
    if any(room in line.rooms for line in memory.lines):
        return f'The Room "{escape(title)}" is itself a source of a line.'
    return f'None of it was ever said in the Room "{escape(title)}": the lines come from {escape(", ".join(others))}.'


def note_text(note: Note) -> Iterator[str]:
    """Give the note, as the first message of the conversation carries it."""
    yield document(note.text)
    yield f"  (version {note.version} of the memory, SHA-256 {note.hash[:16]}…)"
