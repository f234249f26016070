"""`agents list|show`."""

import asyncio
from typing import Annotated, Any

import typer

from schemas.memory import AgentMemory
from streams.cli.output import Json
from streams.cli.terminal import escape, show, show_json
from streams.errors import LingerMemoryError
from streams.settings import load_settings

application = typer.Typer(help="The agents that have a memory, or will have one.", no_args_is_help=True)


class NoSuchAgent(LingerMemoryError):
    """An agent that no record of the memory names."""

    def __init__(self, agent: str) -> None:
        super().__init__(f"No agent {escape(agent)} is known; `linger-memory agents list` lists those that are.")


@application.command("list")
def list_(as_json: Json = False) -> None:
    """List all agents with the size and version of their memories."""
    memories = asyncio.run(_memories())
    if as_json:
        show_json([overview(memory) for _, memory in sorted(memories.items())])
        return
    for name, memory in sorted(memories.items()):
        state = memory.state
        show(
            f"{escape(name)}  {escape(state.name) or '(no name)'}  version {state.version}, {len(memory.lines)} lines in "
            f"{len(memory.sections)} sections, {len(memory.pending)} candidates waiting"
        )
    if not memories:
        show("No agents yet.")


@application.command("show")
def show_(agent: Annotated[str, typer.Argument(help="Agent id.")], as_json: Json = False) -> None:
    """Show where one agent stands: model, cuts, licence, workspaces, Rooms."""
    memory = asyncio.run(_memories()).get(agent)
    if memory is None:
        raise NoSuchAgent(agent)
    if as_json:
        show_json(overview(memory) | _details(memory))
        return
    for name, value in overview(memory).items():
        show(f"{name:<20} {escape(str(value))}")
    for room in sorted(memory.rooms.values(), key=lambda room: room.room):
        project = f", project {escape(room.project)}" if room.project else ""
        show(f"Room {escape(room.room)}  {escape(room.title)}{project}, memory {room.memory}")
    for workspace in sorted(memory.workspaces.values(), key=lambda workspace: workspace.workspace):
        state = "attached" if workspace.attached else "detached"
        show(f"workspace {escape(workspace.workspace)}  {escape(workspace.path)}, {state}")


async def _memories() -> dict[str, AgentMemory]:
    from streams.audit.projection import read_projection

    return dict((await read_projection(load_settings())).memories)


def overview(memory: AgentMemory) -> dict[str, Any]:
    """Give what is listed of an agent, in plain types."""
    state = memory.state
    return {
        "agent": state.agent,
        "name": state.name,
        "model": state.model,
        "window": state.window,
        "version": state.version,
        "sections": len(memory.sections),
        "lines": len(memory.lines),
        "summaries": sum(summary.published for summary in memory.summaries.values()),
        "pending": len(memory.pending),
        "last_cut_done": state.cut_done,
        "run_open": state.busy,
        "deleted": state.deleted,
    }


def _details(memory: AgentMemory) -> dict[str, Any]:
    licence = memory.state.licence
    return {
        "licence": licence.model_dump(mode="json") if licence else None,
        "licence_used": memory.state.licence_used,
        "rooms": [room.model_dump(mode="json") for room in memory.rooms.values()],
        "workspaces": [workspace.model_dump(mode="json") for workspace in memory.workspaces.values()],
    }
