"""One line of the memory as one line of Markdown: the statement, why, and in words where, for whom and when it holds (X8, W1)."""

from datetime import datetime

from schemas.candidates import Reporter, Trust
from schemas.memory import Line
from streams.workspaces.markdown import clean, plain, shortened

REASON_CHARACTERS = 160
NAME_CHARACTERS = 60
_BY = {
    Reporter.GUEST: "a guest",
    Reporter.TOOL: "a tool",
    Reporter.TASK_REPORT: "a Task's report",
    Reporter.OTHER_AGENT: "another agent",
}
_ENDS = (".", "!", "?", "…", "。", "！", "？", ";", ":")
_SEPARATORS = frozenset("();,:“”")


def statement(line: Line) -> str:
    """Give the line without its bullet, on one line of Markdown."""
    text = plain(line.text)
    if clean(line.reason):
        # No full stop is put after the text: behind a number it would begin an ordered list.
        why = " Why" if text.endswith(_ENDS) else "; why"
        text = f"{text}{why}: {plain(shortened(line.reason, REASON_CHARACTERS))}"
    return f"{text} ({'; '.join(_circumstances(line))})"


def _circumstances(line: Line) -> list[str]:
    words = ["pinned"] if line.pinned else []
    if line.scope.kind == "room":
        words.append(f"in Room {_name(line.scope.id)}")
    elif line.scope.kind == "project":
        words.append(f"in project {_name(line.scope.id)}")
    if line.about != "everyone":
        words.append(f"about {_name(line.about)}")
    if line.holds_from:
        words.append(f"from {moment_in_words(line.holds_from)}")
    if line.holds_until:
        words.append(f"until {moment_in_words(line.holds_until)}")
    said = f"said on {line.said_at.date().isoformat()}"
    if line.trust is Trust.AGENT:
        said = f"{said} by the agent itself"
    elif line.trust is Trust.REPORTED:
        said = f"{said} by {_BY[line.reporter] if line.reporter else 'a guest, a tool or another agent'}"
    return [*words, said]


def moment_in_words(moment: datetime) -> str:
    """Give the date in the moment's own zone, with time and offset unless it is the beginning or the end of that day."""
    if (moment.hour, moment.minute) in ((0, 0), (23, 59)):
        return moment.date().isoformat()
    return f"{moment:%Y-%m-%d %H:%M} ({moment.isoformat()[-6:]})" if moment.utcoffset() else f"{moment:%Y-%m-%d %H:%M} UTC"


def _name(name: str) -> str:
    """Give a name that can't be taken for more of the sentence: in quotation marks if it holds what separates here."""
    text = shortened(name, NAME_CHARACTERS) or "?"
    if not _SEPARATORS.intersection(text):
        return plain(text)
    return f"“{plain(text.replace('“', '').replace('”', ''))}”"
