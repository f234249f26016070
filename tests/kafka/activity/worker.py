"""A worker process of activity for tests: settings from the environment, a tiny `derive`, ends on SIGTERM. Run by `python -m`."""

import asyncio
import faulthandler
import logging
import signal
import sys
from collections.abc import Iterable

from schemas.base import Origin, Position
from schemas.extraction import Done, ExtractionRecord
from schemas.journal import RequestDone
from streams.activity.app import run
from streams.observability.health import Health, health_pages
from streams.observability.logs import configure
from streams.settings import load_settings


def only_done(record: ExtractionRecord, position: Position) -> Iterable[RequestDone]:
    """Derive nothing but the end of a request."""
    if isinstance(record, Done):
        yield RequestDone(
            agent=record.agent, origin=Origin(position=position), request=record.request, cut=record.cut, outcome=record.outcome
        )


def show_tasks() -> None:
    """Show what each task waits for: for a test that has waited in vain."""
    for task in asyncio.all_tasks():
        task.print_stack(file=sys.stderr)


async def main() -> None:
    settings = load_settings()
    configure(settings, "activity")
    stop = asyncio.Event()
    logging.getLogger().setLevel(logging.INFO)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loop.add_signal_handler(signal.SIGUSR1, show_tasks)
    faulthandler.register(signal.SIGUSR2)
    health = Health("activity")
    async with health_pages(settings, health):
        await run(settings, health, stop, derive=only_done)


if __name__ == "__main__":
    asyncio.run(main())
    sys.exit(0)
