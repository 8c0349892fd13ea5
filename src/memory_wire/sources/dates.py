"""Dates as other programs write them, to RFC 3339. A date without a zone is UTC, or this machine's where the source keeps local time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECONDS_MAX = 1e11  # larger numbers are milliseconds (1e11 of them are in 1973), then micro- and nanoseconds


def moment(value: object, local: bool = False) -> str | None:
    """RFC 3339 in UTC of a number since 1970 or an ISO 8601 text; a plain date stays one; None for nothing. Raises ValueError."""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("no date")
    try:
        if isinstance(value, str):
            return of_text(value.strip(), local)
        return stamp(of_number(float(value)))
    except OverflowError:
        raise ValueError("no date of the years 1 to 9999") from None


def of_number(value: float) -> datetime:
    """Seconds, milliseconds, microseconds or nanoseconds since 1970, told by their size."""
    unit = 1.0
    while abs(value) / unit >= SECONDS_MAX:
        unit *= 1000
        if unit > 1e9:
            raise ValueError("no date")
    return EPOCH + timedelta(milliseconds=round(value / unit * 1000))


def of_text(text: str, local: bool) -> str:
    if text.removeprefix("-").replace(".", "", 1).isdigit() and len(text) >= 9 and text.isascii():
        return stamp(of_number(float(text)))
    if len(text) == 10:
        return datetime.strptime(text, "%Y-%m-%d").date().isoformat()
    found = datetime.fromisoformat(text.removesuffix(" UTC") + "Z" if text.endswith(" UTC") else text)
    if found.tzinfo is None:
        found = found.astimezone() if local else found.replace(tzinfo=UTC)
    return stamp(found)


def stamp(when: datetime) -> str:
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
