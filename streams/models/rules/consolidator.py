"""The offline consolidator: equal words become one line, an explicit correction ends what it names, all else is added (C3, C4, U06).

It proposes; `decide` judges each operation as it would a model's. It knows nothing of meaning: two lines that say the same in other words
stay two, and a change that names neither the old thing nor one of its kind leaves the old line standing.
"""

from dataclasses import dataclass
from datetime import datetime

from schemas.answers import (
    AddOperation,
    ConsolidationAnswer,
    MergeIntoOperation,
    Operation,
    RejectOperation,
    RemoveOperation,
    ReplaceOperation,
)
from schemas.candidates import Candidate, Scope
from schemas.codec import encode
from schemas.ids import short_hash
from schemas.memory import Line
from streams.models.port import ConsolidationInput, ModelAnswer
from streams.models.rules import contradiction
from streams.models.rules.contradiction import contradicts
from streams.models.words import normalise

VERSION = 1
MOST_ENDED = 3
"""Lines that one candidate may end (C8)."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Candidates with equal words, the same scope and about the same people, the oldest first."""

    candidates: tuple[Candidate, ...]

    @property
    def latest(self) -> Candidate:
        return self.candidates[-1]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(candidate.id for candidate in self.candidates)


class RulesConsolidator:
    """Answers consolidation calls by comparing words, without a network."""

    name = "rules"
    prompt = "rules-" + short_hash(f"{VERSION} {contradiction.VERSION}")
    fixed_tokens = 0

    async def consolidate(self, step: ConsolidationInput, model: str) -> ModelAnswer:
        """The answer, as JSON of the shape `ConsolidationAnswer`: each candidate is named by exactly one operation."""
        return ModelAnswer(text=encode(ConsolidationAnswer(operations=operations(step))).decode())


def operations(step: ConsolidationInput) -> tuple[Operation, ...]:
    """What to do with the step's candidates; the same step always gives the same operations."""
    groups = _groups(step.candidates)
    now = max((candidate.said_at for candidate in step.candidates), default=None)
    lines = [line for section in step.sections for line in section.lines]
    dead, ended = _corrected(groups, lines, now)
    done: list[Operation] = []
    removals: list[Operation] = []
    for group in groups:
        cause = dead.get(group.latest.id)
        if cause is not None:
            done.append(RejectOperation(op="reject", candidates=group.ids, reason="disproved: it was said later that this is replaced"))
            continue
        its_lines = [line for line in lines if ended.get(line.id) == group.latest.id]
        equal = next((line for line in lines if line.id not in ended and _says(line, group.latest)), None)
        if equal is not None:
            done.append(MergeIntoOperation(op="merge_into", line=equal.id, candidates=group.ids))
        elif its_lines:
            first, *its_lines = its_lines
            done.append(
                ReplaceOperation(
                    op="replace",
                    line=first.id,
                    text=group.latest.statement,
                    cause="disproved",
                    candidates=group.ids,
                    because=group.latest.id,
                )
            )
        else:
            done.append(AddOperation(op="add", section=group.latest.topic, text=group.latest.statement, candidates=group.ids))
        # After the operation that keeps their cause.
        removals += [RemoveOperation(op="remove", line=line.id, cause="disproved", because=group.latest.id) for line in its_lines]
    return (*done, *removals)


def _groups(candidates: tuple[Candidate, ...]) -> list[_Group]:
    found: dict[tuple[str, str, str, str], list[Candidate]] = {}
    for candidate in sorted(candidates, key=_time):
        key = (normalise(candidate.statement), candidate.scope.kind, candidate.scope.id, normalise(candidate.about))
        found.setdefault(key, []).append(candidate)
    return sorted((_Group(tuple(group)) for group in found.values()), key=lambda group: _time(group.latest))


def _time(candidate: Candidate) -> tuple[datetime, tuple[int, str, int, int], str]:
    """Later is by what holds, then by what was said, never by arrival (C4)."""
    return candidate.holds_from or candidate.said_at, candidate.order, candidate.id


def _corrected(groups: list[_Group], lines: list[Line], now: datetime | None) -> tuple[dict[str, str], dict[str, str]]:
    """Which groups (by their latest candidate) and which lines a later candidate ends, each with the candidate because of which."""
    dead: dict[str, str] = {}
    ended: dict[str, str] = {}
    for at in range(len(groups) - 1, -1, -1):
        cause = groups[at].latest
        is_future = now is not None and cause.holds_from is not None and cause.holds_from > now
        # What is itself replaced by something later replaces nothing; a future change stands beside today's rule.
        if cause.id in dead or not cause.corrects or is_future:
            continue
        for other in groups[:at]:
            earlier = other.latest
            is_later = (cause.holds_from or cause.said_at) > (earlier.holds_from or earlier.said_at)
            if (
                earlier.id not in dead
                and is_later
                and _meets(cause, earlier)
                and contradicts(cause, earlier.statement, same_place=_same_place(cause, earlier.scope, (earlier.room,)))
            ):
                dead[earlier.id] = cause.id
        for line in lines:
            is_later = (cause.holds_from or cause.said_at) > (line.holds_from or line.said_at)
            count = sum(because == cause.id for because in ended.values())
            if line.id in ended or count >= MOST_ENDED or not is_later or line.pinned:
                continue
            said_again = any(_says(line, group.latest) and _time(group.latest) > _time(cause) for group in groups)
            if (
                not said_again
                and _meets(cause, line)
                and contradicts(cause, line.text, same_place=_same_place(cause, line.scope, line.rooms))
            ):
                ended[line.id] = cause.id
    return dead, ended


def _meets(cause: Candidate, other: Candidate | Line) -> bool:
    """Whether the cause may end it: as trusted, about the same people, in a scope that overlaps."""
    trusted = cause.trust.rank >= other.trust.rank
    return trusted and normalise(cause.about) == normalise(other.about) and _overlap(cause, other.scope)


def _overlap(cause: Candidate, scope: Scope) -> bool:
    if "everywhere" in (cause.scope.kind, scope.kind) or cause.scope == scope:
        return True
    # The project's own Room, as far as it is known here: that in which the cause was said.
    return cause.scope.kind == "project" and scope.kind == "room" and scope.id == cause.room


def _same_place(cause: Candidate, scope: Scope, rooms: tuple[str, ...]) -> bool:
    """Whether what is replaced was said for everywhere, for the cause's own project or Room, or in the same Room."""
    return scope.kind == "everywhere" or scope == cause.scope or cause.room in rooms


def _says(line: Line, candidate: Candidate) -> bool:
    """Whether the line says it in equal words, for the same people and at least as widely."""
    same_place = line.scope.kind == "everywhere" or line.scope == candidate.scope
    return same_place and normalise(line.about) == normalise(candidate.about) and normalise(line.text) == normalise(candidate.statement)
