"""Which request is worked on next: of each agent one at a time, in the order in which they came, agents in turn (A5). Pure."""

from collections import deque
from dataclasses import dataclass, field

from schemas.extraction import ExtractionRequest


@dataclass(frozen=True, slots=True)
class Queued:
    """A request and where it lies in `extraction-requests`."""

    request: ExtractionRequest
    partition: int
    offset: int


@dataclass
class Admission:
    """Requests that wait, by agent. A partition's requests come by rising offset, which is the order of an agent's cuts."""

    _queues: dict[str, deque[Queued]] = field(default_factory=dict)
    _turn: deque[str] = field(default_factory=deque)
    """Agents with a request that waits and none in work, the longest waiting first."""
    _in_work: set[str] = field(default_factory=set)
    waiting: int = 0
    """Requests that wait."""

    def add(self, queued: Queued) -> None:
        """Let a request wait."""
        agent = queued.request.agent
        queue = self._queues.setdefault(agent, deque())
        if not queue and agent not in self._in_work:
            self._turn.append(agent)
        queue.append(queued)
        self.waiting += 1

    def admit(self) -> Queued | None:
        """Give the next request to work on, None if there is none now; its agent has no other till `ended`."""
        if not self._turn:
            return None
        agent = self._turn.popleft()
        queued = self._queues[agent].popleft()
        if not self._queues[agent]:
            del self._queues[agent]
        self._in_work.add(agent)
        self.waiting -= 1
        return queued

    def ended(self, agent: str) -> None:
        """Say that the work on the agent's request has ended."""
        self._in_work.discard(agent)
        if agent in self._queues:
            self._turn.append(agent)

    def forget(self, partition: int) -> None:
        """Let go what waits of a partition that belongs to another worker now."""
        for agent, queue in list(self._queues.items()):
            kept = deque(one for one in queue if one.partition != partition)
            self.waiting -= len(queue) - len(kept)
            if kept:
                self._queues[agent] = kept
            else:
                del self._queues[agent]
                if agent in self._turn:
                    self._turn.remove(agent)
