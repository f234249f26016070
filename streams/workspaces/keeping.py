"""Keeps the workspaces of all agents at their memories: which are to be written, whose turn it is, and which are tried again (W5, W7).

File work runs in threads, one at a time for a folder; one that fails or hangs holds up no other.
"""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime

import structlog
from prometheus_client import Counter

from schemas.events import MemoryMode
from schemas.ids import digest
from schemas.memory import AgentMemory, KnownWorkspace
from schemas.workspaces import WorkspaceOutcome, WorkspaceResult
from streams.observability.metrics import COUNTS
from streams.settings import Settings
from streams.workspaces.confinement import folder_names
from streams.workspaces.errors import UnsafePath, WorkspaceFault, WorkspaceTaken
from streams.workspaces.outcomes import note_outcome
from streams.workspaces.render import render
from streams.workspaces.writer import Revision, WorkspaceWriter, Written

FIRST_RETRY_SECONDS = 1.0
LONGEST_RETRY_SECONDS = 60.0
_THREADS = 8

_log = structlog.get_logger()
_WRITES = Counter("linger_memory_workspace_writes", "Workspaces written, by outcome: written, same, failed.", ["outcome"], registry=COUNTS)
_EDITS = Counter("linger_memory_workspace_edits", "Edits of others that were kept before a file was written anew.", registry=COUNTS)


@dataclass(eq=False)
class _Desk:
    """One attached workspace: what it should hold, and how far we are."""

    agent: str
    workspace: str
    path: str
    place: "_Place"
    token: tuple[object, ...]
    """What the revision was made from; another token is another revision."""
    wanted: "_Wanted | None"
    """What is to be written; None: it is."""
    failures: int = 0
    not_before: float = 0.0
    task: asyncio.Task[None] | None = None


class _Rendering:
    """The files of one version, rendered once, in the thread that asks first."""

    def __init__(self, memory: AgentMemory) -> None:
        self._memory = memory
        self._turn = threading.Lock()
        self._files: dict[str, bytes] | None = None

    def files(self) -> dict[str, bytes]:
        with self._turn:
            if self._files is None:
                self._files = render(self._memory)
                _compare(self._memory, self._files)
            return self._files


@dataclass(frozen=True, eq=False)
class _Wanted:
    """A revision that is to be rendered and written; `hidden`: without files, since the Room's mode is `off`."""

    agent: str
    version: int
    position: int
    rendering: _Rendering
    hidden: bool

    def revision(self) -> Revision:
        return Revision(self.agent, self.version, self.position, {} if self.hidden else self.rendering.files())


@dataclass(eq=False)
class _Place:
    """One folder on the disk, with its one writer, and the workspaces that lie there: more than one agent's is a mistake, and refused."""

    names: tuple[str, ...]
    writer: WorkspaceWriter | None = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    desks: list[_Desk] = field(default_factory=list)


