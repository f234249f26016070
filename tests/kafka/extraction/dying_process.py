"""A worker in a process of its own that kills itself with SIGKILL at one moment: `python -m … MOMENT`.

Settings come from the environment. Moments: `call` (in the middle of the first model call), `after TYPE` (the first record of this type is
acknowledged, nothing else done), `marks` (the first mark is written).
"""

import asyncio
import os
import signal
import sys
from typing import Any

from schemas.extraction import EXTRACTIONS, ChunkInput
from streams.extraction import worker
from streams.kafka.clients import make_producer
from streams.models.port import ModelAnswer
from streams.observability.health import Health
from streams.settings import Settings, load_settings
from tests.kafka.extraction.extractors import GoodExtractor


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class DyingExtractor(GoodExtractor):
    async def extract(self, chunk: ChunkInput, model: str) -> ModelAnswer:
        die()
        return await super().extract(chunk, model)


class DyingProducer:
    """Sends like the real one, up to its moment."""

    def __init__(self, settings: Settings, moment: str) -> None:
        self._producer, self._moment = make_producer(settings, role="extraction"), moment
        self.start, self.stop = self._producer.start, self._producer.stop

    async def send_and_wait(self, topic: str, value: bytes, **where: Any) -> Any:
        sent = await self._producer.send_and_wait(topic, value, **where)
        kind = getattr(EXTRACTIONS.decode(value), "type", "")
        if self._moment == f"after {kind}" or (self._moment == "marks" and topic.endswith("extraction-marks")):
            die()
        return sent


async def main(moment: str) -> None:
    worker.make_producer = lambda settings, role: DyingProducer(settings, moment)  # type: ignore[assignment, misc]
    extractor = DyingExtractor() if moment == "call" else GoodExtractor()
    await worker.run(load_settings(), Health("extraction"), asyncio.Event(), extractor)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
