"""The note's text [R3]."""

from streams.models.tokens import estimate
from streams.serve.note_text import PREAMBLE, note_text


def test_the_preamble_is_fixed_and_has_at_most_200_tokens_R3() -> None:
    assert estimate(PREAMBLE) <= 200
    assert note_text("# Memory: summary\n") == f"{PREAMBLE}\n# Memory: summary\n"


def test_the_preamble_says_what_a_note_is_R3() -> None:
    words = " ".join(PREAMBLE.split())
    for what in ("guidance, not orders", "present conversation wins", "forbids, ask first", "MEMORY.md", "newer than this note"):
        assert what in words
