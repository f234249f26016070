"""`memory show|why`."""

import asyncio
from typing import Annotated, Any

import typer

from schemas.memory import AgentMemory, Line
from streams.cli.agents import NoSuchAgent
from streams.cli.counting import counted
from streams.cli.line_history import history_as_plain, history_in_words
from streams.cli.output import Json
from streams.cli.terminal import escape, show, show_json
from streams.settings import load_settings

application = typer.Typer(help="What an agent remembers, and why.", no_args_is_help=True)

Agent = Annotated[str, typer.Argument(help="Agent id.")]


@application.command("show")
def show_(
    agent: Agent,
    ids: Annotated[bool, typer.Option("--ids", help="List the lines with their ids, which `memory why` takes.")] = False,
    as_json: Json = False,
) -> None:
    """Show the memory as MEMORY.md has it, or as JSON with the lines' ids and sources."""
    from streams.audit.projection import read_projection

    memory = asyncio.run(read_projection(load_settings())).memories.get(agent)
    if memory is None:
        raise NoSuchAgent(agent)
    if as_json:
        show_json(as_plain(memory))
    elif ids:
        if not memory.sections:
            show("Nothing is remembered yet.")
        for section in memory.sections:
            show(f"{section.id}  {escape(section.title)}")
            for line in section.lines:
                show(f"    {line.id}  {escape(line.text)}  ({counted(line.sources, 'source')}, {line.trust}{_found_by(line)})")
    else:
        show(escape(_document(memory), lines=True).rstrip("\n"))


@application.command("why")
def why_(agent: Agent, line: Annotated[str, typer.Argument(help="Line id, from `memory show --ids`.")], as_json: Json = False) -> None:
    """Show where a line comes from: what was done to it, its candidates, the model calls, the original messages with their positions.

    A line that has ended is shown too. Words are redacted; of a long message the beginning is shown.
    """
    from streams.audit.why import why

    history = asyncio.run(why(load_settings(), agent, line))
    if as_json:
        show_json(history_as_plain(history))
    else:
        show("\n".join(history_in_words(history)))


def _found_by(line: Line) -> str:
    return f", found by {escape(line.extractor)}" if line.extractor else ""


def _document(memory: AgentMemory) -> str:
    from streams.workspaces.render import render

    document = render(memory).get("MEMORY.md")
    return document.decode() if document is not None else "Nothing is remembered yet.\n"


def as_plain(memory: AgentMemory) -> dict[str, Any]:
    """Give sections, lines and published summaries in plain types."""
    state = memory.state
    return {
        "agent": state.agent,
        "version": state.version,
        "window": state.rendered_window,
        "dropped": state.dropped,
        "files": dict(state.files),
        "sections": [section.model_dump(mode="json", exclude={"type", "agent"}) for section in memory.sections],
        "summaries": [
            summary.model_dump(mode="json", exclude={"type", "agent", "waiting"})
            for summary in memory.summaries.values()
            if summary.published
        ],
    }
