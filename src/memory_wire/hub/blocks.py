"""The block structure of a document by the rules of CommonMark 0.31 and GitHub's tables: its headings, and what may not be cut.

One pass over the lines, constant work for each character. Only what decides about headings and cuts is kept: where containers (quotes, list
items) and paragraphs are open, which lines are code, HTML or a table. Used by sections.py and split.py.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire.hub import html
from memory_wire.hub.definitions import defining

DEPTH = 100  # containers in one another; what lies deeper is text
FENCE, HTML, TABLE = "fence", "html", "table"
RULES = "*-_"
NOTHING, PARAGRAPH = "", "paragraph"
CODE = 4  # columns of indentation
ITEM_DIGITS = 9
DEFINITION = 4  # lines that one is looked for in
TITLES = "\"'("


class Heading(Struct):
    """Lines first to last (of a title above its underline, several); `text` is the title as written."""

    first: int
    last: int
    level: int
    text: str


class Solid(Struct):
    """Lines that belong together: code between fences, HTML, a table. `head` lines begin every part of it, `tail` ends every part."""

    kind: str
    first: int
    last: int
    head: int = 0
    prefix: str = ""
    tail: str = ""


class Blocks:
    """The scan of one document. `headings` are those outside of containers, of all levels."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.headings: list[Heading] = []
        self.solids: list[Solid] = []
        self.stack: list[int] = []  # open containers: the columns that a list item's content is indented by, 0 for a quote
        self.quotes: list[int] = []  # which of them are quotes
        self.leaf = NOTHING
        self.begun = 0  # line that the paragraph began with
        self.draft: list[str] = []  # its lines, as long as they may be link definitions
        self.above = ""  # its newest line, in a container
        self.hollow = False  # the innermost container is an item without content so far
        self.ends: tuple[str, ...] = ()  # of HTML
        self.mark, self.marks = "", 0  # of a fence
        for number, line in enumerate(lines):
            if (
                line[:1].isalpha() and not (self.stack or self.draft) and (self.leaf is PARAGRAPH or self.leaf is NOTHING)
            ):  # by far the most
                if self.leaf is NOTHING:
                    self.leaf, self.begun = PARAGRAPH, number
            else:
                self.take(number, line.expandtabs(CODE) if "\t" in line else line)

    def take(self, number: int, line: str) -> None:
        """Any line; tabs are expanded."""
        text = line.lstrip(" ")
        if not text:
            self.blank(number)
            return
        at, matched = self.match(line)
        whole = matched == len(self.stack)
        if whole and self.leaf in (FENCE, HTML, TABLE) and self.goes_on(number, line, at):
            return
        if self.draft and self.leaf is PARAGRAPH:
            self.settle(text)
        lazy = self.leaf is PARAGRAPH
        while True:
            indent = indentation(line, at)
            at += indent
            if at >= len(line):  # a container's marker alone
                self.close(matched)
                self.leaf = NOTHING
                return
            if indent >= CODE:
                if not lazy:
                    self.close(matched)
                    self.leaf, self.hollow = NOTHING, False
                    return
                break
            if line[at] not in "#>`~<|:=-*+_0123456789":
                break
            inner = self.container(line, at, indent, matched, whole and lazy)
            if inner < 0:
                if self.begins(number, line, at, matched, whole, lazy):
                    return
                break
            at, whole, lazy = inner, True, False
            matched = len(self.stack)
        self.words(number, line[at:], matched, lazy)

    def words(self, number: int, text: str, matched: int, lazy: bool) -> None:
        """A line of text: of the open paragraph, though it lacks its containers' marks, or of a new one."""
        if not lazy:
            self.close(matched)
            self.leaf, self.begun = PARAGRAPH, number
            self.draft = [text] if text.startswith("[") else []
        elif self.draft:
            self.draft.append(text)
        self.hollow, self.above = False, text

    def settle(self, text: str) -> None:
        """Before a line that may go on with a paragraph: takes out the link definitions that the paragraph begins with."""
        done = defining(self.draft)
        if text[0] in TITLES and done == len(self.draft) and defining([*self.draft, text]) > done:
            return
        self.begun += done
        if done == len(self.draft):
            self.leaf = NOTHING
        self.draft = self.draft[done:] if done or len(self.draft) < DEFINITION else []

    def blank(self, number: int) -> None:
        """An empty line ends paragraphs, quotes and items that are empty yet."""
        if self.leaf is FENCE and not self.quotes:
            return
        if self.leaf is HTML and self.ends is not html.BLANK and not self.quotes:
            return
        if self.quotes:
            self.close(self.quotes[0])
        elif self.hollow:
            self.close(len(self.stack) - 1)
        self.leaf = NOTHING

    # containers --------------------------------------------------------------------------------------------------------------------

    def match(self, line: str) -> tuple[int, int]:
        """(column behind the marks of the open containers that the line goes on with, how many these are)."""
        at = 0
        for depth, width in enumerate(self.stack):
            indent = indentation(line, at)
            if width:
                if indent < width:
                    return at, depth
                at += width
            elif indent < CODE and line.startswith(">", at + indent):
                at += indent + 1
                at += line.startswith(" ", at)
            else:
                return at, depth
        return at, len(self.stack)

    def close(self, depth: int) -> None:
        """Ends the containers from that depth on, with what is open in them."""
        if depth < len(self.stack):
            del self.stack[depth:]
            while self.quotes and self.quotes[-1] >= depth:
                self.quotes.pop()
            self.hollow = False
            self.leaf = NOTHING

    def container(self, line: str, at: int, indent: int, matched: int, interrupts: bool) -> int:
        """The column of the content of a quote or item that begins here; -1 when none does."""
        if len(self.stack) >= DEPTH and matched >= DEPTH:
            return -1
        if line[at] == ">":
            self.push(matched, 0)
            return at + 1 + line.startswith(" ", at + 1)
        width = marker(line, at, interrupts)
        if not width or is_rule(line, at):
            return -1
        after = at + width
        gap = indentation(line, after)
        hollow = after + gap >= len(line)
        if hollow or gap > CODE:
            gap = 1
        self.push(matched, indent + width + gap)
        self.hollow = hollow
        return after + gap

    def push(self, matched: int, width: int) -> None:
        self.close(matched)
        if not width:
            self.quotes.append(len(self.stack))
        self.stack.append(width)
        self.leaf, self.hollow = NOTHING, False

    # leaves ------------------------------------------------------------------------------------------------------------------------

    def goes_on(self, number: int, line: str, at: int) -> bool:
        """Whether the line belongs to the open code, HTML or table."""
        if self.leaf is FENCE:
            self.solids[-1].last = number
            indent = indentation(line, at)
            rest = line[at + indent :].rstrip(" ")
            if indent < CODE and len(rest) >= self.marks and not rest.strip(self.mark):
                self.leaf = NOTHING
            return True
        if self.leaf is HTML:
            self.solids[-1].last = number
            if html.ended(line[at:], self.ends) and self.ends is not html.BLANK:
                self.leaf = NOTHING
            return True
        indent = indentation(line, at)
        if indent < CODE and (at + indent >= len(line) or not self.interrupts(line, at + indent)):
            self.solids[-1].last = number
            return True
        self.leaf = NOTHING
        return False

    def interrupts(self, line: str, at: int) -> bool:
        """Whether a row of a table is none, because another block begins with it."""
        first = line[at]
        if first == ">":
            return True
        if first == "#":
            return bool(heading_level(line, at))
        if first in "`~":
            return bool(fence(line, at))
        if first == "<":
            return html.opening(line, at, True) is not None
        return is_rule(line, at) or bool(marker(line, at, False))

    def begins(self, number: int, line: str, at: int, matched: int, whole: bool, lazy: bool) -> bool:
        """Whether the line begins (or ends) a block that isn't text; takes it up."""
        first = line[at]
        if first == "#":
            return self.heading(number, line, at, matched)
        if first in "`~":
            return self.fenced(number, line, at, matched)
        if first == "<":
            return self.markup(number, line, at, matched, lazy)
        if whole and self.leaf is PARAGRAPH and (self.table(number, line, at) or self.underlined(number, line, at)):
            return True
        if is_rule(line, at):
            self.close(matched)
            self.leaf, self.hollow = NOTHING, False
            return True
        return False

    def heading(self, number: int, line: str, at: int, matched: int) -> bool:
        level = heading_level(line, at)
        if not level:
            return False
        self.close(matched)
        if not self.stack:
            self.headings.append(Heading(number, number, level, title(self.lines[number], level)))
        self.leaf, self.hollow = NOTHING, False
        return True

    def fenced(self, number: int, line: str, at: int, matched: int) -> bool:
        length = fence(line, at)
        if not length:
            return False
        self.close(matched)
        prefix = "".join([letter if letter == ">" else " " for letter in line[:at]])
        self.mark, self.marks = line[at], length
        self.leaf, self.hollow = FENCE, False
        self.solids.append(Solid(FENCE, number, number, 1, prefix, self.mark * length))
        return True

    def markup(self, number: int, line: str, at: int, matched: int, lazy: bool) -> bool:
        ends = html.opening(line, at, lazy)
        if ends is None:
            return False
        self.close(matched)
        self.hollow = False
        self.solids.append(Solid(HTML, number, number))
        self.ends = ends
        self.leaf = NOTHING if ends is not html.BLANK and html.ended(line[at:], ends) else HTML
        return True

    def underlined(self, number: int, line: str, at: int) -> bool:
        """Whether the paragraph above is a heading, whose underline this is."""
        bare = line[at:].rstrip(" ")
        if bare.strip(bare[0]) or bare[0] not in "=-":
            return False
        if self.draft and bare[0] == "=" and defining([*self.draft, bare]) > len(self.draft):
            self.draft.append(bare)  # where the definition leads to
            return True
        if not self.stack:
            text = " ".join([line.strip(" \t") for line in self.lines[self.begun : number]])
            self.headings.append(Heading(self.begun, number, 1 if bare[0] == "=" else 2, text))
        self.leaf = NOTHING
        return True

    def table(self, number: int, line: str, at: int) -> bool:
        """Whether the line is the delimiter row below a header row."""
        columns, head = delimiters(line[at:]), self.above if self.stack else self.lines[number - 1]
        if not columns or "|" not in head or cells(head) != columns:
            return False
        if not self.stack and indentation(head.expandtabs(CODE), 0) >= CODE:
            return False
        self.solids.append(Solid(TABLE, number - 1, number, 2))
        self.leaf = TABLE
        return True


