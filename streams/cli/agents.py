"""`agents list|show`."""

import asyncio
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from schemas.candidates import RULES
from schemas.memory import AgentMemory, KnownWorkspace
from schemas.workspaces import WorkspaceOutcome, WorkspaceResult
from streams.cli.counting import counted
from streams.cli.output import Json
from streams.cli.terminal import escape, show, show_json
from streams.errors import LingerMemoryError
from streams.settings import Settings, load_settings

application = typer.Typer(help="The agents that have a memory, or will have one.", no_args_is_help=True)


class NoSuchAgent(LingerMemoryError):
    """An agent that no record of the memory names."""

    def __init__(self, agent: str) -> None:
        super().__init__(f"No agent {escape(agent)} is known; `linger-memory agents list` lists those that are.")


@application.command("list")
def list_(as_json: Json = False) -> None:
    """List all agents with the size and version of their memories."""
    settings = load_settings()
    memories = asyncio.run(_memories(settings))
    if as_json:
        show_json([overview(memory, settings) for _, memory in sorted(memories.items())])
        return
    for name, memory in sorted(memories.items()):
        state = memory.state
        show(
            f"{escape(name)}  {escape(state.name) or '(no name)'}  version {state.version}, {counted(len(memory.lines), 'line')} in "
            f"{counted(len(memory.sections), 'section')}, {counted(len(memory.pending), 'candidate')} waiting"
        )
    if not memories:
        show("No agents yet.")


@application.command("show")
def show_(agent: Annotated[str, typer.Argument(help="Agent id.")], as_json: Json = False) -> None:
    """Show where one agent stands: model, cuts, licence, workspaces, Rooms."""
    settings = load_settings()
    memory = asyncio.run(_memories(settings)).get(agent)
    if memory is None:
        raise NoSuchAgent(agent)
    if as_json:
        show_json(overview(memory, settings) | _details(memory, settings))
        return
    show("\n".join(in_words(memory, settings)))


def in_words(memory: AgentMemory, settings: Settings) -> Iterator[str]:
    """Yield lines for a terminal."""
    plain = overview(memory, settings)
    plain |= {"model": _model(plain), "window": f"{plain['window']} tokens{'' if memory.state.window else ' (the default)'}"}
    for name, value in ({name: value for name, value in plain.items() if name != "model_named"} | {"licence": _licence(memory)}).items():
        yield f"{name:<20} {escape(str(value))}"
    for room in sorted(memory.rooms.values(), key=lambda room: room.room):
        project = f", project {escape(room.project)}" if room.project else ""
        yield f"Room {escape(room.room)}  {escape(room.title)}{project}, memory {room.memory}"
    for workspace in sorted(memory.workspaces.values(), key=lambda workspace: workspace.workspace):
        state = "attached" if workspace.attached else "detached"
        went = f"; {_went(_outcome(workspace, settings))}" if workspace.attached else ""
        yield f"workspace {escape(workspace.workspace)}  {escape(workspace.path)}, {state}{escape(went)}"


def _model(plain: dict[str, Any]) -> str:
    """Give the model in words, with who answers in its place (X14)."""
    named = plain["model"] if plain["model_named"] else f"{plain['model']} (the default)"
    if plain["answered_by"] != RULES:
        return named
    if plain["model"] == RULES:
        return f"{named}: offline, finds only English cues in people's own words"
    return f"{named}, not used: no provider is set up; the offline `rules` side answers"


def _licence(memory: AgentMemory) -> str:
    licence = memory.state.licence
    if licence is None:
        return "none yet"
    used = "used up" if licence.number <= memory.state.licence_used else "not used up yet"
    return f"number {licence.number} ({licence.kind}), for what was cut up to {licence.cut}, given {licence.at.isoformat()}, {used}"


def _went(outcome: WorkspaceOutcome | None) -> str:
    if outcome is None:
        return "not written yet"
    match outcome.result:
        case WorkspaceResult.WRITTEN:
            return f"version {outcome.version} written" if outcome.version else "nothing to write yet"
        case WorkspaceResult.REFUSED:
            return f"refused since {outcome.at.isoformat(timespec='seconds')}: {outcome.reason}"
        case WorkspaceResult.FAILED:
            stands = f"version {outcome.version} stands there" if outcome.version else "nothing of it stands there"
            return f"failing since {outcome.at.isoformat(timespec='seconds')}, {stands}: {outcome.reason}"


def _outcome(workspace: KnownWorkspace, settings: Settings) -> WorkspaceOutcome | None:
    from streams.audit.outcomes import last_outcome

    return last_outcome(settings.data_directory, workspace.agent, workspace.workspace, workspace.path)


async def _memories(settings: Settings) -> dict[str, AgentMemory]:
    from streams.audit.projection import read_projection

    return dict((await read_projection(settings)).memories)


def overview(memory: AgentMemory, settings: Settings) -> dict[str, Any]:
    """Give what is listed of an agent, in plain types; model and window are those in force (X13)."""
    from streams.models.choose import extractor

    state = memory.state
    return {
        "agent": state.agent,
        "name": state.name,
        "model": state.model or settings.default_model,
        "model_named": bool(state.model),
        "answered_by": extractor(settings).name,
        "window": state.window or settings.default_window_tokens,
        "version": state.version,
        "sections": len(memory.sections),
        "lines": len(memory.lines),
        "summaries": sum(summary.published for summary in memory.summaries.values()),
        "pending": len(memory.pending),
        "last_cut_done": state.cut_done,
        "run_open": state.busy,
        "deleted": state.deleted,
    }


def _details(memory: AgentMemory, settings: Settings) -> dict[str, Any]:
    licence = memory.state.licence
    return {
        "licence": licence.model_dump(mode="json") if licence else None,
        "licence_used": memory.state.licence_used,
        "rooms": [room.model_dump(mode="json") for room in memory.rooms.values()],
        "workspaces": [
            workspace.model_dump(mode="json")
            | {"outcome": outcome.model_dump(mode="json") if (outcome := _outcome(workspace, settings)) else None}
            for workspace in memory.workspaces.values()
        ],
    }
