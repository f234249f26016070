"""Long texts cut to their beginning, with a mark of how much was left out (X3). Pure."""

from streams.models.tokens import estimate, truncate


def mark(left_out: int) -> str:
    """What stands where a text was cut."""
    return f"\n[… {left_out:,} characters left out]"


MARK_TOKENS = estimate(mark(999_999_999))


def cut(text: str, kept: int | None) -> str:
    """Give the text, or its first `kept` characters and the mark."""
    return text if kept is None or kept >= len(text) else text[:kept] + mark(len(text) - kept)


def fit(text: str, tokens: int) -> int | None:
    """Give how many characters may be kept so that the text, with its mark, is estimated at most `tokens`; None: all of it.

    A text of megabytes is looked at no further than it is kept. Not enough for the mark: 0.
    """
    kept = truncate(text, tokens)[1]
    return None if kept == len(text) else truncate(text, tokens - MARK_TOKENS)[1]


def cost(text: str, kept: int | None) -> int:
    """Tokens of the text as it is cut."""
    if kept is None or kept >= len(text):
        return estimate(text)
    return estimate(text[:kept]) + MARK_TOKENS
