"""The memory as a step changes it, while a model's operations are judged: a value, so that a refused operation leaves nothing behind."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from schemas.base import Identifier, Moment
from schemas.candidates import Candidate, Scope
from schemas.memory import AgentMemory, Line, Section
from schemas.operations import Decision, Ending, EndLine, PutSection, Verdict
from streams.consolidation.budgets import Limits
from streams.consolidation.gates import Refused
from streams.consolidation.operations import end_line, put_line, put_section
from streams.models.words import absent, details, normalise

LONGEST_TITLE_CHARACTERS = 60
_SECTION_ID = re.compile(r"s\d+")


@dataclass(frozen=True, slots=True)
class Draft:
    """A step on its way: the memory so far, what is decided, which lines ended and how."""

    before: AgentMemory
    memory: AgentMemory
    offered: Mapping[Identifier, Candidate]
    at: Moment
    limits: Limits
    decisions: Mapping[Identifier, Decision] = field(default_factory=dict)
    endings: Mapping[Identifier, EndLine] = field(default_factory=dict)
    removals: int = 0
    disproved_by: Mapping[Identifier, int] = field(default_factory=dict)

    @property
    def version(self) -> int:
        """The version that the step makes."""
        return self.memory.state.version

    # --- looking up

    def line(self, name: str) -> Line:
        """Give a line that the model has seen and that is still there. Raises Refused."""
        if not any(line.id == name for line in self.before.lines):
            raise Refused("an unknown line")
        for line in self.memory.lines:
            if line.id == name:
                return line
        raise Refused("the line has ended already")

    def section_with(self, line: str) -> str:
        """Give the id of the section that holds the line."""
        return next(section.id for section in self.memory.sections if any(other.id == line for other in section.lines))

    def section(self, name: str) -> Section | None:
        """Give the section with this id or title; None if there is none."""
        wanted = normalise(name)
        return next((s for s in self.memory.sections if s.id == name or normalise(s.title) == wanted), None)

    def equal_line(self, text: str, about: str, scope: Scope) -> Line | None:
        """Give the line that says the same in equal normalised words, where it covers this scope."""
        wanted, whom = normalise(text), normalise(about)
        for line in self.memory.lines:
            if (
                normalise(line.text) == wanted
                and normalise(line.about) == whom
                and (line.scope == scope or line.scope.kind == "everywhere")
            ):
                return line
        return None

    def next_line(self) -> str:
        """Give the id of the next new line."""
        return f"l{self.memory.state.next_line}"

    # --- changing

    def in_section(self, name: str, line: Line, sources: str) -> "Draft":
        """Put a line into the section with this id or title, or into a new one with that title. Raises Refused."""
        known = self.section(name)
        if known is not None:
            return replace(self, memory=put_line(self.memory, known.id, line))
        new = PutSection(section=f"s{self.memory.state.next_section}", title=title(name, sources))
        return replace(self, memory=put_line(put_section(self.memory, new), new.section, line))

    def put(self, section: str, line: Line) -> "Draft":
        """Put a line into the section with this id."""
        return replace(self, memory=put_line(self.memory, section, line))

    def end(self, line: Line, how: Ending, *, because: str | None, into: str | None) -> "Draft":
        """End a line."""
        ending = EndLine(line=line.id, how=how, because=because, into=into)
        return replace(self, memory=end_line(self.memory, line.id), endings={**self.endings, line.id: ending})

    def decide(self, candidate: str, verdict: Verdict, line: str | None = None, reason: str = "") -> "Draft":
        """Decide a candidate."""
        decision = Decision(candidate=candidate, verdict=verdict, line=line, reason=reason[:200])
        return replace(self, decisions={**self.decisions, candidate: decision})

    def removing(self, because: str | None = None) -> "Draft":
        """Count one removal by the model. Raises Refused over the step's limit, or over that of one cause (C8)."""
        most = max(1, len(self.before.lines) // self.limits.removals_of)
        if self.removals >= most:
            raise Refused(f"more than {most} removals in one step")
        counted = replace(self, removals=self.removals + 1)
        if because is None:
            return counted
        times = self.disproved_by.get(because, 0) + 1
        if times > self.limits.disproved_by_one:
            raise Refused(f"one cause ends more than {self.limits.disproved_by_one} lines")
        return replace(counted, disproved_by={**self.disproved_by, because: times})


def title(name: str, sources: str) -> str:
    """Give a section's title in one line of at most 60 characters. Raises Refused if it is none, or has a number or name from nowhere."""
    words = " ".join(name.split())[:LONGEST_TITLE_CHARACTERS].rstrip()
    if not normalise(words) or _SECTION_ID.fullmatch(words):
        raise Refused("no title, or an unknown section")
    if absent(details(words), sources):
        raise Refused("a title with a number, path, name or negation from nowhere")
    return words
