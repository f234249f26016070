"""`summary.md`: the short index that the note carries, within its budget of tokens (W1, C12).

Half of it are trusted rules, preferences and pins in full, half one line for each section; what one half leaves, the other may take.
Nothing that is unconfirmed stands in it.
"""

from collections.abc import Iterable

from schemas.memory import Line, Section
from streams.models.tokens import estimate
from streams.workspaces.markdown import plain, shortened
from streams.workspaces.provenance import found_by
from streams.workspaces.statement import statement
from streams.workspaces.usefulness import confirmed, in_full, most_useful, usefulness

MOST_TOKENS = 2_500
LEAST_TOKENS = 300
SHARE_OF_WINDOW = 64
TITLE_CHARACTERS = 60
GIST_CHARACTERS = 120
MISFITS_PASSED = 64
"""How many rules that are too long for what is left are passed over in the search for shorter ones."""
SHORTEST_RULE_TOKENS = 10


def budget(window: int) -> int:
    """Give the most tokens that `summary.md` takes for a context window of so many tokens."""
    return max(LEAST_TOKENS, min(MOST_TOKENS, window // SHARE_OF_WINDOW))


def has_summary(sections: Iterable[Section]) -> bool:
    """Whether anything confirmed is remembered: without it there is no note (C10, R4)."""
    return any(confirmed(line) for section in sections for line in section.lines)


def summary_document(sections: tuple[Section, ...], window: int, dropped: int) -> str:
    """Give the document, at most `budget(window)` tokens long; empty if nothing confirmed is remembered."""
    if not has_summary(sections):
        return ""
    rules = sorted((line for section in sections for line in section.lines if in_full(line)), key=usefulness)
    rows = _rows(sections)
    most = budget(window)
    found = found_by([line for section in sections for line in section.lines if confirmed(line)])
    chosen = _Chosen(rules, rows, dropped, found)
    half = (most - estimate(chosen.document())) // 2
    left = most - estimate(chosen.document())
    left -= chosen.take_rules(half)
    left -= chosen.take_rows(left)
    chosen.take_rules(left)
    while estimate(chosen.document()) > most and chosen.give_up_one():
        pass
    return chosen.document()


def _rows(sections: Iterable[Section]) -> list[str]:
    """One line for each section that has a confirmed line, the most useful section first."""
    ranked = sorted(((key, section) for section in sections if (key := most_useful(section)) is not None), key=lambda pair: pair[0])
    return [_row(section) for _, section in ranked]


def _row(section: Section) -> str:
    count = len(section.lines)
    title = plain(shortened(section.title, TITLE_CHARACTERS))
    gist = shortened(section.gist, GIST_CHARACTERS)
    return f"- {title} ({count} {'line' if count == 1 else 'lines'}){f': {plain(gist)}' if gist else ''}\n"


class _Chosen:
    """What goes into the document so far: rules by usefulness, as many as fit, and a beginning of the rows."""

    def __init__(self, rules: list[Line], rows: list[str], dropped: int, found: str) -> None:
        self._lines = rules
        self._rules: dict[int, tuple[str, int]] = {}  # as written, with its tokens; only of those that were looked at
        self._rows = rows
        self._dropped = dropped
        self._found = found
        self._taken: set[int] = set()
        self._row_count = 0

    def take_rules(self, tokens: int) -> int:
        """Take the rules that fit into so many tokens, past some that do not fit; give how many tokens they need."""
        used = misfits = 0
        for index in range(len(self._lines)):
            if misfits >= MISFITS_PASSED or tokens - used < SHORTEST_RULE_TOKENS:
                break
            if index in self._taken:
                continue
            _, cost = self._rule(index)
            if used + cost > tokens:
                misfits += 1
                continue
            self._taken.add(index)
            used += cost
        return used

    def _rule(self, index: int) -> tuple[str, int]:
        if index not in self._rules:
            text = f"- {statement(self._lines[index])}\n"
            self._rules[index] = text, estimate(text)
        return self._rules[index]

    def take_rows(self, tokens: int) -> int:
        """Take the first rows that fit into so many tokens; give how many tokens they need."""
        used = 0
        for text in self._rows:
            cost = estimate(text)
            if used + cost > tokens:
                break
            self._row_count += 1
            used += cost
        return used

    def give_up_one(self) -> bool:
        """Leave out the least useful of what was taken; give whether there was anything."""
        if self._row_count:
            self._row_count -= 1
        elif self._taken:
            self._taken.remove(max(self._taken))
        else:
            return False
        return True

    def document(self) -> str:
        parts = ["# Memory: summary\n"]
        if self._taken:
            parts += ["## Rules, preferences and pins\n", "".join(self._rule(index)[0] for index in sorted(self._taken))]
        more = len(self._rows) - self._row_count
        rows = "".join(self._rows[: self._row_count]) + (f"- and {more} more\n" if more else "")
        parts += ["## Topics\n", rows, _end(len(self._lines) - len(self._taken), self._dropped) + self._found]
        return "\n".join(parts)


def _end(rules_left: int, dropped: int) -> str:
    rules = "1 rule, preference or pin is" if rules_left == 1 else f"{rules_left or 'No'} rules, preferences or pins are"
    lines = "1 line" if dropped == 1 else f"{dropped or 'no'} lines"
    return f"{rules} only in `MEMORY.md`; the last revision dropped {lines} for want of room.\n"