def indentation(line: str, at: int) -> int:
    """How many blanks there are from a column on."""
    start = at
    while line.startswith(" ", at):
        at += 1
    return at - start


def heading_level(line: str, at: int) -> int:
    """1 to 6 for a heading, 0 for what only looks like one."""
    end = at
    while line.startswith("#", end):
        end += 1
    return end - at if end - at <= 6 and (end == len(line) or line[end] == " ") else 0


def title(line: str, level: int) -> str:
    """The title as written, without its marks."""
    text = line.strip(" \t")[level:].rstrip(" \t")
    bare = text.rstrip("#")
    return (bare if not bare or bare[-1] in " \t" else text).strip(" \t")


def fence(line: str, at: int) -> int:
    """Length of the fence that begins code here, 0 when none does."""
    mark, end = line[at], at
    while line.startswith(mark, end):
        end += 1
    return 0 if end - at < 3 or (mark == "`" and "`" in line[end:]) else end - at


def is_rule(line: str, at: int) -> bool:
    """Whether the line is a thematic break."""
    mark = line[at]
    if mark not in RULES:
        return False
    bare = line[at:].replace(" ", "")
    return len(bare) >= 3 and not bare.strip(mark)


def marker(line: str, at: int, interrupts: bool) -> int:
    """Width of the mark that begins a list item here, 0 when none does; not every one ends a paragraph."""
    end = at
    if line[at] in "-+*":
        end += 1
    else:
        while end < len(line) and end - at <= ITEM_DIGITS and line[end] in "0123456789":
            end += 1
        if end == at or end - at > ITEM_DIGITS or line[end : end + 1] not in (".", ")"):
            return 0
        if interrupts and line[at:end] != "1":
            return 0
        end += 1
    if end < len(line) and line[end] != " ":
        return 0
    return 0 if interrupts and not line[end:].strip(" ") else end - at


def delimiters(text: str) -> int:
    """Columns of a table's delimiter row, 0 when it is none."""
    if text.strip("|-: ") or "-" not in text or len(text) < 2 or text.startswith("- "):
        return 0
    found = text.strip(" ").removeprefix("|").removesuffix("|").split("|")
    for cell in found:
        bare = cell.strip(" ")
        bare = bare[bare.startswith(":") : len(bare) - (bare.endswith(":") and len(bare) > 1)]
        if not bare or bare.strip("-"):
            return 0
    return len(found)


def cells(line: str) -> int:
    """How many cells a table's row has."""
    row = line.strip(" \t")
    inner = row.removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return inner.count("|") - inner.count("\\|") + 1
