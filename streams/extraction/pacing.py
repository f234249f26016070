"""How long a failed call waits for its next try (X11, U26). Pure."""

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Pacing:
    """Pauses in seconds: the first, twice as long each time, with jitter, up to the longest."""

    first_seconds: float
    most_seconds: float
    wish_most_seconds: float
    """A provider's wish to be left alone is heard up to so long."""

    def pause(self, failures: int, retry_after_seconds: float | None, random: Random) -> float:
        """Give the seconds to wait after so many failures; a provider's own wish counts if it is longer."""
        backoff = min(self.most_seconds, self.first_seconds * 2.0 ** min(30, max(0, failures - 1)))
        wish = min(self.wish_most_seconds, retry_after_seconds or 0.0)
        return max(backoff * random.uniform(0.5, 1.0), wish)
