"""`topics create|check` [O3]."""

import asyncio
from typing import Annotated

import typer

from streams.cli.output import Json
from streams.cli.terminal import show_json
from streams.settings import load_settings

application = typer.Typer(help="The Kafka topics that everything is kept in.", no_args_is_help=True)


@application.command()
def create(
    mend: Annotated[bool, typer.Option("--mend", help="Also set the configuration of topics that are there to what it must be.")] = False,
    as_json: Json = False,
) -> None:
    """Create the topics that are missing; the others stay as they are. Ends with 1 if one of those is not as it must be."""
    from streams.kafka.topics import check_topics, create_topics, mend_topics

    settings = load_settings()

    async def run() -> tuple[list[str], list[str], list[str]]:
        created = await create_topics(settings)
        mended = await mend_topics(settings) if mend else []
        return created, mended, await check_topics(settings)

    created, mended, problems = asyncio.run(run())
    if as_json:
        show_json({"created": created, "mended": mended, "problems": problems})
    else:
        for name in created:
            print(f"created {name}")
        for name in mended:
            print(f"mended  {name}")
        if problems:
            print("\n".join(problems))
        elif not created and not mended:
            print("All topics are there, as they must be.")
    if problems:
        raise typer.Exit(1)


@application.command()
def check(as_json: Json = False) -> None:
    """Name each topic that is missing or configured otherwise, with the command that mends it; ends with 1 if there is one."""
    from streams.kafka.topics import check_topics

    problems = asyncio.run(check_topics(load_settings()))
    if as_json:
        show_json({"problems": problems})
    else:
        print("\n".join(problems) if problems else "All topics are as they must be.")
    if problems:
        raise typer.Exit(1)
