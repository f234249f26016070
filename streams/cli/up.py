"""`up`: everything on this machine, until Ctrl-C or SIGTERM [O1]."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from streams.cli.output import tell
from streams.settings import Settings, load_settings


def up(
    data: Annotated[Path | None, typer.Option("--data", help="Folder for the broker's data, logs and caches; kept between starts.")] = None,
    workspaces: Annotated[Path | None, typer.Option("--workspaces", help="Folder that all workspaces lie under.")] = None,
) -> None:
    """Start the broker (unless bootstrap_servers names one), the topics and every role; end them all on Ctrl-C or SIGTERM."""
    from streams.supervision.foreground import in_foreground

    settings = load_settings(data_directory=data, workspaces_directory=workspaces)
    code = in_foreground(_keep_up(settings))
    if code > 128:  # a signal is how it is meant to end
        tell(f"Everything has ended. The data stays in {settings.data_directory}; the same command goes on.")
        code = 0
    raise typer.Exit(code)


async def _keep_up(settings: Settings) -> int:
    from streams.supervision.pipeline import running

    tell("Starting …")
    async with running(settings, tell) as pipeline:
        print(f"Kafka          {pipeline.settings.bootstrap_servers}")
        for child in pipeline.children:
            if child.current is not None and child.process is not None:
                where = child.current.health or f"{settings.data_directory / 'broker'}"
                print(f"{child.name:<14} process {child.process.pid:<8} {where}   log {child.current.log}")
        print(f"files          {settings.workspaces_directory}")
        print("Everything is ready. Ctrl-C ends it; the data stays.", flush=True)
        await pipeline.while_running(asyncio.Event().wait())
    return 0
