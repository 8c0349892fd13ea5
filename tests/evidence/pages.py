"""Markdown pages as blocks of text: what stands in them that can be held against the product."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / ".github").glob("*.md"))]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SPAN = re.compile(r"`([^`\n]+(?:\n[^`\n]+)?)`")
RESULTS = re.compile(r"bench/(results/[a-z_]+\.md|[a-z_/]+\.py)$")  # a runner has the figures that others published
FENCE = re.compile(r"^( {4,}|\t|```)")
HEADING = re.compile(r"^(#{1,6})\s+(.*)$")


@dataclass
class Block:
    """A paragraph, a list item, a row of a table, a heading, or the lines of a piece of code."""

    page: Path
    line: int
    text: str
    code: bool = False

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def links(self) -> list[str]:
        return [] if self.code else LINK.findall(self.text)

    @property
    def results(self) -> list[Path]:
        """The results files that it links to."""
        targets = [(self.page.parent / link.partition("#")[0]).resolve() for link in self.links if "://" not in link]
        return [target for target in targets if RESULTS.search(target.as_posix())]


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page. Code is what stands in fences, or indented after a blank line outside a list."""
    held: list[str] = []
    first, fenced, code = 0, False, False
    lines = [*page.read_text().splitlines(), ""]
    for number, line in enumerate(lines, 1):
        mark = line.startswith("```")
        starts = bool(HEADING.match(line) or line.startswith(("|", "- ", "* ")) or re.match(r"\d+\. ", line))
        indented = line.startswith("    ")
        if fenced or mark:
            if mark and fenced:
                yield Block(page, first, "\n".join(held), code=True)
                held = []
            elif mark:
                if held:
                    yield Block(page, first, "\n".join(held), code)
                held, first = [], number + 1
            else:
                held.append(line)
            fenced = fenced != mark
            continue
        if held and (not line.strip() or starts or (code and not indented)):
            yield Block(page, first, "\n".join(held), code)
            held = []
        if line.strip():
            if not held:
                first, code = number, indented
            held.append(line)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings as GitHub makes them."""
    found: dict[str, int] = {}
    names = set()
    for line in page.read_text().splitlines():
        if match := HEADING.match(line):
            name = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]|\]\([^)]*\)", "", match[2]).lower()).replace(" ", "-")
            names.add(f"{name}-{found[name]}" if name in found else name)
            found[name] = found.get(name, 0) + 1
    return names


def spans(block: Block) -> list[str]:
    """The pieces of code in a block: its spans, or its lines with continuation lines joined."""
    if block.code:
        joined = re.sub(r"\\\n\s*", " ", block.text)
        return [re.split(r"(?:^|\s)# ", line.strip())[0].strip() for line in joined.splitlines()]
    return [" ".join(span.split()) for span in SPAN.findall(block.text)]
