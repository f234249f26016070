"""Judges a model's operations one by one: a good one is applied, a bad one returns its candidates with the reason (C3, C8)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.answers import (
    AddOperation,
    MergeIntoOperation,
    MergeSectionsOperation,
    MoveOperation,
    Operation,
    RejectOperation,
    RemoveOperation,
    RenameSectionOperation,
    ReplaceOperation,
    SetGistOperation,
)
from schemas.candidates import Candidate
from streams.consolidation import arranging, merging
from streams.consolidation.answer import Malformed
from streams.consolidation.draft import Draft
from streams.consolidation.gates import Refused

_GATES: dict[type[Any], Callable[[Draft, Any, Sequence[Candidate]], Draft]] = {
    AddOperation: merging.add,
    MergeIntoOperation: merging.merge_into,
    ReplaceOperation: merging.replace_line,
    RemoveOperation: merging.remove,
    RejectOperation: merging.reject,
    MoveOperation: arranging.move,
    RenameSectionOperation: arranging.rename_section,
    MergeSectionsOperation: arranging.merge_sections,
    SetGistOperation: arranging.set_gist,
}


@dataclass(frozen=True, slots=True)
class Judged:
    """What passed, and what did not."""

    draft: Draft
    returned: dict[str, str]
    """Candidate to the reason why what was made of it is refused."""
    refused: tuple[str, ...]
    """One sentence for each refused operation: its number in the answer, what it is, why."""


def judge(draft: Draft, operations: Sequence[Operation | Malformed]) -> Judged:
    """Give the draft with all operations that their gates let pass.

    Those that decide candidates go first, so that a line ends only because of a candidate that is kept (U06).
    """
    claimed: set[str] = set()
    returned: dict[str, str] = {}
    refused: list[str] = []
    for number, operation in sorted(enumerate(operations, start=1), key=lambda item: (_turn(item[1]), item[0])):
        names = list(dict.fromkeys(getattr(operation, "candidates", ())))
        try:
            draft = _judged(draft, operation, names, claimed)
        except Refused as refusal:
            refused.append(f"{number} {getattr(operation, 'op', 'unknown')}: {refusal.reason}")
            returned |= {name: refusal.reason for name in names if name in draft.offered and name not in claimed}
        claimed.update(names)
    return Judged(draft, returned, tuple(refused))


def _judged(draft: Draft, operation: Operation | Malformed, names: list[str], claimed: set[str]) -> Draft:
    if isinstance(operation, Malformed):
        raise Refused(operation.fault)
    if any(name not in draft.offered for name in names):
        raise Refused("an unknown candidate")
    if claimed.intersection(names):
        raise Refused("a candidate that an earlier operation names")
    candidates = sorted((draft.offered[name] for name in names), key=lambda candidate: (candidate.order, candidate.id))
    return _GATES[type(operation)](draft, operation, candidates)


def _turn(operation: Operation | Malformed) -> int:
    """0: decides candidates alone; 1: because of one that another operation decides; 2: decides none."""
    names = getattr(operation, "candidates", ())
    because = getattr(operation, "because", None)
    if not names:
        return 2
    return 1 if because is not None and because not in names else 0
