"""The line that tells what a name is: where it is defined, else under its heading, else the first that says it. Used by gist.py."""

from __future__ import annotations

from memory_wire.hub.inline import plain
from memory_wire.kernels import text as kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_wire.hub.gist import Paragraph

LINE = 200  # characters
DEFINED, BELOW, SAID, ROW, UNSAID = range(5)  # how good a line is
LEADS = ("", "a ", "an ", "the ")  # before a name that is defined
ENDS = (". ", "! ", "? ")
WIDE_ENDS = "。！？"
LINKS = (
    " is ", " are ", " means ", " refers to ", " stands for ", " describes ", ": ", " – ", " — ", " - ", " (", "とは", "は、",
    "は", "是", "：", "은 ", "는 ", "란 ",
)  # fmt: skip
READ = 2_000  # characters of a paragraph
RAW = 600  # of a sentence as written
LEAST = 12  # of a paragraph that tells by where it stands


def told(key: str, label: str, paragraphs: Sequence[Paragraph]) -> tuple[int, str]:
    """(how good, the line) of the best that a document says; the first of equally good ones."""
    mark = b" %b " % key.encode()
    best, line = UNSAID, ""
    name = kernel.fold(label)
    for paragraph in paragraphs:
        if mark not in paragraph.said:
            if best > BELOW and paragraph.under == key and len(paragraph.text) >= LEAST and not paragraph.row:
                best, line = BELOW, sentences(paragraph.text)[0]
            continue
        for sentence in sentences(paragraph.text):
            folded = kernel.fold(sentence).lstrip("*_`\"“'")
            at = folded.find(name)
            if not paragraph.row and folded[:at] in LEADS and at >= 0 and folded[at + len(name) :].lstrip("*_`\"”'").startswith(LINKS):
                return DEFINED, shown(sentence)
            rank = ROW if paragraph.row else BELOW if paragraph.under == key else SAID
            if best > rank and (at >= 0 or mark in b" %b " % b" ".join(kernel.terms(sentence))):
                best, line = rank, sentence
    return best, shown(line)


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph, as written, marks of lists, quotes and tables off."""
    bare = text[:READ].replace("\n", " ").lstrip("-*+>| \t")
    number, sign, rest = bare.partition(" ")
    if sign and number[-1:] in (".", ")") and number[:-1].isdigit():
        bare = rest
    for mark in ENDS:
        if mark in bare:
            bare = bare.replace(mark, mark + "\0")
    for mark in WIDE_ENDS:
        if mark in bare:
            bare = bare.replace(mark, mark + "\0")
    return [found for part in bare.split("\0") if (found := part.strip())] or [""]


def shown(line: str) -> str:
    """A sentence as plain text, cut at a word."""
    line = plain(line[:RAW].replace("[[", "").replace("]]", "")).strip(" |")
    if len(line) <= LINE:
        return line
    blank = line.rfind(" ", LINE // 2, LINE)
    return line[: blank if blank > 0 else LINE - 1].rstrip(" ,;:") + "…"
