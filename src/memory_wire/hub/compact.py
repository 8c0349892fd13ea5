"""A document with what only people need left out: comments, blanks at the ends of lines, empty lines behind the first. Code stays.

What stands between fences is the same byte for byte, which is checked and not assumed: where taking comments out would move a fence or
make a heading, they stay. A text made compact is left as it is.
"""

from __future__ import annotations

from memory_wire.hub.blocks import FENCE
from memory_wire.hub.edit import lines_of
from memory_wire.hub.sections import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.hub.blocks import Solid
    from memory_wire.hub.sections import Parsed

OPEN, CLOSE = "<!--", "-->"
BLANKS = " \t\r\n"


def compacted(text: str) -> str:
    """The text, made compact. Linear in its length."""
    lines, parsed = split(text), parse(text)
    while True:
        result, lines, parsed = step(text, lines, parsed)
        if result == text:
            return text
        text = result


def step(text: str, lines: list[str], parsed: Parsed) -> tuple[str, list[str], Parsed]:
    """What one pass makes of a text, and that text's lines and structure; the same text when nothing can go."""
    code = fences(lines, parsed)
    for comments in (True, False):
        result = passed(lines, parsed, comments)
        if result == text:
            break
        after, again = split(result), parse(result)
        if fences(after, again) == code and len(again.sections) == len(parsed.sections):
            return result, after, again
    return text, lines, parsed


def split(text: str) -> list[str]:
    """Lines with their ends."""
    return [line.decode() for line in lines_of(text.encode())]


def fences(lines: list[str], parsed: Parsed) -> list[str]:
    """The code between fences, fences and all, as written."""
    return ["".join(lines[first : last + 1]) for first, last in spans(lines, parsed)]


def spans(lines: list[str], parsed: Parsed) -> list[tuple[int, int]]:
    """First and last line of the code between fences, counted from 0; one that isn't closed takes the empty lines at the end."""
    found = [(solid.first, solid.last) for solid in parsed.solids if solid.kind is FENCE]
    if found and not is_closed(lines, next(solid for solid in reversed(parsed.solids) if solid.kind is FENCE)):
        first, last = found[-1]
        if not "".join(lines[last + 1 :]).strip():
            found[-1] = (first, len(lines) - 1)
    return found


def is_closed(lines: list[str], solid: Solid) -> bool:
    return solid.last > solid.first and lines[solid.last].strip(BLANKS + ">").startswith(solid.tail)


def passed(lines: list[str], parsed: Parsed, comments: bool) -> str:
    """One pass: code and front matter as they are, the rest without comments, without blanks at the ends, one empty line at a time."""
    kept = {number for first, last in spans(lines, parsed) for number in range(first, last + 1)}
    kept.update(range(parsed.start))
    found: list[str] = []
    empty = False
    number = 0
    while number < len(lines):
        line = lines[number]
        if number in kept:
            found.append(line)
            empty, number = False, number + 1
            continue
        if comments and OPEN in line:
            line, number = uncommented(lines, number, kept)
        bare = line.rstrip(BLANKS)
        if bare or not empty:
            found.append(bare + "\n" if line.endswith(("\n", "\r")) else bare)
        empty, number = not bare, number + 1
    return "".join(found)


def uncommented(lines: list[str], number: int, kept: set[int]) -> tuple[str, int]:
    """(what is left of a line with a comment, the number of the line that the comment ends in).

    A comment that others stand before in its line must end in that line; one in code, or with text behind it that it begins, stays.
    """
    line = lines[number]
    at = line.index(OPEN)
    before = line[:at]
    if "`" in before or before.startswith(("    ", "\t")):
        return line, number
    last = number
    start = at + len(OPEN)
    while CLOSE not in lines[last][start if last == number else 0 :]:
        last += 1
        if before.strip() or last >= len(lines) or last in kept:
            return line, number
    behind = lines[last][lines[last].index(CLOSE, start if last == number else 0) + len(CLOSE) :]
    if not before.strip() and behind.strip():
        return line, number
    return before + behind, last
