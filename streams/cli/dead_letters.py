"""`dead-letters list` (E6)."""

import asyncio
from typing import Annotated

import typer

from schemas.dead_letters import DeadLetter, DeadLetterClass
from streams.cli.counting import counted
from streams.cli.output import Json
from streams.cli.terminal import escape, show, show_json
from streams.errors import LingerMemoryError
from streams.settings import load_settings

application = typer.Typer(help="Records that could not be processed: where they lie and why, never their words.", no_args_is_help=True)


@application.command("list")
def list_(
    reason: Annotated[DeadLetterClass | None, typer.Option(help="Only this class.")] = None,
    topic: Annotated[str | None, typer.Option(help="Only records of this topic, such as messages.")] = None,
    as_json: Json = False,
) -> None:
    """List them, oldest first, each record once.

    The place, topic[partition]@offset, is where the record lies in Kafka: any tool that reads one partition from an offset shows it.
    """
    from streams.audit.dead_letters import list_dead_letters
    from streams.kafka.topics import TOPICS

    names = [spec.name for spec in TOPICS]
    if topic is not None and topic not in names:
        raise LingerMemoryError(f"There is no topic {escape(topic)}; the topics are {', '.join(names)} (without their prefix).")

    async def run() -> list[DeadLetter]:
        letters = list_dead_letters(load_settings())
        return [one async for one in letters if reason in (None, one.reason) and topic in (None, one.position.topic)]

    found = asyncio.run(run())
    if as_json:
        show_json([{"place": str(letter.position), **letter.model_dump(mode="json")} for letter in found])
        return
    for letter in found:
        detail = escape(letter.detail)
        show(f"{letter.at.isoformat()}  {letter.position}  {letter.reason}  {letter.size} bytes  {letter.role}  {detail}")
    show("No dead letters." if not found else f"{counted(len(found), 'dead letter')}.")
