"""Small extractors for tests: each answers in one way, and keeps what it was asked."""

import asyncio
from collections.abc import Awaitable, Callable

import orjson

from schemas.extraction import ChunkInput
from streams.models.port import ModelAnswer, ModelFault


def an_answer(chunk: ChunkInput, summary: str = "") -> str:
    """A good answer: a summary that names the Room, and nothing worth remembering."""
    return orjson.dumps({"summary": summary or f"{chunk.summary}+{chunk.room}", "candidates": []}).decode()


class GoodExtractor:
    """Answers at once."""

    name = "good"
    prompt = "prompt-1"
    fixed_tokens = 100

    def __init__(self) -> None:
        self.calls: list[ChunkInput] = []

    async def extract(self, chunk: ChunkInput, model: str) -> ModelAnswer:
        self.calls.append(chunk)
        return ModelAnswer(an_answer(chunk))


class ScriptedExtractor(GoodExtractor):
    """Gives these answers first, then good ones. A `ModelFault` in the script is raised."""

    def __init__(self, *script: ModelAnswer | ModelFault) -> None:
        super().__init__()
        self._script = list(script)

    async def extract(self, chunk: ChunkInput, model: str) -> ModelAnswer:
        good = await super().extract(chunk, model)
        if not self._script:
            return good
        answer = self._script.pop(0)
        if isinstance(answer, ModelFault):
            raise answer
        return answer


class OverloadedExtractor(GoodExtractor):
    """Never answers for one Room of one agent."""

    def __init__(self, agent: str, room: str) -> None:
        super().__init__()
        self._where = (agent, room)

    async def extract(self, chunk: ChunkInput, model: str) -> ModelAnswer:
        answer = await super().extract(chunk, model)
        if (chunk.agent, chunk.room) == self._where:
            raise ModelFault("overloaded", transient=True)
        return answer


class HeldExtractor(GoodExtractor):
    """Answers only when it is told to; knows how many of its calls run at one time."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()
        self.running: list[str] = []

    async def extract(self, chunk: ChunkInput, model: str) -> ModelAnswer:
        assert chunk.agent not in self.running, "two calls of one agent at once"
        self.running.append(chunk.agent)
        try:
            await self.go.wait()
        finally:
            self.running.remove(chunk.agent)
        return await super().extract(chunk, model)


class MeanwhileExtractor(GoodExtractor):
    """Something happens during its first call."""

    def __init__(self, meanwhile: Callable[[ChunkInput], Awaitable[None]]) -> None:
        super().__init__()
        self._meanwhile = meanwhile

    async def extract(self, chunk: ChunkInput, model: str) -> ModelAnswer:
        if not self.calls:
            await self._meanwhile(chunk)
        return await super().extract(chunk, model)
