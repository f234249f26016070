"""How much of the window a step, the memory and the candidates may take (C3, C5). All in estimated tokens."""

from dataclasses import dataclass

from schemas.candidates import Candidate
from streams.models.tokens import estimate

SMALLEST_WINDOW = 8_192
_SHORT_EDITION_BELOW = 32_768
_SECTIONS_FOR_EVERY = 200_000
_CANDIDATE_FRAME = 60
"""Field names, ids and dates of one candidate in a prompt."""
_ANSWER_FRAME = 40
"""What one operation takes in an answer besides its text."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The numbers that a step is built and judged with; all of them settings or properties of the model port."""

    default_window: int = 200_000
    """Tokens; of an agent that has named none."""
    candidates_in_step: int = 64
    sections: int = 40
    """For every started 200,000 tokens of window."""
    lines_in_section: int = 30
    rooms_with_summary: int = 30
    removals_of: int = 4
    """A model may remove one line of so many a step, and one at least (C8)."""
    disproved_by_one: int = 3
    answer_tokens: int = 16_384
    """Room of an answer; at most an eighth of the window."""

    def window(self, said: int) -> int:
        """Give the window that counts for an agent that has said this one; 0: none."""
        return said or self.default_window

    def sections_in(self, window: int) -> int:
        """Give how many sections a memory for this window may have."""
        return self.sections * -(-window // _SECTIONS_FOR_EVERY)


def step_tokens(window: int) -> int:
    """Give what one step may take: half of the window."""
    return window // 2


def fixed_tokens(window: int) -> int:
    """Give the most that instructions and schema may take."""
    return 1_024 if window < _SHORT_EDITION_BELOW else 4_096


def share(window: int) -> int:
    """Give what the memory may take: half of the step, or what fixed text and the reserve for candidates leave, if that is less."""
    step = step_tokens(window)
    return max(0, min(step // 2, step - fixed_tokens(window) - step // 4))


def fitting(candidates: list[Candidate], window: int, memory_tokens: int, limits: Limits) -> int:
    """Give how many of these, from the first on, one step takes: as the rest of the step and half of the answer's room allow.

    One at least, so that none waits for ever: a candidate's fields are capped far below the reserve.
    """
    rest = step_tokens(window) - fixed_tokens(window) - memory_tokens
    answer = min(limits.answer_tokens, window // 8) // 2
    for count, candidate in enumerate(candidates[: limits.candidates_in_step]):
        statement = estimate(candidate.statement)
        rest -= statement + estimate(f"{candidate.reason} {candidate.quote} {candidate.corrects} {candidate.topic}") + _CANDIDATE_FRAME
        answer -= statement + _ANSWER_FRAME
        if count and (rest < 0 or answer < 0):
            return count
    return min(len(candidates), limits.candidates_in_step)
