"""Invariant 4: the memory keeps within its share of the window, within its sections, lines and Rooms (C3, C5, W2). Pure."""

from collections.abc import Iterator
from functools import lru_cache

from streams.audit.invariants.refold import Revised
from streams.audit.invariants.violation import JOURNAL, Invariant, Violation
from streams.models.tokens import estimate

SECTIONS_MAX = 40
LINES_MAX = 30
SECTIONS_FOR_EVERY = 200_000  # tokens of window, started
SUMMARIES_MAX = 30
_SHORT_EDITION_BELOW = 32_768


def share(window: int) -> int:
    """Tokens that the memory may take (C5): 2,048 of 8,192, 8,192 of 32,768, 50,000 of 200,000, 250,000 of 1,000,000."""
    step = window // 2
    fixed = 1_024 if window < _SHORT_EDITION_BELOW else 4_096
    return min(step // 2, step - fixed - step // 4)


def sections_max(window: int) -> int:
    """Sections that a memory for this window may have."""
    return SECTIONS_MAX * -(-window // SECTIONS_FOR_EVERY)


def see_revision(revised: Revised) -> Iterator[Violation]:
    """Judge the memory after one revision by its window. Its bare words must fit already, without the marks of any rendering."""
    memory, window = revised.memory, revised.changed.window
    at = f"after {JOURNAL}{revised.offset} (version {revised.changed.version})"
    words = [title for title, _ in memory.titles.values()] + [line.text for line in memory.all_lines.values()]
    # What is long in pieces may still be short enough as a whole, not the other way round.
    tokens = sum(_estimated(text) for text in words)
    if tokens > share(window):
        tokens = estimate("\n".join(_seen(text) for text in words))
    if tokens > share(window):
        yield _violation(
            memory.agent, f"{at} the memory's words take {tokens} tokens; its share of a window of {window} is {share(window)}"
        )
    if len(memory.titles) > sections_max(window):
        yield _violation(memory.agent, f"{at} there are {len(memory.titles)} sections; {sections_max(window)} may be")
    for section, lines in memory.lines.items():
        if len(lines) > LINES_MAX:
            yield _violation(memory.agent, f"{at} section {section} has {len(lines)} lines; {LINES_MAX} may be")
    busy = memory.waiting_summaries | {room for _, room in memory.pending.values()}
    for summary in memory.summaries.values():
        newer = sum(other.newest > summary.newest for other in memory.summaries.values())
        if newer >= SUMMARIES_MAX and summary.room not in busy:
            yield _violation(memory.agent, f"{at} Room {summary.room} keeps its summary, though {newer} Rooms have newer ones")


def see_file(agent: str, place: str, text: str, window: int) -> Iterator[Violation]:
    """Judge a MEMORY.md as it lies in a workspace."""
    tokens = estimate(text)
    if tokens > share(window):
        yield _violation(agent, f"{place} takes {tokens} tokens; {share(window)} is the memory's share of a window of {window}")


@lru_cache(maxsize=50_000)
def _estimated(text: str) -> int:
    # From revision to revision nearly all words stay.
    return estimate(_seen(text))


def _seen(text: str) -> str:
    # A rendering leaves out what is not seen, and it must not count here either.
    return "".join(character for character in text if character.isprintable())


def _violation(agent: str, sentence: str) -> Violation:
    return Violation(Invariant.SHARE, agent, sentence)
