"""What goes when the memory outgrows its share: the least useful lines, one by one, the same ones everywhere (C3, C6)."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from schemas.memory import AgentMemory, Line
from streams.consolidation.budgets import Limits, share
from streams.models.tokens import estimate
from streams.workspaces.render import memory_document
from streams.workspaces.usefulness import usefulness


def memory_tokens(memory: AgentMemory) -> int:
    """Give the tokens of the memory in the form that the model sees."""
    return estimate(memory_document(memory.sections)) if memory.lines else 0


def too_many(memory: AgentMemory, window: int, limits: Limits) -> bool:
    """Say whether there are more sections, or lines in one of them, than the window allows."""
    return len(memory.sections) > limits.sections_in(window) or any(len(s.lines) > limits.lines_in_section for s in memory.sections)


def over_budget(memory: AgentMemory, window: int, limits: Limits) -> tuple[Line, ...]:
    """Give the lines that must go, the least useful first: over a section's length, then over the sections, then over the share."""
    gone: dict[str, Line] = {}
    kept = []
    for section in memory.sections:
        by_use = sorted(section.lines, key=usefulness)
        gone |= {line.id: line for line in by_use[limits.lines_in_section :]}
        kept.append(by_use[: limits.lines_in_section])
    kept = sorted((lines for lines in kept if lines), key=lambda lines: usefulness(lines[0]))
    for lines in kept[limits.sections_in(window) :]:
        gone |= {line.id: line for line in lines}
    left = sorted((line for line in memory.lines if line.id not in gone), key=usefulness, reverse=True)
    gone |= {line.id: line for line in left[: _over_share(memory, frozenset(gone), left, share(window))]}
    return tuple(sorted(gone.values(), key=usefulness, reverse=True))


def _over_share(memory: AgentMemory, gone: frozenset[str], left: Sequence[Line], tokens: int) -> int:
    """Give the least number of lines of `left`, from the first on, without which the rest fits."""

    def fits(count: int) -> bool:
        return memory_tokens(without(memory, gone | {line.id for line in left[:count]})) <= tokens

    if fits(0):
        return 0
    least, most = 1, len(left)
    while least < most:
        middle = (least + most) // 2
        least, most = (least, middle) if fits(middle) else (middle + 1, most)
    return least


def without(memory: AgentMemory, names: Collection[str]) -> AgentMemory:
    """Give the memory without these lines, and without sections that have none left."""
    sections = []
    for section in memory.sections:
        lines = tuple(line for line in section.lines if line.id not in names)
        if lines:
            sections.append(section if len(lines) == len(section.lines) else section.model_copy(update={"lines": lines}))
    return replace(memory, sections=tuple(sections))


def score(line: Line) -> str:
    """Give in words what was compared, for the record of the drop."""
    rank = ("pin", "trusted rule", "preference or decision", "rest")[usefulness(line)[0]]
    return f"{rank}, {len(line.rooms)} Rooms, said {line.said_at.isoformat()}"
