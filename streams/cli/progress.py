"""How long work is shown on a terminal: one bar for each phase, on standard error, only where a person looks (O5)."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from streams.audit.progress import Progress as Report
from streams.audit.progress import silent


@contextmanager
def shown_progress() -> Iterator[Report]:
    """Give the function that long work reports to; it shows nothing where standard error is no terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield silent
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        phases: dict[str, TaskID] = {}

        def report(phase: str, done: int, total: int | None) -> None:
            if phase not in phases:
                phases[phase] = bars.add_task(phase, total=total)
            bars.update(phases[phase], completed=done, total=total)

        yield report
