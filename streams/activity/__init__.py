"""Counting and timing: from what happens to extraction requests and idle licences (A1-A8, E6, E9)."""
