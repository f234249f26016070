"""How long a failed model call waits for its next try (X11): briefly at first, long once it looks like an outage, never for ever. Pure."""

from dataclasses import dataclass

_DAY_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class Pacing:
    """Pauses between tries, in seconds. A try that a crash ended counts like any other."""

    attempts_max: int
    first_seconds: float
    most_seconds: float
    outage_seconds: float

    def pause(self, attempts: int, retry_after_seconds: float | None = None) -> float:
        """Give the seconds to wait after so many tries; the provider's own wish counts if it is longer."""
        if attempts < self.attempts_max:
            pause = min(self.most_seconds, self.first_seconds * 2.0 ** max(0, attempts - 1))
        else:
            pause = min(_DAY_SECONDS, self.outage_seconds * 2.0 ** min(30, attempts - self.attempts_max))
        return min(_DAY_SECONDS, max(pause, retry_after_seconds or 0.0))

    def gives_up(self, attempts: int) -> bool:
        """Say whether this was the last of the close tries, which is worth one alert (U26)."""
        return attempts == self.attempts_max
