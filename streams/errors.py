"""The root of every exception that a person is meant to read."""


class LingerMemoryError(Exception):
    """What happened, where, and what to do next, in one sentence or a short list; the command line prints it and ends with 1."""
