"""Dates: RFC 3339 to integer milliseconds and back, and the date terms of a memory. Used by the service only.

A stored date is milliseconds since 1970-01-01T00:00:00Z, negative before; years 1 to 9999. Sub-millisecond digits are dropped.
"""

from __future__ import annotations

from time import time_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import date
else:
    from _datetime import date  # the module around it holds a second datetime, written in Python

DAY_MS = 86_400_000
MINUTE_MS = 60_000
EPOCH = date(1970, 1, 1).toordinal()
FIRST_MS = (1 - EPOCH) * DAY_MS
LAST_MS = (date.max.toordinal() - EPOCH + 1) * DAY_MS - 1
RULE = "must be an RFC 3339 date-time or a date (YYYY-MM-DD) of the years 1 to 9999"

_shown: dict[int, str] = {}  # minute since 1970 -> its date and time as text; the memories of an answer share many
SHOWN_MAX = 1024


def now_ms() -> int:
    """The wall clock in milliseconds."""
    return time_ns() // 1_000_000


def idle() -> None:
    """Forgets what was kept for the next answers: a few small objects keep whole arenas of the interpreter's memory."""
    _shown.clear()
    _terms.clear()


def stamp(ms: int) -> str:
    """The date as served: `YYYY-MM-DDTHH:MM:SS.mmmZ`, fixed width."""
    minute, rest = divmod(ms, MINUTE_MS)
    shown = _shown.get(minute)
    if shown is None:
        if len(_shown) >= SHOWN_MAX:
            _shown.clear()
        day, of_day = divmod(minute, DAY_MS // MINUTE_MS)
        shown = _shown[minute] = f"{date.fromordinal(day + EPOCH).isoformat()}T{of_day // 60:02}:{of_day % 60:02}:"
    return f"{shown}{rest / 1000:06.3f}Z"


def parse(text: str) -> int:
    """Milliseconds of an RFC 3339 date-time, or of midnight UTC of a `YYYY-MM-DD` date. Raises ValueError for anything else."""
    if not text.isascii() or len(text) > 64:
        raise ValueError(RULE)
    ms = day_ms(text[:10])
    if len(text) > 10:
        ms += clock_ms(text[10:])
    if not FIRST_MS <= ms <= LAST_MS:
        raise ValueError(RULE)
    return ms


def day_ms(text: str) -> int:
    """Midnight of a `YYYY-MM-DD` date."""
    if len(text) != 10 or text[4] != "-" or text[7] != "-":
        raise ValueError(RULE)
    try:
        return (date(number(text[:4]), number(text[5:7]), number(text[8:])).toordinal() - EPOCH) * DAY_MS
    except ValueError:
        raise ValueError(RULE) from None


def clock_ms(text: str) -> int:
    """What `Thh:mm:ss[.fraction](Z|±hh:mm)` adds to its day."""
    if len(text) < 10 or text[0] not in "Tt " or text[3] != ":" or text[6] != ":":
        raise ValueError(RULE)
    hour, minute, second = number(text[1:3]), number(text[4:6]), number(text[7:9])
    if hour > 23 or minute > 59 or second > 60:  # 60: a leap second
        raise ValueError(RULE)
    rest, milli = text[9:], 0
    if rest[0] == ".":
        digits = len(rest) - len(rest[1:].lstrip("0123456789")) - 1
        milli = number(rest[1 : 1 + digits][:3].ljust(3, "0")) if digits else -1
        rest = rest[1 + digits :]
    if milli < 0:
        raise ValueError(RULE)
    return ((hour * 60 + minute - offset_minutes(rest)) * 60 + second) * 1000 + milli


def offset_minutes(text: str) -> int:
    """Minutes east of UTC of `Z` or `±hh:mm`."""
    if text in ("Z", "z"):
        return 0
    if len(text) != 6 or text[0] not in "+-" or text[3] != ":":
        raise ValueError(RULE)
    hours, minutes = number(text[1:3]), number(text[4:])
    if hours > 23 or minutes > 59:
        raise ValueError(RULE)
    return (hours * 60 + minutes) * (-1 if text[0] == "-" else 1)


def number(text: str) -> int:
    """A run of ASCII digits as a number; int() alone would take signs, blanks and underscores."""
    if not text.isdigit():
        raise ValueError(RULE)
    return int(text)


_terms: dict[int, list[bytes]] = {}


def terms(ms: int) -> list[bytes]:
    """The keys of the date field: day of the month, month and year, as in `\\x01d16 \\x01m6 \\x01y2023`."""
    day = ms // DAY_MS
    found = _terms.get(day)
    if found is None:
        if len(_terms) >= SHOWN_MAX:
            _terms.clear()
        when = date.fromordinal(day + EPOCH)
        found = _terms[day] = [b"\x01d%d" % when.day, b"\x01m%d" % when.month, b"\x01y%d" % when.year]
    return found
