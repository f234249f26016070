"""Follows the transcripts through the pipeline until the last of them stands in the files, and says how far they are."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from schemas.codec import Undecodable
from schemas.journal import JOURNAL, AgentIdle, CandidateProposed, CandidateRejected, MemoryChanged, RequestDone
from schemas.memory import AgentMemory
from streams.errors import LingerMemoryError
from streams.kafka.following import TopicFollower
from streams.kafka.reading import Record, read_to_end
from streams.kafka.topics import topic_name
from streams.memory_follower import MemoryFollower
from streams.settings import Settings


class DemoStuck(LingerMemoryError):
    """The pipeline did not come to the end in time; the message says where it stands."""


@dataclass(frozen=True)
class Stand:
    """How far the agent is. Each stage follows from the one before."""

    requests: int = 0
    """Extraction requests, one for each five counted runs."""
    requests_done: int = 0
    candidates: int = 0
    rejected: int = 0
    """Candidates that the gates refused."""
    idle: int = 0
    """The last cut that an idle licence names."""
    revisions: int = 0
    files: int = 0
    """Files in the workspaces that are as the memory says."""
    files_wanted: int = 0
    settled: bool = False
    """Every candidate is decided, and nothing of these requests waits."""

    def is_there(self, cuts: int) -> bool:
        """Whether all of the requests are merged and written."""
        return self.settled and self.requests >= cuts and 0 < self.files_wanted == self.files


async def until_written(
    settings: Settings, agent: str, cuts: int, timeout_seconds: float, tell: Callable[[Stand], None]
) -> tuple[Stand, AgentMemory]:
    """Wait until all of these cuts are merged and written; give the stand and the memory. Raises DemoStuck."""
    following = _Following(settings, agent, cuts)
    try:
        async with asyncio.timeout(timeout_seconds):
            await following.start()
            while True:
                await following.go_on()
                tell(following.stand)
                memory = following.memories.memory(agent)
                if memory is not None and following.stand.is_there(cuts):
                    return following.stand, memory
    except TimeoutError:
        raise DemoStuck(
            f"After {timeout_seconds:g} s the pipeline stands at {following.stand}; there should be {cuts} requests, merged and written. "
            f"See the logs in {settings.data_directory / 'logs'}."
        ) from None
    finally:
        await following.stop()


class _Following:
    def __init__(self, settings: Settings, agent: str, cuts: int) -> None:
        self.stand = Stand()
        self.memories = MemoryFollower(settings, role="demo")
        self._journal = TopicFollower(settings, "memory-candidates", self._take, isolation="read_committed", role="demo")
        self._settings = settings
        self._agent = agent
        self._cuts = cuts

    async def start(self) -> None:
        await self._journal.start()
        await self.memories.start()

    async def stop(self) -> None:
        await self.memories.stop()
        await self._journal.stop()

    async def go_on(self) -> None:
        if self.stand.requests < self._cuts:
            self.stand = replace(self.stand, requests=await _requests(self._settings, self._agent))
        await self._journal.poll(0.25)
        await self.memories.catch_up()
        memory = self.memories.memory(self._agent)
        if memory is not None:
            self.stand = await asyncio.to_thread(_compared, self._settings.workspaces_directory, self.stand, memory, self._cuts)

    def _take(self, record: Record) -> None:
        if record.key == self._agent.encode():
            self.stand = _taken(self.stand, record.value)


async def _requests(settings: Settings, agent: str) -> int:
    key = agent.encode()
    return sum([1 async for record in read_to_end(settings, topic_name(settings, "extraction-requests")) if record.key == key])


def _taken(stand: Stand, value: bytes | None) -> Stand:
    match JOURNAL.decode(value):
        case CandidateProposed():
            return replace(stand, candidates=stand.candidates + 1)
        case CandidateRejected():
            return replace(stand, rejected=stand.rejected + 1)
        case RequestDone(cut=cut):
            return replace(stand, requests_done=max(stand.requests_done, cut))
        case AgentIdle(cut=cut):
            return replace(stand, idle=max(stand.idle, cut))
        case MemoryChanged():
            return replace(stand, revisions=stand.revisions + 1)
        case Undecodable() | _:
            return stand


def _compared(root: Path, stand: Stand, memory: AgentMemory, cuts: int) -> Stand:
    state = memory.state
    attached = [workspace for workspace in memory.workspaces.values() if workspace.attached]
    settled = state.version > 0 and state.cut_done >= cuts and stand.idle >= cuts and not memory.pending
    settled = settled and all(summary.published for summary in memory.summaries.values())
    files = sum(
        _digest(root / workspace.path / "agent-memory" / name) == digest for workspace in attached for name, digest in state.files.items()
    )
    return replace(stand, settled=settled, files=files, files_wanted=len(attached) * len(state.files))


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
