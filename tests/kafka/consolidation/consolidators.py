"""Small consolidators for tests: each answers in one way, and counts its calls."""

import asyncio

import orjson

from streams.models.port import ConsolidationInput, ModelAnswer, ModelFault


class AddingConsolidator:
    """Adds each candidate in its own words under its own topic."""

    name = "adding"
    prompt = "test"
    fixed_tokens = 100

    def __init__(self) -> None:
        self.calls: list[ConsolidationInput] = []

    async def consolidate(self, step: ConsolidationInput, model: str) -> ModelAnswer:
        self.calls.append(step)
        return ModelAnswer(self.answer(step))

    def answer(self, step: ConsolidationInput) -> str:
        operations = [{"op": "add", "section": c.topic, "text": c.statement, "candidates": [c.id]} for c in step.candidates]
        return orjson.dumps({"operations": operations}).decode()


class SlowConsolidator(AddingConsolidator):
    """Answers only when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.go = asyncio.Event()

    async def consolidate(self, step: ConsolidationInput, model: str) -> ModelAnswer:
        self.asked.set()
        await self.go.wait()
        return await super().consolidate(step, model)


class ScriptedConsolidator(AddingConsolidator):
    """Gives these answers first, then good ones. A `ModelFault` in the script is raised."""

    def __init__(self, *script: ModelAnswer | ModelFault) -> None:
        super().__init__()
        self._script = list(script)

    async def consolidate(self, step: ConsolidationInput, model: str) -> ModelAnswer:
        good = await super().consolidate(step, model)
        if not self._script:
            return good
        answer = self._script.pop(0)
        if isinstance(answer, ModelFault):
            raise answer
        return answer


class DeletingConsolidator(AddingConsolidator):
    """Wants every line gone."""

    def answer(self, step: ConsolidationInput) -> str:
        cause = step.candidates[0].id
        lines = [line.id for section in step.sections for line in section.lines]
        if not lines:
            return super().answer(step)
        operations: list[dict[str, object]] = [{"op": "reject", "candidates": [c.id for c in step.candidates], "reason": "no"}]
        operations += [{"op": "remove", "line": line, "cause": "disproved", "because": cause} for line in lines]
        return orjson.dumps({"operations": operations}).decode()


class ForbiddenConsolidator(AddingConsolidator):
    """Must not be called."""

    async def consolidate(self, step: ConsolidationInput, model: str) -> ModelAnswer:
        raise AssertionError("a model call was made")
