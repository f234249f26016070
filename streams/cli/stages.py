"""How far longer work has come: a bar for each stage on a terminal, and elsewhere plain lines or nothing; on standard error (O5)."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from streams.audit.progress import Progress as Report
from streams.audit.progress import silent

_LINE_EVERY_SECONDS = 5.0


@contextmanager
def stages(*, plain_lines: bool = True) -> Iterator[Report]:
    """Give a function that shows how far each stage is; without `plain_lines` only where a person looks."""
    if sys.stderr.isatty():
        yield from _on_terminal()
    else:
        yield _plain() if plain_lines else silent


def _on_terminal() -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<32}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), redirect_stdout=False) as progress:
        tasks: dict[str, TaskID] = {}

        def show(step: str, done: int, total: int | None) -> None:
            if step not in tasks:
                tasks[step] = progress.add_task(step)
            if total == 0:
                done = total = 1  # there is nothing to do, and that is done
            progress.update(tasks[step], completed=done, total=total)

        yield show


def _plain() -> Report:
    said: dict[str, tuple[str, float]] = {}  # of each stage, what was last said of it, and when something new may be said

    def show(step: str, done: int, total: int | None) -> None:
        if total == 0:
            done = total = 1  # there is nothing to do, and that is done
        line = f"{step} {100 * done // total} %" if total else step
        last, next_line = said.get(step, ("", 0.0))
        now = time.monotonic()
        if line == last or (now < next_line and (total is None or done < total)):
            return
        said[step] = line, now + _LINE_EVERY_SECONDS
        print(line, file=sys.stderr, flush=True)

    return show
