"""`rebuild`: every memory and every file once more, from the journal alone (T1).

It asks no model and no network but Kafka. It folds with the consolidator's own `fold` and renders with the workspaces' own `render`:
both are functions of the journal, so the bytes are the same whenever and wherever this runs. Nothing of `memory`, `decisions`, the
tables or any folder is read for it.
"""

import asyncio
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from schemas.base import MAIN
from schemas.codec import Undecodable
from schemas.events import MemoryMode
from schemas.ids import digest
from schemas.memory import AgentMemory
from streams.audit.journal import journal_end, read_journal, skipped_records
from streams.audit.outcomes import last_outcome
from streams.audit.progress import Progress, silent
from streams.audit.projection import Projection, read_projection
from streams.audit.workspace_files import FOLDER, read_file, workspace_folder
from streams.consolidation.replay import Replay
from streams.errors import LingerMemoryError
from streams.memory_projection import projected
from streams.settings import Settings
from streams.workspaces.render import RENDER_FORMAT, render

_REPORT_EVERY = 500
_LONGEST_NAME = 200


class RebuildRefused(LingerMemoryError):
    """What was asked for would destroy or mix something; nothing was done."""


@dataclass(frozen=True)
class Rebuilt:
    """All memories as the journal gives them."""

    memories: Mapping[str, AgentMemory]
    end: int
    """Offset of the journal up to which it was folded, exclusive."""
    faults: tuple[str, ...] = ()
    """Records that could not be folded, though the log names no skip for them."""

    def files(self) -> Iterator[tuple[str, dict[str, bytes]]]:
        """Yield each agent with its files: path below `agent-memory/` to bytes; empty where it has no folder."""
        for agent, memory in sorted(self.memories.items()):
            yield agent, render(memory)


async def rebuild(settings: Settings, progress: Progress = silent, *, end: int | None = None, derivation: str = MAIN) -> Rebuilt:
    """Fold the journal from its beginning up to `end`, by default all of it. Raises KafkaFault, OffsetGone."""
    until = await journal_end(settings) if end is None else end
    replay = Replay(skipped={offset for _, offset in await skipped_records(settings, derivation)}, derivation=derivation)
    faults = []
    async for offset, record in read_journal(settings, until):
        if offset % _REPORT_EVERY == 0:
            progress("journal", offset, until)
        if isinstance(record, Undecodable):
            continue
        taken = replay.take(record, offset)
        if taken.fault:
            faults.append(f"memory-candidates[0]@{offset} of agent {taken.agent} can't be folded: {taken.fault}")
    progress("journal", until, until)
    return Rebuilt(replay.memories, until, tuple(faults))


def write(rebuilt: Rebuilt, target: Path) -> dict[str, int]:
    """Write all files to `target/<agent>/agent-memory/`; give the number of files by agent.

    `target` must be empty or missing; all of it appears at once, at the end, so an interrupted call leaves nothing behind.
    Raises RebuildRefused, OSError.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise RebuildRefused(f"{target} is not an empty folder; name one that is empty or does not exist yet.")
    unfinished = target.parent / f".{target.name}.unfinished-{os.getpid()}"
    written: dict[str, int] = {}
    try:
        unfinished.mkdir(parents=True)
        for agent, files in rebuilt.files():
            for name, content in files.items():
                place = unfinished / folder_name(agent) / FOLDER / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
            written[agent] = len(files)
        if target.exists():
            target.rmdir()
        unfinished.rename(target)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return written


def folder_name(agent: str) -> str:
    """Give the name of an agent's folder: its id, with what no file system or path may hold as %XX, a long one with its hash."""
    name = quote(agent, safe=" ").replace("~", "%7E")
    if name.startswith("."):
        name = f"%2E{name[1:]}"
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}~{digest(agent.encode())[:16]}"


async def differences(settings: Settings, progress: Progress = silent, derivation: str = MAIN) -> list[str]:
    """Give a sentence for each difference between what runs and what the journal gives, as of where `memory` says that it stands."""
    projection = await read_projection(settings, derivation)
    rebuilt = await rebuild(settings, progress, end=projection.next, derivation=derivation)
    found = list(rebuilt.faults)
    found += _in_memory(projection, rebuilt, derivation)
    for agent, memory in sorted(rebuilt.memories.items()):
        files = render(memory)
        if {name: digest(content) for name, content in files.items()} != dict(memory.state.files):
            found.append(
                f"agent {agent}: the files of version {memory.state.version} were recorded with other hashes; they were rendered in format "
                f"{memory.state.render_format}, this program renders format {RENDER_FORMAT}"
            )
        found += await asyncio.to_thread(lambda: list(_in_workspaces(settings, memory, files)))  # noqa: B023
    return found


def _in_memory(projection: Projection, rebuilt: Rebuilt, derivation: str) -> Iterator[str]:
    if projection.next is None:
        yield "topic memory is empty: it says of no record that it is folded"
    for agent in sorted(projection.memories.keys() | rebuilt.memories.keys()):
        held, given = projection.memories.get(agent), rebuilt.memories.get(agent)
        if given is None:
            yield f"agent {agent}: topic memory holds a memory, of which the journal knows nothing"
            continue
        for key, record in projected(held, given, derivation):
            if held is not None and record == held.state:
                continue  # it ends an agent's records, also where it is the same
            name = " ".join(str(part) for part in key[1:2] + key[3:])
            what = "must not be in topic memory" if record is None else "is missing from topic memory or is another there"
            yield f"agent {agent}: {name} {what}"


def _in_workspaces(settings: Settings, memory: AgentMemory, files: Mapping[str, bytes]) -> Iterator[str]:
    for workspace in memory.workspaces.values():
        room = memory.rooms.get(workspace.room or "")
        folder = workspace_folder(settings.workspaces_directory, workspace.path)
        outcome = last_outcome(settings.data_directory, memory.state.agent, workspace.workspace, workspace.path)
        if outcome is None or outcome.version == 0:
            continue  # refused, or never written: nothing of ours stands there
        if not workspace.attached or folder is None or (room is not None and room.memory is MemoryMode.OFF):
            continue
        for name, content in files.items():
            there = read_file(folder, name)
            if there != content:
                how = there if isinstance(there, str) else "has other bytes"
                yield f"agent {memory.state.agent}: {FOLDER}/{name} of workspace {workspace.workspace} {how}"
