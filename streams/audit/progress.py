"""How far a long reading has come, for whoever shows it (O5)."""

from typing import Protocol


class Progress(Protocol):
    def __call__(self, phase: str, done: int, total: int | None) -> None:
        """`phase`: what is read, in words. `total`: None where it isn't known. Called often; it must be cheap."""


def silent(phase: str, done: int, total: int | None) -> None:
    """No progress is shown."""
