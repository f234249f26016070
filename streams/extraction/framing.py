"""What a record costs beside its words: its id, author, time, tool (X2: everything is counted). Pure."""

from streams.extraction.shown import ShownRecord
from streams.models.tokens import estimate

_TAGS = 40
"""Tokens of the words around the values: tags, attributes' names, marks for new, late and error."""


def framing(record: ShownRecord) -> int:
    """Tokens of one record without its words. No side of the model port may show it in more."""
    values = [record.id, record.time.isoformat(), record.run or "", record.tool]
    if record.author is not None:
        values += [record.author.kind, record.author.role, record.author.name or "", record.author.id]
    return _TAGS + estimate(" ".join(values))


def run_framing(run: str) -> int:
    """Tokens of a run's line with its outcome."""
    return 16 + estimate(run)
