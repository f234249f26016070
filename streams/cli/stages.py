"""Stages of a longer work: bars on a terminal, and plain lines elsewhere, so that a log shows them too; on standard error (O5)."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Show = Callable[[str, int, int], None]
"""Called with the stage's name, how much is done, and of how much."""

_LINE_EVERY_SECONDS = 5.0


@contextmanager
def stages() -> Iterator[Show]:
    """Give a function that shows how far each stage is."""
    if sys.stderr.isatty():
        yield from _on_terminal()
    else:
        yield _plain()


def _on_terminal() -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<32}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), redirect_stdout=False) as progress:
        tasks: dict[str, TaskID] = {}

        def show(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = progress.add_task(step)
            progress.update(tasks[step], completed=done, total=max(total, 1))

        yield show


def _plain() -> Show:
    last_step, next_line = "", 0.0

    def show(step: str, done: int, total: int) -> None:
        nonlocal last_step, next_line
        if step == last_step and time.monotonic() < next_line and done < total:
            return
        if step == last_step and done >= total and next_line == float("inf"):
            return
        percent = f" {100 * done // total} %" if total else ""
        print(f"{step}{percent}", file=sys.stderr, flush=True)
        last_step, next_line = step, float("inf") if done >= total else time.monotonic() + _LINE_EVERY_SECONDS

    return show
