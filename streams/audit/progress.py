"""How far a long reading has come, for whoever shows it (O5)."""

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Called with what is read, in words, how much of it is done, and of how much; None: that isn't known. Called often; it must be cheap."""


def silent(phase: str, done: int, total: int | None) -> None:
    """No progress is shown."""
