"""The way out for programs: the hidden note of a conversation (R)."""
