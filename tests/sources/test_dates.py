"""Dates as other programs write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.service import dates
from memory_wire.sources.dates import moment


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("", None),
        (0, "1970-01-01T00:00:00.000Z"),
        (1_716_000_000.25, "2024-05-18T02:40:00.250Z"),
        (1_716_000_000_250, "2024-05-18T02:40:00.250Z"),
        (1_716_000_000_250_000, "2024-05-18T02:40:00.250Z"),
        (1_716_000_000_250_000_000, "2024-05-18T02:40:00.250Z"),
        (-86_400, "1969-12-31T00:00:00.000Z"),
        ("1716000000", "2024-05-18T02:40:00.000Z"),
        ("2024-05-18", "2024-05-18"),
        ("2024-05-18T02:40:00Z", "2024-05-18T02:40:00.000Z"),
        ("2024-05-18 02:40:00.123456+05:30", "2024-05-17T21:10:00.123Z"),
        ("2024-05-18T02:40:00-12:00", "2024-05-18T14:40:00.000Z"),
        ("2024-05-18T02:40:00+14:00", "2024-05-17T12:40:00.000Z"),
        ("2024-05-18T02:40:00", "2024-05-18T02:40:00.000Z"),
        ("2024-05-18 02:40:00 UTC", "2024-05-18T02:40:00.000Z"),
        ("20240518T024000Z", "2024-05-18T02:40:00.000Z"),
    ],
)
def test_what_they_are_in_utc(value: object, expected: str | None) -> None:
    assert moment(value) == expected
    if expected is not None:
        dates.parse(expected)


@pytest.mark.parametrize(
    "value", ["soon", "10000-01-01", "2024-13-01", "0001-01-01T00:00:00+14:00", "2024", True, [], {}, 1e30, float("inf"), "1" * 400]
)
def test_what_is_no_date(value: object) -> None:
    with pytest.raises(ValueError):
        moment(value)


@given(st.text(max_size=30) | st.integers() | st.floats())
def test_anything_else_is_a_date_or_refused(value: object) -> None:
    try:
        found = moment(value)
    except ValueError:
        return
    assert found is None or dates.parse(found) is not None
