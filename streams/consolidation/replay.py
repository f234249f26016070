"""Folds the journal for all agents: what a running consolidator and a rebuild share (C13, T1)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from schemas.base import MAIN
from schemas.journal import DecisionRecord, FoldSkipped, Journal
from schemas.memory import AgentMemory
from streams.consolidation.errors import FoldFault
from streams.consolidation.fold import fold


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of one journal record."""

    agent: str
    decided: tuple[DecisionRecord, ...] = ()
    fault: str = ""
    """Why it was skipped now; the caller records a `fold.skipped`, which every later replay honours."""


class Replay:
    """The memories of one derivation, as far as the journal has been taken."""

    def __init__(self, memories: Mapping[str, AgentMemory] | None = None, *, skipped: Collection[int] = (), derivation: str = MAIN) -> None:
        self.memories: dict[str, AgentMemory] = dict(memories or {})
        self.derivation = derivation
        self._skipped = frozenset(skipped)

    def take(self, record: Journal, offset: int) -> Taken:
        """Fold the record at `offset`. An exception skips it for its agent and for nobody else."""
        agent = record.agent
        if offset in self._skipped or isinstance(record, FoldSkipped):
            return Taken(agent)
        before = self.memories.get(agent) or AgentMemory.empty(agent)
        try:
            folded = fold(before, record, offset, self.derivation)
        except Exception as error:
            return Taken(agent, fault=str(error)[:200] if isinstance(error, FoldFault) else type(error).__name__)
        if folded.memory is not before:
            self.memories[agent] = folded.memory
        return Taken(agent, folded.decided)
