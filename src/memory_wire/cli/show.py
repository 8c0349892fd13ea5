"""What a person sees on the terminal: aligned tables, colour where there is a terminal, progress bars on stderr, JSON when asked for."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

CELL = 80  # characters of a table's cell
TURNING = frozenset("\u2028\u2029\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
STYLES = {"good": "32", "bad": "31", "warn": "33", "dim": "2", "head": "1", "name": "36"}  # SGR parameters of ECMA-48


def coloured(stream: TextIO) -> bool:
    """Whether the stream is a terminal whose user wants colour: no-color.org, and no terminal called dumb."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def paint(text: str, style: str, stream: TextIO | None = None) -> str:
    """The text in one of STYLES where the stream (default: standard output) shows colour, else as it is."""
    return f"\033[{STYLES[style]}m{text}\033[0m" if coloured(stream or sys.stdout) else text


def columns(text: str) -> int:
    """How many columns of a terminal the text takes: colour none, wide letters two, marks none."""
    if text.isascii() and "\033" not in text:
        return len(text)
    from unicodedata import combining, east_asian_width

    plain = "".join([part.partition("m")[2] if i else part for i, part in enumerate(text.split("\033["))])
    return sum(0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in plain)


def open_streams() -> None:
    """Puts the null device where the caller closed a standard stream (`>&-`), so that no file of ours gets its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def tell(text: str) -> None:
    """The text as one line on stderr."""
    sys.stderr.write(f"{paint('memory-wire:', 'bad', sys.stderr)} {escaped(text.replace(chr(10), ' '))}\n")


def refuse(text: str) -> None:
    """Lines on stderr about words that don't fit."""
    sys.stderr.write("".join([f"{escaped(row)}\n" for row in text.split("\n")]))


def line(text: str) -> None:
    """One line on standard output; a reader that has gone away is no error."""
    try:
        try:
            sys.stdout.write(text + "\n")
        except UnicodeEncodeError:  # a terminal of another encoding
            sys.stdout.write(text.encode(sys.stdout.encoding, "backslashreplace").decode(sys.stdout.encoding) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def as_json(value: object) -> None:
    """The value as one JSON document on standard output."""
    import msgspec

    line(msgspec.json.encode(value).decode())


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Columns aligned by their widest cell; numbers to the right."""
    cells = [[cut(escaped(str(cell)), CELL) for cell in row] for row in rows]
    widths = [max(columns(row[i]) for row in [list(heads), *cells]) for i in range(len(heads))]
    right = [all(isinstance(row[i], int | float) for row in rows) and bool(rows) for i in range(len(heads))]
    for row in [[paint(head, "dim") for head in heads], *cells]:
        gaps = [" " * (width - columns(cell)) for cell, width in zip(row, widths, strict=True)]
        line("  ".join(gap + cell if flush else cell + gap for cell, gap, flush in zip(row, gaps, right, strict=True)).rstrip())


def one_line(text: str, width: int = 100) -> str:
    """The text on one line, cut with an ellipsis."""
    return cut(escaped(" ".join(text.split())), width)


def cut(text: str, width: int) -> str:
    """At most so many characters, the last an ellipsis when some are missing."""
    return text if len(text) <= width else text[: width - 1] + "…"


def escaped(text: str) -> str:
    """The text without what moves a terminal's cursor or turns its direction: line ends and control characters as in a string of Python."""
    if text.isprintable():
        return text
    return "".join([code(letter) if letter < " " or "\x7f" <= letter <= "\x9f" or letter in TURNING else letter for letter in text])


def code(letter: str) -> str:
    return letter.encode("unicode_escape").decode()


class Progress:
    """A bar with rate and remaining time on stderr, drawn only on a terminal and at most ten times a second."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.on = sys.stderr.isatty()
        self.begun = self.drawn = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not self.on or (now - self.drawn < 0.1 and done < total):
            return
        self.drawn = now
        rate = done / max(now - self.begun, 1e-9)
        left = (total - done) / rate if rate else 0.0
        filled = 30 * done // max(total, 1)
        bar = "█" * filled + "░" * (30 - filled)
        sys.stderr.write(f"\r{self.label} {bar} {done:,}/{total:,}  {rate:,.0f}/s  {left:,.0f} s left ")
        sys.stderr.flush()

    def close(self) -> None:
        """Ends the bar's line."""
        if self.on:
            sys.stderr.write("\n")
