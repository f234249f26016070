"""The port: what an extraction or consolidation call gives and takes, whoever answers it (X13, X14).

A side returns its answer as text, as a model does; the same parsing and gates follow for every side. It raises `ModelFault` when there is
no answer at all.
"""

from dataclasses import dataclass, field
from typing import Protocol

from schemas.base import Value, Whole
from schemas.candidates import Candidate
from schemas.extraction import ChunkInput, Usage
from schemas.memory import Section


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """An answer as it came: its text is a JSON object (`schemas.answers`), or is not."""

    text: str
    stop_reason: str = "end_turn"
    usage: Usage = field(default_factory=Usage)
    fault: str = ""
    """Not empty: the side itself says that this is no result, and why (X14: `no result` for a language without cues)."""


class ModelFault(Exception):
    """A call without an answer. `transient`: worth another try; `retry_after_seconds`: not before that."""

    def __init__(self, fault: str, *, transient: bool, retry_after_seconds: float | None = None) -> None:
        super().__init__(fault)
        self.fault = fault
        self.transient = transient
        self.retry_after_seconds = retry_after_seconds


class ConsolidationInput(Value):
    """All that one consolidation call sees (C3, C5)."""

    agent: str
    sections: tuple[Section, ...]
    candidates: tuple[Candidate, ...]
    window: Whole


class Extractor(Protocol):
    """A side that answers extraction calls."""

    name: str
    """Such as `rules`; it is recorded with every plan and candidate."""
    prompt: str
    """Version of the prompt or the cues, by a hash: another version is another plan."""
    fixed_tokens: int
    """Tokens of instructions and schema in one call."""

    async def extract(self, chunk: ChunkInput, model: str) -> ModelAnswer: ...


class Consolidator(Protocol):
    """A side that answers consolidation calls."""

    name: str
    prompt: str
    fixed_tokens: int

    async def consolidate(self, step: ConsolidationInput, model: str) -> ModelAnswer: ...