class WorkspaceKeeper:
    """Lives in one event loop. `close` lets all workspaces go."""

    def __init__(self, settings: Settings) -> None:
        self._root = settings.workspaces_directory
        self._data = settings.data_directory
        self._desks: dict[tuple[str, str], _Desk] = {}
        self._deleted: set[str] = set()
        self._places: dict[tuple[str, ...], _Place] = {}
        self._refused: dict[tuple[str, str], str] = {}
        """Paths that were refused in form, so that each is told once."""
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="workspace")
        # One thread, so that the last outcome is the one that stays.
        self._notes = ThreadPoolExecutor(1, thread_name_prefix="workspace-outcome")

    @property
    def settled(self) -> bool:
        """Whether every attached workspace holds what it should."""
        return all(desk.wanted is None for desk in self._desks.values())

    def update(self, agent: str, memory: AgentMemory | None) -> None:
        """Take an agent's memory as it is now: note what is to be written, and leave alone what was detached."""
        attached = {name: known for name, known in memory.workspaces.items() if known.attached} if memory else {}
        for key, held in [(key, desk) for key, desk in self._desks.items() if key[0] == agent]:
            if key[1] not in attached or attached[key[1]].path != held.path:
                self._leave(key)
        if memory is None:
            return
        (self._deleted.add if memory.state.deleted else self._deleted.discard)(agent)
        rendering = _Rendering(memory)
        for name, known in sorted(attached.items()):
            hidden = _is_off(memory, known)
            token = (known.path, memory.state.version, memory.state.revised_at, memory.state.deleted, hidden)
            desk = self._desks.get((agent, name)) or self._come(agent, known)
            if desk is None or desk.token == token:
                continue
            desk.wanted = _Wanted(agent, memory.state.version, memory.state.revised_at or 0, rendering, hidden)
            desk.token, desk.failures, desk.not_before = token, 0, 0.0

    def start_due(self, now: float) -> None:
        """Start the writes that are due at `now`, a time of the event loop in seconds."""
        for desk in self._desks.values():
            if desk.wanted is not None and desk.task is None and desk.not_before <= now:
                desk.task = asyncio.create_task(self._bring_up_to_date(desk, desk.wanted))

    async def close(self, timeout_seconds: float) -> None:
        """Wait for the writes that are running, but no longer than that, and let the workspaces go."""
        running = [desk.task for desk in self._desks.values() if desk.task]
        if running:
            await asyncio.wait(running, timeout=timeout_seconds)
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._notes.shutdown(wait=False)
        for place in self._places.values():
            if place.writer is not None and not place.turn.locked():
                place.writer.close()

    async def _bring_up_to_date(self, desk: _Desk, wanted: _Wanted) -> None:
        loop = asyncio.get_running_loop()
        try:
            async with desk.place.turn:
                if desk not in desk.place.desks:
                    return
                holders = {other.agent for other in desk.place.desks} - self._deleted
                written = await loop.run_in_executor(self._threads, self._write, desk, wanted, holders)
        except Exception as error:  # whatever it is, it is this workspace's only (C13, W7)
            wait = min(LONGEST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** min(desk.failures, 10))
            desk.failures, desk.not_before = desk.failures + 1, loop.time() + wait
            _WRITES.labels("failed").inc()
            _log.warning("workspace not written", agent=desk.agent, workspace=desk.workspace, why=_why(error), again_in_seconds=wait)
            result = WorkspaceResult.REFUSED if isinstance(error, WorkspaceTaken) else WorkspaceResult.FAILED
            self._note(desk.agent, desk.workspace, desk.path, result, reason=_why(error))
        else:
            if desk.wanted is wanted:
                desk.wanted, desk.failures = None, 0
            self._report(desk, wanted.version, written)
            self._note(desk.agent, desk.workspace, desk.path, WorkspaceResult.WRITTEN, wanted.version)
        finally:
            desk.task = None
            self._let_go_if_left(desk.place)

    def _write(self, desk: _Desk, wanted: _Wanted, holders: set[str]) -> Written:
        """In a thread; it is this place's turn."""
        if desk.place.writer is None:
            desk.place.writer = WorkspaceWriter(self._root, self._data, desk.path)
        return desk.place.writer.write(desk.workspace, wanted.revision(), holders=holders)

    def _come(self, agent: str, known: KnownWorkspace) -> _Desk | None:
        try:
            names = folder_names(known.path)
        except UnsafePath as error:
            if self._refused.get((agent, known.workspace)) != known.path:
                self._refused[agent, known.workspace] = known.path
                _WRITES.labels("failed").inc()
                _log.error("workspace refused", agent=agent, workspace=known.workspace, why=str(error))
                self._note(agent, known.workspace, known.path, WorkspaceResult.REFUSED, reason=str(error))
            return None
        self._refused.pop((agent, known.workspace), None)
        place = self._places.setdefault(names, _Place(names))
        desk = self._desks[agent, known.workspace] = _Desk(agent, known.workspace, known.path, place, (), None)
        place.desks.append(desk)
        return desk

    def _leave(self, key: tuple[str, str]) -> None:
        """The workspace is no longer attached, or lies elsewhere; its files stay."""
        desk = self._desks.pop(key)
        desk.place.desks.remove(desk)
        self._let_go_if_left(desk.place)

    def _let_go_if_left(self, place: _Place) -> None:
        if place.desks or place.turn.locked() or self._places.get(place.names) is not place:
            return
        del self._places[place.names]
        if place.writer is not None:
            place.writer.close()

    def _note(self, agent: str, workspace: str, path: str, result: WorkspaceResult, version: int = 0, reason: str = "") -> None:
        """Note an outcome, in its order, without waiting for the disk."""
        outcome = WorkspaceOutcome(
            agent=agent, workspace=workspace, path=path, result=result, version=version, reason=reason, at=datetime.now(UTC)
        )

        def noted() -> None:
            try:
                note_outcome(self._data, outcome)
            except (OSError, WorkspaceFault) as error:  # only what is shown of the workspace is older then
                _log.warning("outcome of a workspace not noted", agent=agent, workspace=workspace, why=_why(error))

        self._notes.submit(noted)

    def _report(self, desk: _Desk, version: int, written: Written) -> None:
        _WRITES.labels("written" if written.files or written.removed else "same").inc()
        if written.files or written.removed:
            _log.info(
                "workspace written",
                agent=desk.agent,
                workspace=desk.workspace,
                version=version,
                files=len(written.files),
                removed=len(written.removed),
            )
        if written.kept or written.replaced:
            _EDITS.inc(len(written.kept))
            _log.warning(
                "workspace was edited by others",
                agent=desk.agent,
                workspace=desk.workspace,
                edits_kept=len(written.kept),
                links_replaced=written.replaced,
            )


def _why(error: Exception) -> str:
    """In words without a path or a text, which are people's words."""
    if isinstance(error, WorkspaceFault):
        return str(error)
    return (isinstance(error, OSError) and error.strerror) or type(error).__name__


def _is_off(memory: AgentMemory, known: KnownWorkspace) -> bool:
    """Whether the workspace's Room gets no folder (W8)."""
    room = memory.rooms.get(known.room) if known.room else None
    return room is not None and room.memory is MemoryMode.OFF


def _compare(memory: AgentMemory, files: dict[str, bytes]) -> None:
    if {path: digest(content) for path, content in files.items()} != dict(memory.state.files):
        # Another render format does that; the same one never.
        _log.warning(
            "files differ from what the revision recorded",
            agent=memory.state.agent,
            version=memory.state.version,
            render_format=memory.state.render_format,
        )
