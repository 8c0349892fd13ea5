"""What a document says of itself in a few of its own sentences, picked by where they stand. No model; a pure function of the text."""

from __future__ import annotations

from msgspec import Struct

from memory_wire.hub.blocks import heading_level, is_rule
from memory_wire.hub.defining import sentences, shown
from memory_wire.hub.inline import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.hub.sections import Parsed, Section

SUMMARY = 300  # characters
TAKEAWAYS = 5
HEADINGS = 40
LEAST = 20  # characters of a sentence that tells something
MARKS = ("- ", "* ", "+ ")


class Extract(Struct):
    """`summary` is how the first paragraph begins, `takeaways` the first sentences of its longest sections in reading order.

    `headings` are those of level 2; `more` says that there are others.
    """

    summary: str
    takeaways: list[str]
    headings: list[str]
    more: bool


def extract(parsed: Parsed) -> Extract:
    """What is picked of a document."""
    hidden = {line for solid in parsed.solids for line in range(solid.first, solid.last + 1)}
    summary, first = "", None
    for section in parsed.sections:
        if text := paragraph(parsed, section, hidden):
            summary, first = beginning(text), section
            break
    others = [section for section in parsed.sections if section.level and section is not first]
    told = [(section, line) for section in others if len(line := lead(parsed, section, hidden)) >= LEAST and line not in summary]
    longest = sorted(told, key=lambda one: (one[0].first - one[0].last, one[0].first))[:TAKEAWAYS]
    headings = [section.title for section in parsed.sections if section.level == 2 and section.title]
    lines = dict.fromkeys(line for _, line in sorted(longest, key=lambda one: one[0].first))
    return Extract(summary, list(lines), headings[:HEADINGS], len(headings) > HEADINGS)


def paragraph(parsed: Parsed, section: Section, hidden: set[int]) -> str:
    """The first lines of a section that are text: no code, no table, no markup, no rule; empty when there are none."""
    found: list[str] = []
    for number in range(section.body - 1, section.last):
        line = parsed.lines[number]
        bare = line.strip()
        silent = number in hidden or not bare or bare.startswith("<!--") or line.startswith(("    ", "\t"))
        if silent or (bare[0] == "#" and heading_level(bare, 0)) or is_rule(bare, 0) or (found and bare.startswith(MARKS)):
            if found:
                break
            continue
        found.append(bare)
    return " ".join(found)


def lead(parsed: Parsed, section: Section, hidden: set[int]) -> str:
    """The first sentence of a section as plain text."""
    return shown(sentences(paragraph(parsed, section, hidden))[0])


def beginning(text: str) -> str:
    """The first sentences of a paragraph as plain text, as many as fit; the first one is cut if it must be."""
    found = ""
    for sentence in sentences(text):
        more = f"{found} {plain(sentence)}".strip()
        if len(more) > SUMMARY:
            break
        found = more
    return found or shown(sentences(text)[0])
