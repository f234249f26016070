"""Which offset may be committed when work is finished out of order. Pure.

Kafka stores one number per partition: everything below it is done. Work that runs side by side ends in any order, so only the
contiguous prefix of what was handed out may be committed; what a kill interrupts is then read again, and never skipped.
"""

from collections import deque


class CommitWindow:
    """Follows one partition: offsets go in with `add`, in rising order, and are finished with `done`, in any order."""

    def __init__(self) -> None:
        self._handed_out: deque[int] = deque()  # rising; the first is unfinished
        self._unfinished: set[int] = set()
        self._last: int | None = None

    def add(self, offset: int) -> None:
        """Say that work on `offset` starts. Holes (compaction, transaction markers) are allowed; going back is a ValueError."""
        if self._last is not None and offset <= self._last:
            raise ValueError(f"offset {offset} was handed out after {self._last}: offsets of a partition only rise")
        self._last = offset
        self._handed_out.append(offset)
        self._unfinished.add(offset)

    def done(self, offset: int) -> None:
        """Say that `offset` is durably done; a second time has no effect. One above all that were handed out is a ValueError."""
        if self._last is None or offset > self._last:
            raise ValueError(f"offset {offset} was never handed out")
        self._unfinished.discard(offset)
        while self._handed_out and self._handed_out[0] not in self._unfinished:
            self._handed_out.popleft()

    def committable(self) -> int | None:
        """Give the offset to commit, exclusive: everything handed out below it is done. None before the first `add`."""
        if self._handed_out:
            return self._handed_out[0]
        return None if self._last is None else self._last + 1

    def unfinished(self) -> int:
        """Give how many offsets are handed out and not yet done."""
        return len(self._unfinished)
