"""Date words become dates by code, on the clock of who wrote them (X6)."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.candidates.dates import dates_in, end, local, resolve

WEDNESDAY = datetime(2026, 1, 14, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("today", date(2026, 1, 14)),
        ("tomorrow", date(2026, 1, 15)),
        ("yesterday", date(2026, 1, 13)),
        ("the day after tomorrow", date(2026, 1, 16)),
        ("Friday", date(2026, 1, 16)),
        ("Wednesday", date(2026, 1, 14)),
        ("last Monday", date(2026, 1, 12)),
        ("the 14th", date(2026, 1, 14)),
        ("the 3rd", date(2026, 2, 3)),
        ("2026-03-14", date(2026, 3, 14)),
        ("14 March", date(2026, 3, 14)),
        ("March 14th, 2027", date(2027, 3, 14)),
        ("28 December", date(2025, 12, 28)),
        ("1.2.2026", date(2026, 2, 1)),
        ("in two weeks", date(2026, 1, 28)),
        ("3 days ago", date(2026, 1, 11)),
        ("the end of the month", date(2026, 1, 31)),
    ],
)
def test_date_words_are_resolved_against_the_message_X6(words: str, meant: date) -> None:
    assert resolve(words, WEDNESDAY) == meant


@pytest.mark.parametrize("words", ["", "soon", "next Friday", "Fridays", "03/04/2026", "31 February", "2026-02-30", "monday or tuesday"])
def test_what_has_two_readings_or_none_is_no_date_X6(words: str) -> None:
    assert resolve(words, WEDNESDAY) is None


def test_a_day_is_that_of_the_room_where_times_come_in_utc_X6() -> None:
    late = datetime(2026, 1, 14, 23, 30, tzinfo=UTC)
    assert resolve("today", local(late, "Europe/Berlin")) == date(2026, 1, 15)
    assert resolve("today", local(late, "")) == date(2026, 1, 14)


def test_a_message_s_own_zone_goes_before_the_room_s_X6() -> None:
    in_tokyo = datetime(2026, 1, 15, 8, 30, tzinfo=timezone(timedelta(hours=9)))
    assert resolve("today", local(in_tokyo, "Europe/Berlin")) == date(2026, 1, 15)


@pytest.mark.parametrize("zone", ["Nowhere/Land", "../../etc/passwd", "Europe", "/etc", "\x00", "a" * 500])
def test_an_unknown_zone_is_utc_X6(zone: str) -> None:
    assert local(WEDNESDAY, zone) == WEDNESDAY


def test_until_a_day_includes_the_day_X6() -> None:
    assert end(date(2026, 1, 16), WEDNESDAY) == datetime(2026, 1, 16, 23, 59, 59, tzinfo=UTC)


@given(st.text(max_size=80), st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31), timezones=st.just(UTC)))
def test_no_words_and_no_time_raise(words: str, at: datetime) -> None:
    dates_in(words, at)


@given(st.sampled_from(["in 999 days", "31 December", "999 weeks ago", "the 31st", "29 February"]), st.sampled_from([1, 2026, 9999]))
def test_the_ends_of_the_calendar_raise_nothing(words: str, year: int) -> None:
    dates_in(words, datetime(year, 12, 31, tzinfo=UTC))
    dates_in(words, datetime(year, 1, 1, tzinfo=UTC))
