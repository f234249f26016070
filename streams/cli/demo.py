"""`demo`: one agent's transcripts through the whole pipeline on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from streams.cli.output import tell
from streams.settings import load_settings


def demo(
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder of the demo; by default `demo` in the data_directory setting.")
    ] = None,
    timeout: Annotated[float, typer.Option("--timeout", min=1, help="Seconds to wait for the memory.")] = 300.0,
) -> None:
    """Start a Kafka and all roles, send the bundled transcripts, show the memory and the note that came of them, and end it all.

    The data is kept: a second call sends nothing again and takes seconds.
    """
    from streams.demo.run import demo as run
    from streams.demo.scenario import demo_settings
    from streams.supervision.foreground import in_foreground

    settings = load_settings()
    settings = demo_settings(settings, (data or settings.data_directory / "demo").expanduser().absolute())
    code = in_foreground(run(settings, timeout))
    if code > 128:
        tell(f"Interrupted; everything that was started has ended. A second call goes on with what is in {settings.data_directory}.")
    raise typer.Exit(code)
