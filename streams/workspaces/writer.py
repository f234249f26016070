"""Writes one workspace: a reader never sees half a file, a kill at any step is healed by the next write (W4, W5, W6).

The steps of a write, and what each order prevents:

1. The lock, held for life: two writers would take turns at the files.
2. The manifest is read: a folder of another agent is refused, a revision older than the one that stands there too (fence).
3. Folders are reached by descriptors, from the root on, through no link.
4. The manifest says what is intended, and is on the disk before the first file changes: what a killed writer left is then known as ours.
5. Each file that differs, session summaries first, then `MEMORY.md`, then `summary.md`: written beside, brought to the disk, what stands in
   its place kept if it is none of ours, renamed, the folder brought to the disk. So `summary.md` is never newer than its `MEMORY.md`.
6. Files of ours that are no longer wanted are removed; `summary.md` first, should all go.
7. The manifest says that all is done.

`tests/unit/workspaces/test_writer_kills.py` kills it before and within every one of these calls.
"""

import contextlib
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from schemas.ids import digest
from schemas.workspaces import STATE_FOLDER
from streams.workspaces.confinement import FOLDER, enter, folder_names, look_at, open_folder
from streams.workspaces.durable import clear, prepare, put_in_place
from streams.workspaces.errors import StaleRevision, WorkspaceTaken
from streams.workspaces.kept_edits import keep_edit
from streams.workspaces.lock import take_lock
from streams.workspaces.manifest import Manifest, read_manifest, write_manifest
from streams.workspaces.render import MEMORY, SUMMARY
from streams.workspaces.slug import FOLDER as SUMMARIES


@dataclass(frozen=True, slots=True)
class Revision:
    """What is to stand in a workspace: the files of one version of an agent's memory."""

    agent: str
    version: int
    position: int
    """Offset in the journal of the revision."""
    files: Mapping[str, bytes]
    """Path below `agent-memory/` to bytes; empty: none of ours."""


@dataclass(slots=True)
class Written:
    """What a write has done."""

    files: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    """Names, in the folder of edits, of what others had written and was kept."""
    replaced: int = 0
    """How many links, FIFOs and the like were replaced by files."""


class WorkspaceWriter:
    """The one writer of the workspace at `path` below the root. A context manager: its lock is let go at the end.

    Raises UnsafePath, WorkspaceBusy, OSError when it is made.
    """

    def __init__(self, root: Path, data_directory: Path, path: str) -> None:
        self._root = root
        self._names = folder_names(path)
        self._state_name = digest("/".join(self._names).encode("utf-8", "surrogatepass"))[:32]
        state_root = data_directory / STATE_FOLDER
        state_root.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open_folder(state_root, (self._state_name,)) as folder:
            self._state = os.dup(folder)
        try:
            self._lock = take_lock(self._state)
        except BaseException:
            os.close(self._state)
            raise

    def close(self) -> None:
        """Let the workspace go."""
        os.close(self._lock)
        os.close(self._state)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def write(self, workspace: str, revision: Revision, *, holders: Collection[str]) -> Written:
        """Bring the revision into the workspace; a second time it changes nothing.

        `holders`: the agents that this folder is attached to now. A folder that another agent has left becomes this agent's, and the
        other's files are removed (R5); one that another holds is refused.
        Raises WorkspaceTaken, StaleRevision, UnsafePath, ManifestBroken, OSError; whatever was begun is completed by the next call.
        """
        manifest = read_manifest(self._state, self._state_name)
        _refuse(manifest, revision, holders)
        if manifest is None and not revision.files:
            return Written()
        with open_folder(self._root, self._names) as outer:
            memory = enter(outer, FOLDER)
            try:
                summaries = enter(memory, SUMMARIES)
                try:
                    written = self._write(workspace, revision, manifest, _Folders(memory, summaries))
                finally:
                    os.close(summaries)
                if not revision.files:
                    _remove_folder(memory, SUMMARIES)
            finally:
                os.close(memory)
            if not revision.files:
                _remove_folder(outer, FOLDER)
        return written

    def _write(self, workspace: str, revision: Revision, manifest: Manifest | None, folders: "_Folders") -> Written:
        hashes = {path: digest(content) for path, content in revision.files.items()}
        ours = manifest.paths if manifest else frozenset()
        if manifest and not manifest.done:
            for path in sorted(ours):
                clear(*folders.at(path))
        there = {path: found for path in sorted(ours | hashes.keys()) if (found := look_at(*folders.at(path))) is not None}
        changed = [path for path in hashes if path not in there or there[path].hash != hashes[path]]
        removed = [path for path in there if path not in hashes]
        done = Manifest(
            agent=revision.agent,
            workspace=workspace,
            path="/".join(self._names),
            version=revision.version,
            position=revision.position,
            done=True,
            files=hashes,
        )
        written = Written()
        if not changed and not removed:
            if manifest != done:
                write_manifest(self._state, done)
            return written
        known = {path: manifest.known(path) for path in sorted(ours)} if manifest else {}
        write_manifest(self._state, done.model_copy(update={"done": False, "earlier": known}))
        for path in sorted(changed, key=_order):
            folder, name = folders.at(path)
            prepare(folder, name, revision.files[path])
            self._keep_what_is_not_ours(path, folder, name, (*known.get(path, ()), hashes[path]), written)
            put_in_place(folder, name)
            written.files.append(path)
        for path in sorted(removed, key=_order, reverse=True):
            folder, name = folders.at(path)
            self._keep_what_is_not_ours(path, folder, name, known.get(path, ()), written)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
            os.fsync(folder)
            written.removed.append(path)
        write_manifest(self._state, done)
        return written

    def _keep_what_is_not_ours(self, path: str, folder: int, name: str, known: tuple[str, ...], written: Written) -> None:
        found = look_at(folder, name)
        if found is None or (found.hash and found.hash in known):
            return
        if found.content is None:
            written.replaced += 1
        else:
            written.kept.append(keep_edit(self._state, path, found))


@dataclass(frozen=True, slots=True)
class _Folders:
    memory: int
    summaries: int

    def at(self, path: str) -> tuple[int, str]:
        folder, slash, name = path.rpartition("/")
        if folder not in ("", SUMMARIES) or not name or name in (".", ".."):
            raise ValueError("a rendered path is a file in agent-memory/ or in its session_summaries/")
        return (self.summaries if slash else self.memory), name


def _order(path: str) -> tuple[int, str]:
    return (2 if path == SUMMARY else 1 if path == MEMORY else 0), path


def _refuse(manifest: Manifest | None, revision: Revision, holders: Collection[str]) -> None:
    if manifest is None:
        return
    if manifest.agent != revision.agent:
        if manifest.files and manifest.agent in holders:
            raise WorkspaceTaken(f"The workspace's folder belongs to another agent ({manifest.agent}); a folder is never shared by two.")
    elif revision.position < manifest.position:
        raise StaleRevision(
            f"The workspace holds revision {manifest.version} (journal offset {manifest.position}), later than revision {revision.version} "
            f"(offset {revision.position}). If the journal was begun anew, delete {STATE_FOLDER} in the data directory."
        )


def _remove_folder(folder: int, name: str) -> None:
    with contextlib.suppress(OSError):
        os.rmdir(name, dir_fd=folder)
        os.fsync(folder)
