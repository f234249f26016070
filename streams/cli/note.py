"""`note give`: the hidden note of a conversation [R1, R2, R4]."""

import asyncio
from typing import Annotated

import typer

from streams.cli.output import Json, tell
from streams.cli.terminal import escape, show_json
from streams.settings import Settings, load_settings

application = typer.Typer(help="The hidden note that the first message of a conversation carries.", no_args_is_help=True)


@application.callback()
def _noun() -> None:
    """A noun with one verb so far keeps its verb."""


@application.command()
def give(
    agent: Annotated[str, typer.Argument(help="Id of the agent.")],
    room: Annotated[str, typer.Argument(help="Id of the Room.")],
    conversation: Annotated[str, typer.Argument(help="Id of the conversation.")],
    compaction: Annotated[int, typer.Option("--compaction", min=0, help="How often the conversation has been compacted.")] = 0,
    as_json: Json = False,
) -> None:
    """Give the note and pin it: asked again for the same compaction it gives the same bytes. No memory yet: `null`, and 0."""
    from streams.serve.notes import give as give_note

    settings = load_settings()
    note = asyncio.run(give_note(settings, agent, room, conversation, compaction))
    if as_json:
        show_json(None if note is None else note.model_dump(mode="json"))
    else:
        print("null" if note is None else escape(note.text, lines=True))
    if note is None:
        tell(asyncio.run(_why_none(settings, agent)))


async def _why_none(settings: Settings, agent: str) -> str:
    from streams.audit.projection import read_projection

    if agent in (await read_projection(settings)).memories:
        return "There is no note: nothing confirmed was remembered at the first ask of this conversation, or memory is off here."
    return f"There is no note: no agent {escape(agent)} is known; `linger-memory agents list` lists those that are."
