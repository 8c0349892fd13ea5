"""A document's front matter, headings and sections: a section is a heading of level 1 to 3 with what follows it up to the next such one.

Lines are counted from 1, both ends included. Used by chunk.py and by the service, which reads and replaces sections.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire.hub import front_matter, inline
from memory_wire.hub.blocks import Blocks, Solid

LEVELS = 3
TITLE = 300  # characters of a heading in a breadcrumb
RAW = 4_000  # characters of a heading that are read for it
SEPARATOR = " > "
BOM = "\ufeff"


class Section(Struct):
    """One section, or the text before the first (level 0). `trail` are the titles of the open headings with its own, `occurrence` counts
    sections of the same trail from 1; `subtree` is the last line of what is below it. `body` is its first line behind the heading.
    """

    level: int
    title: str
    trail: list[str]
    anchor: str | None
    first: int
    last: int
    body: int
    subtree: int = 0
    occurrence: int = 1
    raw: str = ""

    @property
    def short(self) -> str:
        """The heading as written, cut."""
        return shortened(self.raw)


class Parsed(Struct):
    """`text` is the document without byte order mark, lines ended by LF; `lines` are its lines, `start` those of the front matter."""

    text: str
    lines: list[str]
    start: int
    matter: dict[str, str | list[str]]
    sections: list[Section]
    solids: list[Solid]

    @property
    def heading(self) -> str | None:
        """The first heading of level 1."""
        return next((section.title for section in self.sections if section.level == 1), None)

    @property
    def named(self) -> str | None:
        """What the document is called in its front matter or its first heading."""
        named = self.matter.get("title")
        if isinstance(named, str) and named.strip():
            return shortened(" ".join(named.split()))
        return self.heading or None

    def title(self) -> str:
        """What the document calls itself: in its front matter, its first heading, its first line."""
        named = self.named
        if named:
            return named
        prelude = self.sections[0]
        for line in self.lines[prelude.first - 1 : prelude.last]:
            if words := inline.plain(line[:RAW]):
                return shortened(words)
        return next((section.title for section in self.sections if section.title), "")


def normal(markdown: str) -> str:
    """Without byte order mark, every line ended by LF."""
    text = markdown.removeprefix(BOM)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def shortened(title: str) -> str:
    return title if len(title) <= TITLE else title[: TITLE - 1] + "…"


def parse(markdown: str) -> Parsed:
    """The document's structure. Linear in its length."""
    text = normal(markdown)
    lines = text.split("\n")
    matter, start = front_matter.read(lines)
    blocks = Blocks(lines[start:] if start else lines)
    for solid in blocks.solids:
        solid.first, solid.last = solid.first + start, solid.last + start
    return Parsed(text, lines, start, matter, sections(blocks, len(lines), start), blocks.solids)


def sections(blocks: Blocks, end: int, start: int) -> list[Section]:
    """The sections in order; the text before the first heading comes first, as level 0, also when it is empty."""
    heads = [head for head in blocks.headings if head.level <= LEVELS]
    first = start + 1
    found = [Section(0, "", [], None, first, (heads[0].first + start) if heads else end, first)]
    open_ones: list[Section] = []
    anchors: dict[str, int] = {}
    seen: dict[tuple[str, ...], int] = {}
    for place, head in enumerate(heads):
        last = heads[place + 1].first + start if place + 1 < len(heads) else end
        title = shortened(inline.plain(head.text[:RAW]))
        while open_ones and open_ones[-1].level >= head.level:
            open_ones.pop().subtree = head.first + start
        trail = [*(section.title for section in open_ones), title]
        section = Section(head.level, title, trail, inline.slug(title, anchors), head.first + start + 1, last, head.last + start + 2)
        seen[tuple(trail)] = section.occurrence = seen.get(tuple(trail), 0) + 1
        section.raw = head.text
        open_ones.append(section)
        found.append(section)
    for section in (found[0], *open_ones):
        section.subtree = end
    return found
