"""`import events` [E7, O5]."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streams.cli.counting import counted
from streams.cli.output import Json, tell
from streams.cli.terminal import escape, show_json
from streams.settings import load_settings

if TYPE_CHECKING:
    from streams.importers.events import Imported

application = typer.Typer(help="Send files of events to the input topics.", no_args_is_help=True)

_SHOWN_BAD_LINES = 20


@application.callback()
def _noun() -> None:
    """A noun with one verb so far keeps its verb."""


@application.command("events")
def events(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Files of JSON lines, one CloudEvent a line, sent in this order.")],
    agent: Annotated[str | None, typer.Option("--agent", help="Take every event as this agent's.")] = None,
    as_json: Json = False,
) -> None:
    """Send our own JSONL, only what the topics do not hold yet. Lines that are no events are skipped and named.

    Ends with 1 if there was one.
    """
    from streams.cli.stages import stages
    from streams.importers.events import import_events

    settings = load_settings()
    with stages() as show:
        imported = asyncio.run(import_events(settings, paths, agent, lambda now: show(now.step, now.done, now.total)))
    if as_json:
        show_json(_plain(imported))
    else:
        _show(imported)
    if imported.bad:
        raise typer.Exit(1)


def _plain(imported: "Imported") -> dict[str, object]:
    bad = [{"path": str(one.path), "line": one.line, "reason": one.reason, "detail": one.detail} for one in imported.bad]
    return {
        "sent": imported.sent,
        "present": imported.present,
        "by_type": imported.by_type,
        "agents": list(imported.agents),
        "bad_lines": bad,
    }


def _show(imported: "Imported") -> None:
    agents = ", ".join(escape(agent) for agent in imported.agents) or "none"
    print(f"Sent: {counted(imported.sent, 'event')}; there already: {imported.present}; agents: {agents}")
    if imported.bad:
        tell(f"{counted(len(imported.bad), 'line')} not sent, being no event:")
    for one in imported.bad[:_SHOWN_BAD_LINES]:
        tell(f"  {escape(str(one.path))}, line {one.line}: {one.reason}, {one.detail}")
    if len(imported.bad) > _SHOWN_BAD_LINES:
        tell(f"  and {len(imported.bad) - _SHOWN_BAD_LINES} more; --json names them all")
