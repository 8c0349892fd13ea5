"""Dates: the two accepted forms, everything else refused, and back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.service import dates


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-09-20", "2026-09-20T00:00:00.000Z"),
        ("2026-09-20T10:00:00+02:00", "2026-09-20T08:00:00.000Z"),
        ("2026-09-20t10:00:00z", "2026-09-20T10:00:00.000Z"),
        ("2026-09-20 10:00:00.5-00:30", "2026-09-20T10:30:00.500Z"),
        ("2026-09-20T10:00:00.1239999Z", "2026-09-20T10:00:00.123Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
        ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
        ("0001-01-01", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ],
)
def test_accepted(text: str, shown: str) -> None:
    assert dates.stamp(dates.parse(text)) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-9-20",
        "2026-02-30",
        "20260920",
        "2026-W01-1",
        "2026-09-20T10:00:00",
        "2026-09-20T10:00Z",
        "2026-09-20T24:00:00Z",
        "2026-09-20T10:60:00Z",
        "2026-09-20T10:00:61Z",
        "2026-09-20T10:00:00.Z",
        "2026-09-20T10:00:00+2:00",
        "2026-09-20T10:00:00+24:00",
        "2026-09-20T10:00:00Zx",
        "2026-09-20T+1:00:00Z",
        "２026-09-20",
        "0000-01-01",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        " 2026-09-20",
        "2026-09-20\n",
    ],
)
def test_refused(text: str) -> None:
    with pytest.raises(ValueError, match="RFC 3339"):
        dates.parse(text)


@given(st.text(max_size=30))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        ms = dates.parse(text)
    except ValueError:
        return
    assert dates.parse(dates.stamp(ms)) == ms


@given(st.datetimes(timezones=st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))))
def test_agrees_with_the_standard_library(when: datetime) -> None:
    try:
        utc = when.astimezone(UTC)
    except OverflowError:  # beyond year 1 or 9999 in UTC
        return
    shown = utc.isoformat(timespec="milliseconds").replace("+00:00", "Z").rjust(24, "0")
    assert dates.stamp(dates.parse(when.isoformat())) == shown


def test_terms_are_day_month_and_year() -> None:
    assert dates.terms(dates.parse("2023-06-16T23:00:00Z")) == [b"\x01d16", b"\x01m6", b"\x01y2023"]
