"""Numbers, paths, URLs and identifiers of a statement must come from somewhere (X7). Pure.

They are looked up in the whole chunk that was read, in its authors' names, the Room's title and project, and among the dates of the cited
records and those that code resolves from date words in the quote: a look-up in the cited records alone threw good candidates away.
"""

from collections.abc import Sequence
from datetime import date

from schemas.extraction import InputRecord
from streams.candidates.dates import dates_in, spellings
from streams.candidates.records import Records, authors
from streams.models.words import fold, identifiers, occurs


def unfounded(text: str, records: Records, dates: frozenset[date]) -> frozenset[str]:
    """The identifiers of the text that come from nowhere."""
    missing = identifiers(text) - {spelling for day in dates for spelling in spellings(day)}
    if missing:
        missing = _not_in(" ".join((records.chunk.title, records.chunk.project, *authors(records.chunk))), missing)
    for record in records.chunk.records:
        if not missing:
            break
        missing = frozenset(detail for detail in missing if not occurs(detail, records.folded(record)))
    # Last, since it costs more: written otherwise, such as 5,000 for 5000.
    for record in records.chunk.records:
        if not missing:
            break
        missing -= records.identifiers(record)
    return missing


def _not_in(text: str, details: frozenset[str]) -> frozenset[str]:
    folded = fold(text)
    return frozenset(detail for detail in details if not occurs(detail, folded))


def known_dates(quote: str, holders: Sequence[InputRecord], cited: Sequence[InputRecord], records: Records) -> frozenset[date]:
    """The days of the cited records, and those that date words of the quote mean on the day of a record that contains it."""
    of_records = {records.at(record).date() for record in cited}
    return frozenset(of_records | {day for record in holders for day in dates_in(quote, records.at(record))})
