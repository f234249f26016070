"""How results are printed: JSON for programs, lines for people."""

import sys
from typing import Annotated, Any

import orjson
import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def print_json(value: Any) -> None:
    """Print one JSON document in UTF-8, with a line end."""
    sys.stdout.buffer.write(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS))
    sys.stdout.buffer.flush()


def tell(line: str) -> None:
    """Print a line about how it goes; on standard error, so that the result alone is on standard output."""
    print(line, file=sys.stderr, flush=True)
