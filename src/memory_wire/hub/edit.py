"""Changes of one part of a document that leave every other byte as it is. Pure functions over the document's bytes; used by the service."""

from __future__ import annotations

from memory_wire.hub import inline
from memory_wire.hub.sections import SEPARATOR, Parsed, Section, parse

BLANK = b" \t\r\n"


class Ambiguous(Exception):
    """Several sections are called that; `sections` are they."""

    def __init__(self, sections: list[Section]) -> None:
        super().__init__()
        self.sections = sections


class Absent(Exception):
    """No section is called that, or not so many."""


class Swallows(Exception):
    """The new text would make headings behind it text: it leaves code, a comment or the like open."""


def lines_of(text: bytes) -> list[bytes]:
    """The lines with their ends, as `sections` counts them."""
    return text.splitlines(keepends=True)


def line_end(lines: list[bytes]) -> bytes:
    """How the document's lines end."""
    first = lines[0] if lines else b""
    return first[len(first.rstrip(b"\r\n")) :] or b"\n"


def find(parsed: Parsed, heading: str, occurrence: int | None) -> Section:
    """The section of that heading: its words, `A > B` or `#anchor`; nothing is the text before the first heading.

    Raises Absent, Ambiguous.
    """
    name = heading.strip()
    if not name:
        return parsed.sections[0]
    named = parsed.sections[1:]
    found = [section for section in named if name.startswith("#") and section.anchor == name[1:]]
    if not found:
        title = inline.plain(name.lstrip("#")) if name.startswith("#") else inline.plain(name)
        tests = (
            lambda section: section.title == title,
            lambda section: ends_with(section, name),
            lambda section: section.title.casefold() == title.casefold(),
        )
        found = next((hits for test in tests if (hits := [section for section in named if test(section)])), [])
    if not found or (occurrence is not None and occurrence > len(found)):
        raise Absent
    if occurrence is None and len(found) > 1:
        raise Ambiguous(found)
    return found[(occurrence or 1) - 1]


def ends_with(section: Section, path: str) -> bool:
    """Whether a section's breadcrumb ends with such titles."""
    parts = [part.strip() for part in path.split(SEPARATOR.strip())]
    return section.trail[-len(parts) :] == parts


def appended(text: bytes, more: bytes) -> bytes:
    """The text with more behind it, as a paragraph of its own."""
    lines = lines_of(text)
    end = line_end(lines)
    if not text.strip(BLANK):
        return text + more
    gap = b"" if text.endswith((b"\n", b"\r")) else end
    if lines[-1].strip(BLANK):
        gap += end
    return text + gap + more


def prepended(text: bytes, more: bytes) -> bytes:
    """The text with more before it, behind the front matter. Raises Swallows."""
    parsed = parse(text.decode())
    lines = lines_of(text)
    head, tail = b"".join(lines[: parsed.start]), b"".join(lines[parsed.start :])
    if not parsed.start and text.startswith(b"\xef\xbb\xbf"):
        head, tail = text[:3], text[3:]
    end = line_end(lines)
    if tail.strip(BLANK):
        more = closed(more, end)
        if lines_of(more)[-1:] and lines_of(more)[-1].strip(BLANK):
            more += end
    return checked(parsed, parsed.sections[1:], head + more + tail)


def replaced(text: bytes, heading: str, more: bytes, occurrence: int | None = None, subtree: bool = False) -> bytes:
    """The text with another section; a text that begins with a heading replaces the heading too. Blank lines behind it stay.

    Raises Absent, Ambiguous, Swallows.
    """
    parsed = parse(text.decode())
    section = find(parsed, heading, occurrence)
    lines = lines_of(text)
    last = section.subtree if subtree else section.last
    old = lines[section.first - 1 : last]
    stays = len(old)
    while stays and not old[stays - 1].strip(BLANK):
        stays -= 1
    behind, end = b"".join(old[stays:] + lines[last:]), line_end(lines)
    new = more.rstrip(b"\r\n")
    if section.level and not begins_with_heading(more):
        own = section.body - section.first
        while own < stays and not old[own].strip(BLANK):
            own += 1
        new = closed(b"".join(old[: min(own, stays)]), end) + new if new else b"".join(old[: section.body - section.first]).rstrip(b"\r\n")
    if behind or (old and old[-1].endswith((b"\n", b"\r"))):
        new = closed(new, end)
    after = [one for one in parsed.sections[1:] if one.first > last]
    return checked(parsed, after, b"".join(lines[: section.first - 1]) + new + behind)


def closed(text: bytes, end: bytes) -> bytes:
    """The text with its last line ended."""
    return text if not text or text.endswith((b"\n", b"\r")) else text + end


def begins_with_heading(markdown: bytes) -> bool:
    parsed = parse(markdown.decode())
    prelude = parsed.sections[0]
    return len(parsed.sections) > 1 and not any(line.strip() for line in parsed.lines[prelude.first - 1 : prelude.last])


def checked(before: Parsed, after: list[Section], text: bytes) -> bytes:
    """The new text, in which the sections `after` the change are still what they were. Raises Swallows."""
    now = parse(text.decode()).sections[1:]
    tail = now[len(now) - len(after) :] if after else []
    if [(one.level, one.raw) for one in tail] != [(one.level, one.raw) for one in after]:
        raise Swallows
    return text
