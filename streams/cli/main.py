"""The registry of all commands, and how errors reach a person. A noun is one line here and a file of its own beside this one."""

import logging
import sys
from typing import NoReturn

import typer

from streams.cli import agents, broker, candidates, dead_letters, demo, import_, memory, note, rebuild, run, topics, up, verify
from streams.cli.terminal import escape
from streams.errors import LingerMemoryError

application = typer.Typer(
    name="linger-memory",
    help="One memory for each agent of a Linger server, from Kafka topics to files and hidden notes.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # typer 0.29 writes "<bool>" behind every flag in the other
    context_settings={"max_content_width": 140},
)

# Nouns: application.add_typer(module.application, name="noun"); verbs that stand alone: application.command("verb")(module.verb).
application.add_typer(broker.application, name="broker")
application.add_typer(topics.application, name="topics")
application.add_typer(import_.application, name="import")
application.add_typer(agents.application, name="agents")
application.add_typer(memory.application, name="memory")
application.add_typer(candidates.application, name="candidates")
application.add_typer(dead_letters.application, name="dead-letters")
application.command("verify")(verify.verify)
application.command("rebuild")(rebuild.rebuild)
application.add_typer(note.application, name="note")
application.command("demo")(demo.demo)
application.command("up")(up.up)
application.command("run")(run.run)


def main() -> None:
    """Run the command line. Ends with 0, with 1 after one clear message of ours, or with 2 after a wrong use."""
    logging.getLogger().addHandler(logging.NullHandler())  # what a library has to say is in our own message; a role logs all of it
    try:
        application()
    except LingerMemoryError as error:
        _fail(str(error))
    except OSError as error:
        if error.filename is None:
            raise
        _fail(f"{error.filename} can't be used ({error.strerror}). Mend that, or name another place.")


def _fail(sentence: str) -> NoReturn:
    print(f"linger-memory: {escape(sentence, lines=True)}", file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    main()
