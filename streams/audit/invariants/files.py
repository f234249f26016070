"""Invariant 5: `memory` is what the log's operations give, and the files in the workspaces are those of the last revision (C9, W3)."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from schemas.events import MemoryMode
from schemas.memory import AgentMemory, KnownWorkspace, Section, Summary
from schemas.workspaces import WorkspaceResult
from streams.audit.invariants import share
from streams.audit.invariants.refold import Refold, Remembered
from streams.audit.invariants.violation import Invariant, Violation
from streams.audit.outcomes import last_outcome
from streams.audit.workspace_files import FOLDER, read_file, workspace_folder


def judge_projection(refold: Refold, projection: Mapping[str, AgentMemory]) -> Iterator[Violation]:
    """Name every difference between the memories of `memory` and those that the journal gives."""
    for agent in sorted(refold.memories.keys() | projection.keys()):
        memory, folded = projection.get(agent), refold.memories.get(agent)
        if memory is None:
            if folded is not None and folded.version:
                yield _violation(agent, f"topic memory has no state of the agent, whose version is {folded.version} in the journal")
        elif folded is None:
            yield _violation(agent, "topic memory has a state of the agent, of which the journal holds no record")
        else:
            yield from _compare(memory, folded)


def _compare(memory: AgentMemory, folded: Remembered) -> Iterator[Violation]:
    state = memory.state
    said = {
        "version": (state.version, folded.version),
        "offset of the last revision": (state.revised_at, folded.revised_at),
        "window of the last revision": (state.rendered_window, folded.window),
        "hashes of the files": (dict(state.files), folded.files),
        "candidates without a decision": (memory.pending.keys(), folded.pending.keys()),
    }
    for what, (held, given) in said.items():
        if held != given:
            shown = f" ({held} and {given})" if isinstance(given, int | None) else ""
            yield _violation(folded.agent, f"topic memory and the journal differ in the {what}{shown}")
    in_memory = {section.id: section for section in memory.sections}
    in_log = {
        section: Section(agent=folded.agent, id=section, title=title, gist=gist, lines=tuple(folded.lines.get(section, {}).values()))
        for section, (title, gist) in folded.titles.items()
    }
    yield from _differing(folded.agent, "section", in_memory, in_log)
    yield from _differing(folded.agent, "summary of Room", _published(memory.summaries), _published(folded.summaries))


def _differing(agent: str, kind: str, held: Mapping[str, object], given: Mapping[str, object]) -> Iterator[Violation]:
    for name in sorted(held.keys() | given.keys()):
        if name not in given:
            yield _violation(agent, f"{kind} {name} is in topic memory; the journal's operations give none")
        elif name not in held:
            yield _violation(agent, f"{kind} {name} is missing from topic memory; the journal's operations give one")
        elif held[name] != given[name]:
            yield _violation(agent, f"{kind} {name} in topic memory is not what the journal's operations give")


def _published(summaries: Mapping[str, Summary]) -> dict[str, Summary]:
    # What waits to be published is no operation's yet.
    return {room: summary.model_copy(update={"waiting": None}) for room, summary in summaries.items() if summary.published}


def judge_workspaces(root: Path, data: Path, memory: AgentMemory) -> Iterator[Violation | str]:
    """Compare the files of the agent's attached workspaces with the last revision.

    Only what was written is judged, which the outcomes in the data directory tell; for each other workspace a sentence why it is not.
    """
    for workspace in memory.workspaces.values():
        if workspace.attached and memory.state.files and not _switched_off(memory, workspace):
            name = f"workspace {workspace.workspace} of agent {memory.state.agent}"
            outcome = last_outcome(data, memory.state.agent, workspace.workspace, workspace.path)
            folder = workspace_folder(root, workspace.path)
            if outcome is None:
                yield f"{name} was not written by the role workspaces, as far as {data} tells; its files were not checked"
            elif outcome.version == 0:
                how = "was refused" if outcome.result is WorkspaceResult.REFUSED else "was not written yet"
                yield f"{name} {how}, so there are no files to check{f': {outcome.reason}' if outcome.reason else '.'}"
            elif not root.exists():
                yield f"{name} is not below {root}, which does not exist; its files were not checked"
            elif folder is None:
                yield _violation(memory.state.agent, f"the folder of workspace {workspace.workspace} is missing, or leads out of {root}")
            else:
                for violation in _judge_workspace(folder, workspace, memory):
                    why = f" (the last write failed: {outcome.reason})" if outcome.reason else ""
                    yield replace(violation, sentence=f"{violation.sentence}{why}")


def _judge_workspace(folder: Path, workspace: KnownWorkspace, memory: AgentMemory) -> Iterator[Violation]:
    state = memory.state
    for name, digest in sorted(state.files.items()):
        place = f"{FOLDER}/{name} of workspace {workspace.workspace}"
        content = read_file(folder, name)
        if isinstance(content, str):
            yield _violation(state.agent, f"{place} {content}")
            continue
        if hashlib.sha256(content).hexdigest() != digest:
            yield _violation(state.agent, f"{place} is not the file of version {state.version}: its SHA-256 is another")
        if name == "MEMORY.md":
            yield from share.see_file(state.agent, place, content.decode(errors="replace"), state.rendered_window)


def _switched_off(memory: AgentMemory, workspace: KnownWorkspace) -> bool:
    room = memory.rooms.get(workspace.room or "")
    return room is not None and room.memory is MemoryMode.OFF


def _violation(agent: str, sentence: str) -> Violation:
    return Violation(Invariant.FILES, agent, sentence)
