"""When something is due for an agent by itself, as the log's time goes on (A6). Pure.

A deadline is a function of the agent's row, so that the agenda of a partition can be made again from its rows at any time.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from streams.activity.rows import AgentRow


@dataclass(frozen=True, slots=True)
class Timing:
    """The settings of A3 and A6; durations in milliseconds."""

    idle_after: int
    run_timeout: int
    overdue_after: int
    overdue_any_after: int
    runs_per_cut: int


class Due(IntEnum):
    """What is due, in the order in which it is met if several are due at one time."""

    RUN_OVER = 0
    IDLE = 1
    OVERDUE = 2
    ANY_MOMENT = 3


def next_deadline(row: AgentRow, timing: Timing) -> tuple[int, Due] | None:
    """Give the log time at which something is due next, and what."""
    due: list[tuple[int, Due]] = []
    if row.open:
        due.append((min(run.started for run in row.open.values()) + timing.run_timeout, Due.RUN_OVER))
    elif row.stretch is not None and not row.stretch.licensed:
        due.append((row.stretch.end + timing.idle_after, Due.IDLE))
    if row.unnamed_since is not None:
        if not row.open:
            due.append((row.unnamed_since + timing.overdue_after, Due.OVERDUE))
        due.append((row.unnamed_since + timing.overdue_any_after, Due.ANY_MOMENT))
    return min(due, default=None)


class Agenda:
    """The deadlines of one partition's agents, the next one first. A cache of the rows: lose it, and make it again."""

    def __init__(self) -> None:
        self._queue: list[tuple[int, str]] = []
        self._queued: dict[str, int] = {}  # when an agent is looked at next; its row may say later, never earlier

    def put(self, agent: str, time: int) -> None:
        """Have this agent looked at when the log's time reaches `time`, or before."""
        queued = self._queued.get(agent)
        if queued is None or time < queued:
            self._queued[agent] = time
            heapq.heappush(self._queue, (time, agent))

    def met_by(self, time: int) -> Iterator[str]:
        """Give each agent that is to be looked at by this log time, the earliest first; whoever looks puts it back for later."""
        while self._queue and self._queue[0][0] <= time:
            at, agent = heapq.heappop(self._queue)
            if self._queued.get(agent) == at:
                del self._queued[agent]
                yield agent

    def next(self) -> int | None:
        """Give when the first agent is to be looked at."""
        return self._queue[0][0] if self._queue else None
