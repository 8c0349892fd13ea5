"""Large JSON documents piece by piece: what holds a gigabyte is never in memory at once, only the piece that is being read.

`pieces` opens the document, the arrays and objects directly within a top object, and arrays one level below that; what lies deeper comes
as raw bytes to be decoded whole. A piece above ITEM_BYTES is passed over and named, the rest goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from memory_wire.config import IMPORT_ITEM_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Bytes(Protocol):
        def read(self, size: int, /) -> bytes: ...


CHUNK = 1 << 20
BOM = b"\xef\xbb\xbf"
BLANK = b" \t\r\n"
STRUCTURE = re.compile(rb'["\[\]{}]')
SCALAR_END = re.compile(rb"[,\]}\s]")
IN_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)

QUOTE, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT = b'"[]{}'

Path = tuple[str | int, ...]


class Broken(ValueError):
    """The document is no JSON, or ends in the middle; says at which byte."""


def pieces(file: Bytes) -> Iterator[tuple[Path, bytes | None]]:
    """(path, raw JSON) of each piece in order; None for one that is too large. Raises Broken."""
    reader = Reader(file)
    if reader.peek() not in (OPEN_ARRAY, OPEN_OBJECT):
        raise reader.broken("neither an array nor an object")
    yield from reader.walk(())
    if reader.peek() is not None:
        raise reader.broken("something more after the document")


class Reader:
    """A window over the file that moves forward only; all positions are bytes of the file."""

    def __init__(self, file: Bytes) -> None:
        self.file = file
        self.held = b""
        self.start = 0  # of `held`
        self.next = 0
        while len(self.held) < len(BOM) and self.more():
            pass
        if self.held.startswith(BOM):
            self.next = len(BOM)

    def more(self) -> bool:
        """Reads on and lets go of what lies before `next`; False at the end of the file."""
        chunk = self.file.read(CHUNK)
        self.held = self.held[self.next - self.start :] + chunk
        self.start = self.next
        return bool(chunk)

    def byte(self, at: int) -> int | None:
        """The byte at a position, None at the end of the file."""
        while at - self.start >= len(self.held):
            if not self.more():
                return None
        return self.held[at - self.start]

    def peek(self) -> int | None:
        """The next byte that is no blank, left where it is; None at the end of the file."""
        while (found := self.byte(self.next)) is not None and found in BLANK:
            self.next += 1
        return found

    def take(self, expected: bytes) -> None:
        if self.peek() != expected[0]:
            raise self.broken(f"expected {expected.decode()!r}")
        self.next += 1

    def broken(self, what: str) -> Broken:
        return Broken(f"{what} at byte {self.next:,}" if self.byte(self.next) is not None else f"ends in the middle, at byte {self.next:,}")

    def walk(self, path: Path) -> Iterator[tuple[Path, bytes | None]]:
        """The pieces of the array or object that begins here."""
        named = self.peek() == OPEN_OBJECT
        close, count = (CLOSE_OBJECT if named else CLOSE_ARRAY), 0
        self.next += 1
        while self.peek() != close:
            if count:
                self.take(b",")
            name: str | int = self.name() if named else count
            count += 1
            if opens(path, self.peek(), named):
                yield from self.walk((*path, name))
            else:
                yield (*path, name), self.raw()
        self.next += 1

    def name(self) -> str:
        """The name of a member, and its colon."""
        found = text_of(self.raw()) if self.peek() == QUOTE else None
        if found is None:
            raise self.broken("expected a name")
        self.take(b":")
        return found

    def raw(self) -> bytes | None:
        """The bytes of the value that begins here, or None when they are too many."""
        first, begin = self.peek(), self.next
        if first is None:
            raise self.broken("expected a value")
        end = self.end_of_nested(begin) if first in b'"[{' else self.find(SCALAR_END, begin)
        if self.next != begin or end - begin > IMPORT_ITEM_BYTES:  # it was let go while it was read
            self.next = end
            return None
        value, self.next = self.held[begin - self.start : end - self.start], end
        return value

    def end_of_nested(self, at: int) -> int:
        """Behind the string, array or object that begins at a position. Raises Broken."""
        begin, depth = at, 0
        while True:
            at = self.find(STRUCTURE, at)
            mark = self.byte(at)
            if mark is None:
                self.next = at
                raise self.broken("")
            if mark == QUOTE:
                at = self.end_of_string(at + 1)
            else:
                depth += 1 if mark in b"[{" else -1
                at += 1
            if at - begin > IMPORT_ITEM_BYTES:
                self.next = at
            if depth == 0:
                return at

    def end_of_string(self, at: int) -> int:
        """Behind the quote that closes the string whose text begins at a position. Raises Broken."""
        while True:
            found = IN_STRING.match(self.held, at - self.start)
            at = self.start + (found.end() if found else at - self.start)
            if self.byte(at) == QUOTE:
                return at + 1
            if self.byte(at + 1) is None:
                self.next = at
                raise self.broken("")
            if at - self.next > IMPORT_ITEM_BYTES:
                self.next = at

    def find(self, pattern: re.Pattern[bytes], at: int) -> int:
        """Where the pattern is next, or the end of the file."""
        while (mark := pattern.search(self.held, at - self.start)) is None:
            at = self.start + len(self.held)
            if at - self.next > IMPORT_ITEM_BYTES:
                self.next = at
            if not self.more():
                return at
        return self.start + mark.start()


def opens(path: Path, first: int | None, named: bool) -> bool:
    """Whether a value is walked into: see the module's text."""
    if not named:
        return False
    if not path:
        return first in (OPEN_ARRAY, OPEN_OBJECT)
    return first == OPEN_ARRAY and len(path) == 1


def text_of(raw: bytes | None) -> str | None:
    try:
        return msgspec.json.decode(raw or b"", type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
