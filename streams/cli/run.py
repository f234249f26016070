"""`run ROLE`: one role in this process, until SIGTERM or Ctrl-C [O1, O2]."""

from enum import StrEnum
from typing import Annotated

import typer

from streams.errors import LingerMemoryError
from streams.settings import load_settings


class InstanceTaken(LingerMemoryError):
    """Two of the same name would throw each other out of the group without end."""


class Role(StrEnum):
    ACTIVITY = "activity"
    EXTRACTION = "extraction"
    CONSOLIDATION = "consolidation"
    WORKSPACES = "workspaces"


def run(
    role: Annotated[Role, typer.Argument(help="Which one; each runs in a process of its own.")],
    end_with_stdin: Annotated[
        bool, typer.Option("--end-with-stdin", help="Also stop when standard input ends, as it does when a parent dies.")
    ] = False,
) -> None:
    """Run one role until SIGTERM or Ctrl-C; it checks the topics first. Ends with 0 after a clean stop, with 1 after a fault."""
    from streams.supervision import locks
    from streams.supervision.role import run_role

    settings = load_settings()
    with locks.held(locks.of_role(settings, role.value)) as alone:
        if not alone:
            raise InstanceTaken(
                f"Another process is instance {settings.instance} of {role.value} on {settings.data_directory}. "
                "Set LINGER_MEMORY_INSTANCE to a name of its own to run one more beside it."
            )
        raise typer.Exit(run_role(settings, role.value, end_with_stdin=end_with_stdin))
