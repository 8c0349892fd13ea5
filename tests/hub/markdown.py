"""Documents for the tests beside this one, and what a CommonMark parser makes of them.

Left out of the drawn documents is what markdown-it-py reads otherwise than CommonMark says: quote marks indented by four columns, quotes in
quotes with lines that lack both marks, titles of link definitions over several lines, heads of tables that begin another block.
"""

from __future__ import annotations

import itertools

from hypothesis import strategies as st
from markdown_it import MarkdownIt

PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")
PREFIXES = ("", "", "", "", "> ", ">", "- ", "1. ", "  ", "   ", "- - ", "> - ", "  > ", "* ")
LINES = (
    "# One", "## Two ##", "### Three", "#### Four", "###### Six #", "####### seven", "#hash", "\\# text", "#", "## ",
    "   # indented", "    # code", "\t# code", "===", "=", "---", "--", "- - -", "***", "_ _ _", "word", "two words", "", "", "",
    " ", "- item", "-", "* item", "+", "1. item", "2. item", "10) item", "1234567890. no", "> quote", ">", "> # quoted", "> ```",
    "```", "```py", "````", "~~~", "~~~ `x`", "``` a`b", "    ```", "\tcode", "<div>", "</div>", "<pre>", "</pre>", "<!-- note",
    "-->", "<?php", "?>", "<!X", "<b>", "<b", "<a x='1' y>", "</a >", "<script", "| a | b |", "|---|---|", "a | b", "-|-",
    "| a |", "|-", "---|", "a \\| b", "[f]: /u", "[f]: /u 't'", "[f]: <u>\n", "[g]:\n/v\n", "[text](x)", "[x]", "文字 — 🚀", "é ü",
    "&amp; *em* `code`",
)  # fmt: skip


def begins_otherwise(text: str) -> bool:
    """Whether a line above what may be a delimiter row has cells but begins a list, a quote, a heading."""
    found = text.split("\n")
    return any(
        "|" in head and "-" in row and not row.strip(" >|:-\t") and head.lstrip()[:1] in "->#*+1="
        for head, row in itertools.pairwise(found)
    )


lines = st.tuples(st.sampled_from(PREFIXES), st.sampled_from(LINES)).map("".join)
documents = st.lists(lines, min_size=1, max_size=12).map("\n".join).filter(lambda text: not begins_otherwise(text))

PROSE = ("word ", "Sentence. ", "really? ", "文字列。", "x" * 90, "👩\u200d💻", "e\u0301\u0323", "🇩🇪", "中" * 200, "a|b", "`code` ", "한국")
paragraphs = st.lists(st.sampled_from(PROSE), min_size=1, max_size=60).map("".join)
blocks = st.one_of(
    documents,
    paragraphs,
    st.lists(paragraphs, max_size=20).map("\n".join),
    st.lists(paragraphs, max_size=20).map(lambda found: "\n".join(["~~~py title", *found, "~~~"])),
    st.integers(1, 200).map(lambda rows: "| a | b |\n|---|---|\n" + "| cell | another cell |\n" * rows),
    paragraphs.map(lambda text: f"## {text}"),
)
long_documents = st.lists(blocks, max_size=6).map("\n\n".join)


def headings(text: str) -> list[tuple[int, int, int]]:
    """(first line, last line, level) of the headings of level 1 to 3 outside of containers, lines from 0."""
    found = []
    for token in PARSER.parse(f"{text}\n"):  # it fails at some texts that end within a line of HTML, such as `> - <pre>\n> `
        if token.type == "heading_open" and token.level == 0 and token.map is not None and int(token.tag[1]) <= 3:
            found.append((token.map[0], token.map[1] - 1, int(token.tag[1])))
    return found
