"""What an operation of `memory.changed` does to a memory, and which operations lead from one memory to another (C3, C9)."""

from collections.abc import Mapping
from dataclasses import replace

from schemas.memory import AgentMemory, Line, Section
from schemas.operations import AppliedOperation, EndLine, EndSection, EndSummary, PutLine, PutSection, PutSummary, ReturnCandidate
from streams.consolidation.errors import FoldFault


def apply_operation(memory: AgentMemory, operation: AppliedOperation) -> AgentMemory:
    """Give the memory after one operation. Raises FoldFault if it names a section, line or candidate that is not there."""
    match operation:
        case PutSection():
            return put_section(memory, operation)
        case EndSection():
            return end_section(memory, operation.section)
        case PutLine():
            return put_line(memory, operation.section, operation.line)
        case EndLine():
            return end_line(memory, operation.line)
        case PutSummary():
            return replace(memory, summaries={**memory.summaries, operation.summary.room: operation.summary})
        case EndSummary():
            return replace(memory, summaries={room: s for room, s in memory.summaries.items() if room != operation.room})
        case ReturnCandidate():
            return _return_candidate(memory, operation.candidate)


def put_section(memory: AgentMemory, operation: PutSection) -> AgentMemory:
    """Give the memory with this section's title and gist; a new one stands at the end."""
    if any(section.id == operation.section for section in memory.sections):
        sections = tuple(
            section.model_copy(update={"title": operation.title, "gist": operation.gist}) if section.id == operation.section else section
            for section in memory.sections
        )
        return replace(memory, sections=sections)
    new = Section(agent=memory.state.agent, id=operation.section, title=operation.title, gist=operation.gist)
    state = memory.state.model_copy(update={"next_section": max(memory.state.next_section, number(operation.section) + 1)})
    return replace(memory, state=state, sections=(*memory.sections, new))


def end_section(memory: AgentMemory, section: str) -> AgentMemory:
    """Give the memory without a section that has no line."""
    if section_of(memory, section).lines:
        raise FoldFault(f"section {section} has lines")
    return replace(memory, sections=tuple(s for s in memory.sections if s.id != section))


def put_line(memory: AgentMemory, section: str, line: Line) -> AgentMemory:
    """Give the memory with this line: in its place if the section has it, else at the section's end, and in no other section."""
    target = section_of(memory, section)
    in_place = any(old.id == line.id for old in target.lines)
    sections = []
    for old in memory.sections:
        if old.id == section and in_place:
            lines = tuple(line if other.id == line.id else other for other in old.lines)
        else:
            lines = tuple(other for other in old.lines if other.id != line.id) + ((line,) if old.id == section else ())
        sections.append(old if lines == old.lines else old.model_copy(update={"lines": lines}))
    state = memory.state.model_copy(update={"next_line": max(memory.state.next_line, number(line.id) + 1)})
    return replace(memory, state=state, sections=tuple(sections))


def end_line(memory: AgentMemory, line: str) -> AgentMemory:
    """Give the memory without this line."""
    if not any(old.id == line for old in memory.lines):
        raise FoldFault(f"there is no line {line}")
    sections = tuple(
        section.model_copy(update={"lines": tuple(old for old in section.lines if old.id != line)})
        if any(old.id == line for old in section.lines)
        else section
        for section in memory.sections
    )
    return replace(memory, sections=sections)


def _return_candidate(memory: AgentMemory, candidate: str) -> AgentMemory:
    pending = memory.pending.get(candidate)
    if pending is None:
        raise FoldFault(f"candidate {candidate} is not pending")
    returned = pending.model_copy(update={"refusals": pending.refusals + 1})
    return replace(memory, pending={**memory.pending, candidate: returned})


def section_of(memory: AgentMemory, section: str) -> Section:
    """Give the section with this id. Raises FoldFault."""
    for known in memory.sections:
        if known.id == section:
            return known
    raise FoldFault(f"there is no section {section}")


def number(identifier: str) -> int:
    """Give the number in `l12` or `s3`; 0 if there is none."""
    digits = identifier[1:]
    return int(digits) if digits.isascii() and digits.isdigit() else 0


def between(before: AgentMemory, after: AgentMemory, endings: Mapping[str, EndLine]) -> list[AppliedOperation]:
    """Give the operations that lead from the sections, lines and summaries of `before` to those of `after`.

    `endings` says how each line ended that is gone. What came and went in between leaves no trace. Unchanged sections are not named,
    so they stay the same byte for byte (C3).
    """
    operations: list[AppliedOperation] = []
    old_sections = {section.id: section for section in before.sections}
    home = {line.id: (section.id, line) for section in before.sections for line in section.lines}
    for section in after.sections:
        old = old_sections.get(section.id)
        if old is None or (old.title, old.gist) != (section.title, section.gist):
            operations.append(PutSection(section=section.id, title=section.title, gist=section.gist))
    operations += [
        PutLine(section=section.id, line=line)
        for section in after.sections
        for line in section.lines
        if home.get(line.id) != (section.id, line)
    ]
    kept = {line.id for line in after.lines}
    operations += [endings[line.id] for line in before.lines if line.id not in kept]
    remaining = {section.id for section in after.sections}
    operations += [EndSection(section=section.id) for section in before.sections if section.id not in remaining]
    operations += [
        PutSummary(summary=summary) for room, summary in sorted(after.summaries.items()) if before.summaries.get(room) != summary
    ]
    operations += [EndSummary(room=room) for room in sorted(before.summaries.keys() - after.summaries.keys())]
    return operations
