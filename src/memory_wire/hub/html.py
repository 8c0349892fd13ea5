"""Which lines begin a block of HTML, and what ends it: the seven conditions of CommonMark 0.31, section 4.6. Used by blocks.py."""

from __future__ import annotations

ALPHA = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
NAME = ALPHA | frozenset("0123456789-")
ATTRIBUTE_START = ALPHA | frozenset("_:")
ATTRIBUTE = ATTRIBUTE_START | frozenset("0123456789.-")
SPACE = frozenset(" \t\n")
UNQUOTED_END = frozenset(" \t\n\"'=<>`")
RAW = frozenset(("pre", "script", "style", "textarea"))
RAW_ENDS = tuple(f"</{name}>" for name in sorted(RAW))
BLOCKS = frozenset(
    """address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset figcaption
    figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu menuitem nav noframes ol
    optgroup option p param search section summary table tbody td tfoot th thead title tr track ul""".split()
)
BLANK = ("",)  # ends at a blank line
MARKS = (("<!--", ("-->",)), ("<?", ("?>",)), ("<![CDATA[", ("]]>",)))


def opening(line: str, at: int, interrupts: bool) -> tuple[str, ...] | None:
    """What ends the block that `line[at:]`, which begins with `<`, begins: one of these texts in a line, or BLANK. None: it begins none.

    `interrupts`: a paragraph is open, which a tag of any other name doesn't end.
    """
    for mark, ends in MARKS:
        if line.startswith(mark, at):
            return ends
    if line.startswith("<!", at):
        return (">",) if line[at + 2 : at + 3] in ALPHA and at + 2 < len(line) else None
    closing = line.startswith("</", at)
    start = at + 1 + closing
    end = start
    while end < len(line) and line[end] in NAME:
        end += 1
    name, after = line[start:end].lower(), line[end : end + 1]
    if name in RAW and not closing and after in ("", " ", "\t", ">"):
        return RAW_ENDS
    if name in BLOCKS and (after in ("", " ", "\t", ">") or line.startswith("/>", end)):
        return BLANK
    if interrupts or not name or name[0] not in ALPHA or (name in RAW and not closing):
        return None
    stop = skip(line, end) if closing else attributes(line, end)
    if not closing and line.startswith("/", stop):
        stop += 1
    return BLANK if line.startswith(">", stop) and not line[stop + 1 :].strip(" \t") else None


def ended(line: str, ends: tuple[str, ...]) -> bool:
    """Whether a block with these ends ends with this line."""
    if ends is RAW_ENDS:
        line = line.lower()
    return any(end in line for end in ends)


def skip(line: str, at: int) -> int:
    """Past blanks."""
    while at < len(line) and line[at] in SPACE:
        at += 1
    return at


def attributes(line: str, at: int) -> int:
    """Past well-formed attributes and the blanks behind them; where it stops otherwise, no `>` can follow."""
    while True:
        blank = skip(line, at)
        if blank == at or blank >= len(line) or line[blank] not in ATTRIBUTE_START:
            return blank
        at = blank
        while at < len(line) and line[at] in ATTRIBUTE:
            at += 1
        equals = skip(line, at)
        if line.startswith("=", equals):
            at = value(line, skip(line, equals + 1))
            if at < 0:
                return len(line)


def value(line: str, at: int) -> int:
    """Past an attribute's value; -1 when there is none."""
    quote = line[at : at + 1]
    if quote and quote in "\"'":
        end = line.find(quote, at + 1)
        return end + 1 if end >= 0 else -1
    start = at
    while at < len(line) and line[at] not in UNQUOTED_END:
        at += 1
    return at if at > start else -1
