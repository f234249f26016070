"""What can go wrong in consolidation."""

from streams.errors import LingerMemoryError


class ConsolidationError(LingerMemoryError):
    """Root of this package's exceptions."""


class FoldFault(ConsolidationError):
    """A journal record that can't be applied to this memory. The record is skipped for this agent, and the skip is recorded (C13)."""


class UnusableAnswer(ConsolidationError):
    """An answer that is no list of operations: empty, cut off, or of a wrong shape. It never looks like nothing to do (U13)."""


class JournalIncomplete(ConsolidationError):
    """The journal does not begin at offset 0, so a memory folded from it would not be the whole one."""
