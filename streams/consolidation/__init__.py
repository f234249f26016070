"""The single writer of memory: decide what becomes of candidates, then fold the journal (C1, C9)."""
