"""The shapes of a model's answers, before any gate has looked at them (X6, C3).

Read leniently: one bad item does not spoil its neighbours. The caps of the contract are applied by the gates.
"""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from schemas.base import Value


class _Answer(Value):
    # Words of a model: sizes are capped by gates, so that an answer that is too long is a recorded rejection and not a parse error.
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class CandidateDraft(_Answer):
    statement: str
    reason: str | None = None
    topic: str
    kind: str
    scope: str = "everywhere"
    """`everywhere`, `room` or `project:<name>`."""
    about: str = "everyone"
    evidence: tuple[str, ...]
    quote: str
    holds_from: str | None = None
    holds_until: str | None = None
    corrects: str | None = None


class ExtractionAnswer(_Answer):
    summary: str
    candidates: tuple[CandidateDraft, ...]


class AddOperation(_Answer):
    op: Literal["add"]
    section: str
    text: str
    candidates: tuple[str, ...]


class ReplaceOperation(_Answer):
    op: Literal["replace"]
    line: str
    text: str
    cause: Literal["disproved", "refined"]
    candidates: tuple[str, ...]
    because: str | None = None


class MergeIntoOperation(_Answer):
    """The candidates say the same as the line."""

    op: Literal["merge_into"]
    line: str
    text: str | None = None
    candidates: tuple[str, ...]


class RemoveOperation(_Answer):
    op: Literal["remove"]
    line: str
    cause: Literal["disproved", "duplicate"]
    survivor: str | None = None
    candidates: tuple[str, ...] = ()
    because: str | None = None
    """The candidate because of which the line ends; it may be decided by another operation."""


class MoveOperation(_Answer):
    op: Literal["move"]
    line: str
    section: str
    because: str | None = None


class RejectOperation(_Answer):
    op: Literal["reject"]
    candidates: tuple[str, ...]
    reason: str


class RenameSectionOperation(_Answer):
    op: Literal["rename_section"]
    section: str
    title: str


class MergeSectionsOperation(_Answer):
    op: Literal["merge_sections"]
    section: str
    into: str


class SetGistOperation(_Answer):
    op: Literal["set_gist"]
    section: str
    text: str


Operation = Annotated[
    AddOperation
    | ReplaceOperation
    | MergeIntoOperation
    | RemoveOperation
    | MoveOperation
    | RejectOperation
    | RenameSectionOperation
    | MergeSectionsOperation
    | SetGistOperation,
    Field(discriminator="op"),
]


class ConsolidationAnswer(_Answer):
    operations: tuple[Operation, ...]
