"""`rebuild --to|--check|--reset` (T1)."""

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer

from streams.cli.counting import counted
from streams.cli.output import Json, tell
from streams.cli.stages import stages
from streams.cli.terminal import escape, show, show_json
from streams.errors import LingerMemoryError
from streams.folders import FolderUnusable
from streams.settings import load_settings
from streams.supervision import locks


def rebuild(
    to: Annotated[Path | None, typer.Option("--to", help="Write all files below this folder, which must be empty or missing.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Compare topic memory and the workspaces' files with the journal.")] = False,
    reset: Annotated[
        bool,
        typer.Option("--reset", help="Delete memory, decisions and all tables, which the next start makes anew. Stop the roles first."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --reset: do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Make every memory and file anew from the journal alone, with no model and no network but Kafka.

    --check ends with 1 if anything differs. Stop it at any time and start again: --to shows nothing before all is written.
    """
    if (to is not None) + check + reset != 1:
        raise typer.BadParameter("give exactly one of --to DIR, --check and --reset (which wants the roles stopped, and `up` after it)")
    if to is not None:
        _write(to, as_json)
    elif check:
        _check(as_json)
    else:
        if not yes:
            typer.confirm(
                "Delete topic memory, decisions and all tables' changelogs? They are made anew at the next start.", abort=True, err=True
            )
        _reset(as_json)


def _write(target: Path, as_json: bool) -> None:
    from streams.audit.rebuild import rebuild, write

    async def run() -> tuple[Any, dict[str, int]]:
        with stages(plain_lines=False) as progress:
            rebuilt = await rebuild(load_settings(), progress)
        try:
            return rebuilt, await asyncio.to_thread(write, rebuilt, target)
        except OSError as error:
            raise FolderUnusable(f"The files can't be written to {target} ({error.strerror}). Name another folder with --to.") from None

    rebuilt, written = asyncio.run(run())
    if as_json:
        show_json({"folder": str(target), "files": written, "folded": rebuilt.end, "faults": rebuilt.faults})
    else:
        for agent, files in written.items():
            show(f"{escape(agent)}  {counted(files, 'file')}")
        show(f"{counted(len(written), 'agent')}, {counted(rebuilt.end, 'offset')} of the journal; everything is in {target}")
        for fault in rebuilt.faults:
            show(escape(fault))
    if rebuilt.faults:
        raise typer.Exit(1)


def _check(as_json: bool) -> None:
    from streams.audit.rebuild import differences

    async def run() -> list[str]:
        with stages(plain_lines=False) as progress:
            return await differences(load_settings(), progress)

    found = asyncio.run(run())
    if as_json:
        show_json({"same": not found, "differences": found})
    else:
        for sentence in found:
            show(escape(sentence))
        show(f"{counted(len(found), 'difference')}." if found else "Topic memory and all files are what the journal gives.")
    if found:
        raise typer.Exit(1)


def _reset(as_json: bool) -> None:
    from streams.audit.reset import reset

    settings = load_settings()
    if locks.is_held(locks.everything(settings.data_directory)):
        raise LingerMemoryError(f"`up` or `demo` runs on {settings.data_directory}. End it with Ctrl-C, then do this again.")
    names = asyncio.run(reset(settings, tell))
    if as_json:
        show_json({"created_anew": names})
    else:
        show(f"{len(names)} topics are empty now; `linger-memory up`, or the roles, make their content anew.")
