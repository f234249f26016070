"""What every command has: the choice of JSON for programs, and lines about how it goes."""

import sys
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def tell(line: str) -> None:
    """Print a line about how it goes; on standard error, so that the result alone is on standard output."""
    print(line, file=sys.stderr, flush=True)
