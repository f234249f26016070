"""Numbers with their nouns."""


def counted(number: int, noun: str) -> str:
    """Give `1 line` or `2 lines`, for nouns whose plural ends in s."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
