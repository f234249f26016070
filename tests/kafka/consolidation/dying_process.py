"""A consolidator in a process of its own that kills itself with SIGKILL at one moment: `python -m … MOMENT`.

Settings come from the environment. Moments: `before KIND` (all is sent, nothing committed), `after KIND` (committed, nothing else done),
where KIND is what the transaction says on the journal, such as `memory.changed`; `call` (in the middle of a model call).
"""

import asyncio
import os
import signal
import sys

from streams.consolidation import transactions
from streams.consolidation.worker import run
from streams.models.port import ConsolidationInput, ModelAnswer
from streams.observability.health import Health
from streams.settings import load_settings
from tests.kafka.consolidation.consolidators import AddingConsolidator


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class DyingConsolidator(AddingConsolidator):
    async def consolidate(self, step: ConsolidationInput, model: str) -> ModelAnswer:
        die()
        return await super().consolidate(step, model)


class DyingWriter(transactions.Writer):
    """Writes like the real one, up to its moment."""

    when, kind = "", ""

    async def write(self, outgoing: transactions.Outgoing, position: int) -> list[int]:
        here = any(record.type == self.kind for record in outgoing.journal)
        if here and self.when == "before":
            commit = self._producer.commit_transaction

            async def instead() -> None:
                die()
                await commit()

            self._producer.commit_transaction = instead
        offsets = await super().write(outgoing, position)
        if here and self.when == "after":
            die()
        return offsets


async def main(moment: str) -> None:
    from streams.consolidation import worker

    DyingWriter.when, _, DyingWriter.kind = moment.partition(" ")
    worker.Writer = DyingWriter  # type: ignore[misc]
    consolidator = DyingConsolidator() if moment == "call" else AddingConsolidator()
    await run(load_settings(), Health("consolidation"), asyncio.Event(), consolidator)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
