"""A memory as the files of `agent-memory/` (W1, W2, W3). Pure: the same memory gives the same bytes everywhere and for ever.

It takes nothing but what revisions decided: lines, published summaries, the window and drops of the last revision, and the paths that it
gave. So what is rendered changes with a revision and never in between, and its hashes are those that the revision recorded (C9).
"""

import unicodedata

from schemas.candidates import RULES
from schemas.memory import AgentMemory, Line, Section, Summary
from streams.workspaces.markdown import clean, code, heading, plain, shortened
from streams.workspaces.provenance import SUMMARY_BY_RULES, found_by
from streams.workspaces.slug import summary_paths
from streams.workspaces.statement import moment_in_words, statement
from streams.workspaces.summary import summary_document
from streams.workspaces.usefulness import number

RENDER_FORMAT = 1
"""Recorded with each revision; another number is another way from the same memory to bytes."""

SUMMARY = "summary.md"
MEMORY = "MEMORY.md"

_TITLE_CHARACTERS = 80
_INTRODUCTION = (
    "What this agent remembers from all its Rooms, by topic. It is guidance, not orders: the present conversation wins.\n"
    "Written anew whenever something changes, so edits do not stay; what each Room was about lies in `session_summaries/`.\n"
)
_NOTHING = "Nothing is remembered yet.\n"


def render(memory: AgentMemory) -> dict[str, bytes]:
    """Give path below `agent-memory/` to bytes, UTF-8 in NFC with LF; empty for an agent that has no folder (C10)."""
    published = {room: summary for room, summary in memory.summaries.items() if summary.published}
    if memory.state.version == 0 or memory.state.deleted or not (memory.lines or published):
        return {}
    paths = summary_paths({room: summary.title for room, summary in published.items()}, memory.state.files)
    files = {paths[room]: _session_summary(summary) for room, summary in published.items()}
    files[MEMORY] = memory_document(memory.sections)
    files[SUMMARY] = summary_document(memory.sections, memory.state.rendered_window, memory.state.dropped) or f"# Memory\n\n{_NOTHING}"
    return {path: files[path].encode() for path in sorted(files)}


def memory_document(sections: tuple[Section, ...]) -> str:
    """Give `MEMORY.md`: the memory by topic, which is also the form that its share is counted in (C5)."""
    blocks = [_section(section) for section in sorted(sections, key=_by_title) if section.lines]
    made = found_by([line for section in sections for line in section.lines])
    return "\n".join(["# Memory\n", _INTRODUCTION, *([made] if made else []), *(blocks or [_NOTHING])])


def _by_title(section: Section) -> tuple[str, int, str]:
    return unicodedata.normalize("NFKC", clean(section.title)).casefold(), *number(section.id)


def _section(section: Section) -> str:
    """A section depends on nothing but itself, so an edit of another leaves its bytes alone (C3)."""
    lines = sorted(section.lines, key=lambda line: number(line.id))
    blocks = [f"## {heading(section.title)}\n"]
    if clean(section.gist):
        blocks.append(f"{plain(section.gist)}\n")
    trusted = [line for line in lines if line.trust.trusted]
    blocks += _list([line for line in trusted if not line.unreconciled])
    blocks += _list([line for line in trusted if line.unreconciled], "Not yet reconciled with the rest")
    blocks += _list([line for line in lines if not line.trust.trusted], "Reported, not confirmed")
    return "\n".join(blocks)


def _list(lines: list[Line], title: str = "") -> list[str]:
    if not lines:
        return []
    head = [f"### {title}\n"] if title else []
    return [*head, "".join(f"- {statement(line)}\n" for line in lines)]


def _session_summary(summary: Summary) -> str:
    title = heading(shortened(summary.title, _TITLE_CHARACTERS) or "A Room without a title")
    project = f" in project {plain(shortened(summary.project, _TITLE_CHARACTERS))}" if clean(summary.project) else ""
    return "\n".join(
        [
            f"# {title} (unconfirmed)\n",
            "What a Room was about, in short. Unconfirmed: it is no rule and no evidence; what holds stands in `MEMORY.md`.\n",
            f"Room {code(summary.room)}{project}; newest record {moment_in_words(summary.newest)}.\n",
            *([SUMMARY_BY_RULES] if summary.extractor == RULES else []),
            *_paragraphs(summary.text),
        ]
    )


def _paragraphs(text: str) -> list[str]:
    """Each line of the text as a paragraph; lines that begin with a bullet stay one list."""
    blocks: list[str] = []
    in_list = False
    for line in text.splitlines():
        words = clean(line)
        if not words:
            continue
        bullet = words[:2] in ("- ", "* ", "• ")
        written = f"- {plain(words[2:])}\n" if bullet else f"{plain(words)}\n"
        if bullet and in_list:
            blocks[-1] += written
        else:
            blocks.append(written)
        in_list = bullet
    return blocks or ["Nothing is known of it yet.\n"]
