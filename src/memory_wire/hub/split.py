"""Sections cut into pieces of a bounded length: between paragraphs, else at line ends, sentence ends, blanks, graphemes.

Code keeps its fences and tables their heads in every piece. Each piece but the first begins with the section's heading once more. Used by
chunk.py.
"""

from __future__ import annotations

from itertools import accumulate

from msgspec import Struct

from memory_wire.hub.blocks import FENCE, HTML
from memory_wire.hub.graphemes import boundary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_wire.hub.blocks import Solid
    from memory_wire.hub.sections import Parsed

LIMIT = 1_800  # code points
REPEATED = 4  # fences and table heads above one in so many of LIMIT aren't repeated
ENDS = (". ", "! ", "? ", "… ", "。", "！", "？")


class Piece(Struct):
    """`text` as it is indexed; `start` and `end` are what of the document it holds, without what is repeated; lines from 0."""

    text: str
    start: int
    end: int
    first: int
    last: int


class Packer:
    """Puts stretches of the document together as long as they fit; `repeat` begins every piece but the first."""

    def __init__(self, text: str, repeat: str) -> None:
        self.text, self.repeat = text, repeat
        self.pieces: list[Piece] = []
        self.lead = self.tail = ""
        self.start = self.end = self.first = self.last = -1

    def room(self, tail: str) -> int:
        """What still fits, behind what there is."""
        return LIMIT - len(self.lead) - (self.end - self.start) - len(tail) if self.start >= 0 else LIMIT - len(tail)

    def add(self, start: int, end: int, line: int, last: int, head: str = "", tail: str = "") -> None:
        """A stretch; `head` goes before it if a piece begins with it, `tail` behind it if one ends with it."""
        if self.start >= 0 and len(self.lead) + end - self.start + len(tail) > LIMIT:
            self.flush()
        if self.start < 0:
            self.lead = (self.repeat if self.pieces else "") + head
            self.start, self.first = start, line
        self.end, self.last, self.tail = end, last, tail

    def flush(self) -> None:
        if self.start >= 0:
            text = self.lead + self.text[self.start : self.end] + self.tail
            self.pieces.append(Piece(text, self.start, self.end, self.first, self.last))
        self.start = -1


class Splitter:
    """One document's lines and where they begin."""

    def __init__(self, parsed: Parsed) -> None:
        self.text, self.lines, self.solids = parsed.text, parsed.lines, parsed.solids
        self.starts = [0, *accumulate(len(line) + 1 for line in parsed.lines)]
        self.solid = 0  # the first that doesn't end before what was asked for

    def split(self, first: int, body: int, last: int, repeat: str) -> list[Piece]:
        """Lines first to last in pieces; the heading's are those before `body`. They begin and end with lines that aren't blank."""
        start, end = self.starts[first], self.starts[last] + len(self.lines[last])
        if end - start <= LIMIT:
            return [Piece(self.text[start:end], start, end, first, last)]
        packer = Packer(self.text, repeat)
        if body > first:
            self.take(packer, first, min(body - 1, last))
        for one, other in self.units(body, last):
            self.take(packer, one, other)
        packer.flush()
        return packer.pieces

    def units(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Stretches of lines between blank ones that lie outside of code, HTML and tables."""
        begun, number = -1, first
        while number <= last:
            solid = self.covering(number)
            if solid is not None:
                begun = number if begun < 0 else begun
                number = min(solid.last, last) + 1
                continue
            if self.lines[number].strip(" \t"):
                begun = number if begun < 0 else begun
            elif begun >= 0:
                yield begun, number - 1
                begun = -1
            number += 1
        if begun >= 0:
            yield begun, last

    def covering(self, number: int) -> Solid | None:
        """The code, HTML or table that a line is in; lines are asked for in order."""
        solids = self.solids
        while self.solid < len(solids) and solids[self.solid].last < number:
            self.solid += 1
        found = solids[self.solid] if self.solid < len(solids) else None
        return found if found is not None and found.first <= number else None

    def take(self, packer: Packer, first: int, last: int) -> None:
        """One unit: whole if it fits into a piece, else line by line."""
        start, end = self.starts[first], self.starts[last] + len(self.lines[last])
        if end - start + len(packer.repeat) <= LIMIT:
            packer.add(start, end, first, last)
            return
        solids = self.solids
        at = self.solid
        while at and solids[at - 1].last >= first:
            at -= 1
        for number in range(first, last + 1):
            while at < len(solids) and solids[at].last < number:
                at += 1
            solid = solids[at] if at < len(solids) and solids[at].first <= number else None
            self.line(packer, number, solid)

    def line(self, packer: Packer, number: int, solid: Solid | None) -> None:
        """One line of a unit that is too long, cut where it is too long itself."""
        head, tail = self.around(solid, number)
        start, end = self.starts[number], self.starts[number] + len(self.lines[number])
        if len(packer.repeat) + len(head) + end - start + len(tail) <= LIMIT:
            packer.add(start, end, number, number, head, tail)
            return
        while start < end:
            if packer.start >= 0:
                start = self.cut(packer, start, end, number, head, tail, packer.room(tail) - (start - packer.end))
                packer.flush()
            else:
                repeat = packer.repeat if packer.pieces else ""
                start = self.cut(packer, start, end, number, head, tail, LIMIT - len(repeat) - len(head) - len(tail))
                if start < end:
                    packer.flush()

    def cut(self, packer: Packer, start: int, end: int, number: int, head: str, tail: str, room: int) -> int:
        """Adds as much of a line as there is room for; where the rest begins."""
        fresh = packer.start < 0
        stop = place(self.text, start, end, room, fresh)
        if stop > start:
            packer.add(start, stop, number, number, head, tail)
        return stop

    def around(self, solid: Solid | None, number: int) -> tuple[str, str]:
        """(what repeats the beginning of code or a table before a line, what ends it behind the line)."""
        if solid is None or solid.kind is HTML:
            return "", ""
        lines = [f"{solid.prefix}{line[len(solid.prefix) :]}" for line in self.lines[solid.first : solid.first + solid.head]]
        head = "".join([f"{line}\n" for line in lines]) if number >= solid.first + solid.head else ""
        tail = f"\n{solid.prefix}{solid.tail}" if solid.kind is FENCE and number < solid.last else ""
        return (head, tail) if len(head) + len(tail) <= LIMIT // REPEATED else ("", "")


def place(text: str, start: int, end: int, room: int, fresh: bool) -> int:
    """Where to cut a line: behind a sentence, a blank, a grapheme. `start` when nothing of it fits, unless the piece is a fresh one."""
    if end - start <= room:
        return end
    if room > 0:
        stop = start + room
        found = max([text.rfind(mark, start, stop) + len(mark) for mark in ENDS if text.find(mark, start, stop) >= 0], default=0)
        found = found or text.rfind(" ", start, stop) + 1
        if found > start:
            return found
        found = boundary(text, start, stop)
        if found > start or not fresh:
            return found
    elif not fresh:
        return start
    return boundary(text, start, start + 1, end)
