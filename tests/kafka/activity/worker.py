"""A worker process of activity for tests: settings from the environment, a tiny `derive`, ends on SIGTERM. Run by `python -m`."""

import asyncio
import signal
import sys
from collections.abc import Iterable

from schemas.base import Origin, Position
from schemas.extraction import Done, ExtractionRecord
from schemas.journal import RequestDone
from streams.activity.app import run
from streams.observability.health import Health
from streams.observability.logs import configure
from streams.settings import load_settings


def only_done(record: ExtractionRecord, position: Position) -> Iterable[RequestDone]:
    """Derive nothing but the end of a request."""
    if isinstance(record, Done):
        yield RequestDone(
            agent=record.agent, origin=Origin(position=position), request=record.request, cut=record.cut, outcome=record.outcome
        )


async def main() -> None:
    settings = load_settings()
    configure(settings, "activity")
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await run(settings, Health("activity"), stop, derive=only_done)


if __name__ == "__main__":
    asyncio.run(main())
    sys.exit(0)
