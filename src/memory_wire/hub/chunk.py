"""Documents cut into chunks: what is indexed, ranked and shown of them. A chunk is a section, or a piece of a long one.

`chunks` is a pure function, linear in the document's length; line ends and a byte order mark make no difference. Used by the service.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire.hub.sections import SEPARATOR, Parsed, Section, parse
from memory_wire.hub.split import Splitter
from memory_wire.kernels.text import content_hash


class Chunk(Struct):
    """`text` begins with the heading as written; `breadcrumb` are the titles above it and its own. `hash`: the first 16 bytes of SHA-256 of
    breadcrumb, NUL and text; `occurrence` counts chunks of equal hash from 0. Lines are counted from 1; `part` of `parts` from 1.
    `start` and `end` are what it holds of the document (`sections.normal`), without what a piece repeats.
    """

    text: str
    breadcrumb: str
    anchor: str | None
    hash: bytes
    occurrence: int
    first_line: int
    last_line: int
    part: int
    parts: int
    start: int
    end: int


def chunks(markdown: str, title: str = "") -> list[Chunk]:
    """The chunks of a document in order; `title` is the document's, in every breadcrumb unless it is the first heading's."""
    return chunked(parse(markdown), title)


def chunked(parsed: Parsed, title: str) -> list[Chunk]:
    """The same of a document parsed before."""
    top = [title] if title and title != parsed.heading else []
    splitter = Splitter(parsed)
    found: list[Chunk] = []
    seen: dict[bytes, int] = {}
    for place, section in enumerate(parsed.sections):
        lines = inked(parsed.lines, section)
        if lines is None or (section.level and lines[1] < section.body - 1 and goes_deeper(parsed.sections, place)):
            continue
        trail = [*top, *section.trail] or [title]
        breadcrumb = SEPARATOR.join(trail)
        repeat = f"{'#' * section.level} {section.short}\n\n" if section.level else ""
        pieces = splitter.split(lines[0], section.body - 1, lines[1], repeat)
        for part, piece in enumerate(pieces, 1):
            hash = content_hash(f"{breadcrumb}\0{piece.text}".encode())
            occurrence = seen[hash] = seen.get(hash, -1) + 1
            span = (piece.first + 1, piece.last + 1, part, len(pieces), piece.start, piece.end)
            found.append(Chunk(piece.text, breadcrumb, section.anchor, hash, occurrence, *span))
    return found


def inked(lines: list[str], section: Section) -> tuple[int, int] | None:
    """First and last line of a section, from 0, that aren't blank; None when all are."""
    first, last = section.first - 1, section.last - 1
    while last >= first and not lines[last].strip():
        last -= 1
    while first <= last and not lines[first].strip():
        first += 1
    return (first, last) if first <= last else None


def goes_deeper(sections: list[Section], place: int) -> bool:
    """Whether the next heading lies below this one."""
    return place + 1 < len(sections) and sections[place + 1].level > sections[place].level
