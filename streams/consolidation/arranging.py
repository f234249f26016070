"""Operations that arrange lines and name sections: move, rename, merge sections, set a gist (C3, C12)."""

from collections.abc import Sequence
from dataclasses import replace

from schemas.answers import MergeSectionsOperation, MoveOperation, RenameSectionOperation, SetGistOperation
from schemas.candidates import Candidate
from schemas.memory import Section
from schemas.operations import PutSection
from streams.consolidation.draft import Draft, title
from streams.consolidation.gates import Refused
from streams.consolidation.operations import put_line, put_section
from streams.models.words import absent, content_words, details

LONGEST_GIST_CHARACTERS = 120

Candidates = Sequence[Candidate]


def move(draft: Draft, operation: MoveOperation, _: Candidates) -> Draft:
    """A line goes under another title."""
    line = draft.line(operation.line)
    return draft.in_section(operation.section, line, f"{line.text} {line.reason}")


def rename_section(draft: Draft, operation: RenameSectionOperation, _: Candidates) -> Draft:
    """A section gets another title, which no other has."""
    section = _section(draft, operation.section)
    name = title(operation.title, _words(section))
    other = draft.section(name)
    if other is not None and other.id != section.id:
        raise Refused("another section has that title")
    return _put(draft, section, name, section.gist)


def merge_sections(draft: Draft, operation: MergeSectionsOperation, _: Candidates) -> Draft:
    """All lines of a section go into another."""
    section, into = _section(draft, operation.section), _section(draft, operation.into)
    if section.id == into.id:
        raise Refused("a section and itself")
    memory = draft.memory
    for line in section.lines:
        memory = put_line(memory, into.id, line)
    return replace(draft, memory=memory)


def set_gist(draft: Draft, operation: SetGistOperation, _: Candidates) -> Draft:
    """A section's gist: what its trusted lines say, nothing from elsewhere."""
    section = _section(draft, operation.section)
    gist = " ".join(operation.text.split())
    if len(gist) > LONGEST_GIST_CHARACTERS:
        raise Refused("too long")
    said = _words(section)
    words = content_words(gist)
    if absent(details(gist), said) or 2 * len(words & content_words(said)) < len(words):
        raise Refused("says what the section's trusted lines don't")
    return _put(draft, section, section.title, gist)


def _section(draft: Draft, name: str) -> Section:
    section = draft.section(name)
    if section is None:
        raise Refused("an unknown section")
    return section


def _words(section: Section) -> str:
    return " ".join((section.title, *(f"{line.text} {line.reason}" for line in section.lines if line.trust.trusted)))


def _put(draft: Draft, section: Section, name: str, gist: str) -> Draft:
    return replace(draft, memory=put_section(draft.memory, PutSection(section=section.id, title=name, gist=gist)))
