"""Date words become dates by code, against a record's own time and zone, never by a model (X6). Pure, English and ISO.

What has two readings ("next Friday", 03/04/2026) is no date here: the words stay in the statement, the field stays empty.
"""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo

from streams.models.words import fold

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_DAY = "|".join(_DAYS)
_MONTH = "|".join(rf"{name[:3]}(?:{name[3:]})?" if len(name) > 3 else name for name in _MONTHS) + "|sept"
_NUMBER = r"\d{1,3}|" + "|".join(_NUMBERS[1:])

_DATE = re.compile(
    rf"\b(?:(?P<iso>\d{{4}}-\d\d?-\d\d?)(?!\d)"
    rf"|(?P<dotted>\d\d?\.\d\d?\.\d{{4}})(?!\d)"
    rf"|(?P<month_day>\d\d?)(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\b\.?(?:,? (?P<year>\d{{4}}))?"
    rf"|(?P<month2>{_MONTH})\b\.? (?P<month_day2>\d\d?)(?:st|nd|rd|th)?\b(?!:)(?:,? (?P<year2>\d{{4}}))?"
    rf"|the (?P<ordinal>\d\d?)(?:st|nd|rd|th)\b"
    rf"|(?P<near>(?:the )?day after tomorrow|(?:the )?day before yesterday|today|tonight|tomorrow|yesterday)\b"
    rf"|(?P<which>(?:next|last|this|coming) )?(?P<weekday>{_DAY})s?\b"
    rf"|in (?:a|(?P<count>{_NUMBER})) (?P<unit>day|week)s?\b"
    rf"|(?P<ago>{_NUMBER}) (?P<ago_unit>day|week)s? ago\b"
    rf"|(?P<end>the )?end of (?:the |this )?(?P<of>month|year)\b)"
)
_NEAR = {
    "day after tomorrow": 2, "tomorrow": 1, "today": 0, "tonight": 0, "yesterday": -1, "day before yesterday": -2,
}  # fmt: skip


def local(moment: datetime, zone: str) -> datetime:
    """The moment on the clock of who wrote it: its own offset, or the Room's zone where the time came in UTC and that zone is known."""
    if moment.utcoffset() or not zone:
        return moment
    try:
        return moment.astimezone(_zone(zone))
    except OverflowError:  # at the calendar's ends, which an old record may have
        return moment


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (OSError, ValueError):  # unknown (ZoneInfoNotFoundError is a KeyError), a path, or a folder
        return UTC
    except KeyError:
        return UTC


def dates_in(text: str, at: datetime) -> tuple[date, ...]:
    """All dates that the text names, as they are meant at this local time."""
    return tuple(found for _, found in spans_in(text, at))


def spans_in(text: str, at: datetime) -> Iterator[tuple[str, date]]:
    """Each date word of the text, folded, with its date."""
    for match in _DATE.finditer(fold(text)):
        found = _resolve(match, at.date())
        if found is not None:
            yield match.group(), found


def resolve(words: str, at: datetime) -> date | None:
    """The one date that these words name; None: no date, or more than one."""
    found = set(dates_in(words[:100], at))
    return found.pop() if len(found) == 1 else None


def beginning(day: date, at: datetime) -> datetime:
    """The day's first moment in the zone of `at`."""
    return datetime.combine(day, time.min, at.tzinfo)


def end(day: date, at: datetime) -> datetime:
    """The day's last second in the zone of `at`: "until Friday" includes Friday."""
    return datetime.combine(day, time(23, 59, 59), at.tzinfo)


def spellings(day: date) -> frozenset[str]:
    """The numbers with which a statement may write this date."""
    return frozenset(
        (
            day.isoformat(),
            str(day.year),
            str(day.month),
            str(day.day),
            f"{day.month:02}",
            f"{day.day:02}",
            f"{day.day}.{day.month}.{day.year}",
            f"{day.day:02}.{day.month:02}.{day.year}",
            f"{day.year}-{day.month:02}",
        )
    )


def _resolve(match: re.Match[str], today: date) -> date | None:
    try:
        return _date(match, today)
    except (ValueError, OverflowError):
        return None  # 31 February, or beyond the calendar


def _date(match: re.Match[str], today: date) -> date | None:
    group = match.groupdict()
    if group["iso"]:
        year, month, day = (int(part) for part in group["iso"].split("-"))
        return date(year, month, day)
    if group["dotted"]:
        day, month, year = (int(part) for part in group["dotted"].split("."))
        return date(year, month, day)
    if group["month"]:
        return _in_year(group["year"], _month(group["month"]), int(group["month_day"]), today)
    if group["month2"]:
        return _in_year(group["year2"], _month(group["month2"]), int(group["month_day2"]), today)
    if group["ordinal"]:
        return _coming(int(group["ordinal"]), today)
    if group["near"]:
        return today + timedelta(days=_NEAR[group["near"].removeprefix("the ")])
    if group["weekday"]:
        return _weekday(group["which"], _DAYS.index(group["weekday"]), today, plural=match.group().endswith("s"))
    if group["unit"]:
        return today + timedelta(days=_count(group["count"] or "one") * (7 if group["unit"] == "week" else 1))
    if group["ago"]:
        return today - timedelta(days=_count(group["ago"]) * (7 if group["ago_unit"] == "week" else 1))
    month = 12 if group["of"] == "year" else today.month
    return date(today.year, month, monthrange(today.year, month)[1])


def _month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name[:3]))


def _count(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS.index(word)


def _in_year(year: str | None, month: int, day: int, today: date) -> date:
    """Without a year the date nearest to today is meant."""
    if year:
        return date(int(year), month, day)
    years = (today.year - 1, today.year, today.year + 1)
    candidates = [date(number, month, day) for number in years if day <= monthrange(number, month)[1]]
    if not candidates:
        raise ValueError("no such day")
    return min(candidates, key=lambda candidate: abs(candidate - today))


def _coming(day: int, today: date) -> date | None:
    """The next day of that number, today included."""
    year, month = today.year, today.month
    for _ in range(12):
        if day <= monthrange(year, month)[1] and date(year, month, day) >= today:
            return date(year, month, day)
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
    return None


def _weekday(which: str | None, weekday: int, today: date, *, plural: bool) -> date | None:
    """The coming day of that name, today included; "Fridays" and "next Friday" name no one day."""
    if plural or which == "next ":
        return None
    if which == "last ":
        return today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    return today + timedelta(days=(weekday - today.weekday()) % 7)
