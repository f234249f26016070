"""How many tokens one extraction step may use, and for what (X2, X3). Pure."""

from dataclasses import dataclass

from schemas.extraction import RoomIndex
from streams.models.tokens import estimate

SMALLEST_WINDOW = 8_192
_LEAST_FOR_RECORDS = 1_024
SUMMARY_TOKENS_MAX = 3_400
"""Enough for 1,500 characters of any script; a summary of emoji alone is cut."""
_ROOM_FRAMING = 24


class NoRoomInStep(Exception):
    """Instructions leave no room for records in this window: the agent's request fails, with one clear event (C5)."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a step may use at most, and what its instructions take, in tokens."""

    window: int
    step_max_tokens: int
    fixed_tokens: int

    @property
    def step(self) -> int:
        """One whole call, everything counted: half of the window, at most `step_max_tokens`."""
        return min(self.window // 2, self.step_max_tokens)

    @property
    def summary(self) -> int:
        """The place of the Room's summary so far (X1)."""
        return min(SUMMARY_TOKENS_MAX, self.step // 16)


@dataclass(frozen=True, slots=True)
class Limits:
    """A step's tokens for one Room."""

    step: int
    fixed: int
    """Instructions and schema, the Room's names, the place of the summary so far."""

    @property
    def before(self) -> int:
        """At most so many for what was already read."""
        return self.step // 8

    @property
    def records(self) -> int:
        """Left for records, those already read included."""
        return self.step - self.fixed

    @property
    def one_record(self) -> int:
        """The most that any one new record may take, so that it fits a chunk of its own."""
        return self.records - self.before

    @property
    def message_of_user(self) -> int:
        return self.step // 4

    @property
    def message(self) -> int:
        """An agent's message, a Task's report, a tool's error."""
        return min(2_000, self.step // 8)

    @property
    def result_least(self) -> int:
        return min(300, self.step // 8)

    @property
    def result_most(self) -> int:
        return min(2_000, self.step // 8)

    @property
    def arguments(self) -> int:
        return min(300, self.step // 16)

    @property
    def one_before(self) -> int:
        """A record already read is shown by its beginning, so that several fit."""
        return max(64, self.step // 32)


def limits(budget: Budget, room: RoomIndex) -> Limits:
    """Give the limits for one Room's chunks. Raises NoRoomInStep."""
    names = sum(estimate(name) for name in (room.room, room.title, room.project, room.zone))
    result = Limits(budget.step, budget.fixed_tokens + _ROOM_FRAMING + names + budget.summary)
    if budget.window < SMALLEST_WINDOW or result.one_record < _LEAST_FOR_RECORDS:
        raise NoRoomInStep(
            f"window of {budget.window} tokens: {max(0, result.one_record)} left for records, {_LEAST_FOR_RECORDS} are needed"
        )
    return result
