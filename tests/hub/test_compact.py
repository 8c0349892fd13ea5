"""Compact texts: what goes, what stays byte for byte, and that a second time changes nothing."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_wire.hub.compact import compacted, fences, split
from memory_wire.hub.sections import parse
from tests.hub.markdown import PARSER, lines

CODE = "```py\n<!-- kept -->  \n\n\n\n\tx \n```  \n"
CASES = {
    "blanks at the ends": ("a  \nb\t\n", "a\nb\n"),
    "empty lines": ("a\n\n\n\n\nb\n", "a\n\nb\n"),
    "blank lines": ("a\n \n\t\n\nb", "a\n\nb"),
    "a comment in a line": ("a <!-- x --> b\n", "a  b\n"),
    "a comment alone": ("a\n<!-- x\n\ny -->\nb\n", "a\n\nb\n"),
    "comments in a row": ("a\n\n<!-- x -->\n<!-- y -->\n\nb\n", "a\n\nb\n"),
    "code": (f"a  \n\n\n{CODE}\n\n\nb  ", f"a\n\n{CODE}\nb"),
    "code of a list": ("- a  \n\n  ```\n  x  \n\n\n  ```\n", "- a\n\n  ```\n  x  \n\n\n  ```\n"),
    "code without an end": ("```\nx  \n\n\n\n", "```\nx  \n\n\n\n"),
    "a comment in code in a line": ("`<!-- x -->` b  \n", "`<!-- x -->` b\n"),
    "a comment without an end": ("a\n<!-- x  \n\n\n", "a\n<!-- x\n\n"),
    "a comment before text stays": ("<!-- x -->```\nb  ", "<!-- x -->```\nb"),
    "front matter": ("---\ntitle: x  \n---\n\n\n\na", "---\ntitle: x  \n---\n\na"),
    "other line ends": ("a \r\n\r\n\r\n```\r\nx \r\n```\r\n", "a\n\n```\r\nx \r\n```\r\n"),
    "a comment that keeps a list and code apart": ("- a\n<!-- -->\n    ```\nx   \n    ```\n", "- a\n<!-- -->\n    ```\nx\n    ```\n"),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_what_goes_and_what_stays(text: str, expected: str) -> None:
    assert compacted(text) == expected
    assert compacted(expected) == expected


MORE = (
    "<!-- x -->",
    "a <!-- x --> b",
    "word  ",
    "\t",
    "x <!--",
    "y -->",
    "<!-- a --> <!-- b -->",
    "`<!-- x -->`",
    "- <!-- x -->",
    "> <!-- x",
    "<!-- x -->```",
)
texts = st.lists(st.one_of(lines, st.sampled_from(MORE)), max_size=14).flatmap(
    lambda found: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(found))
)


@given(texts)
@example("> <!-- x\n> -->```\n```\na  \n\n\n\n```")
@example("text\n= <!-- x -->\n```\na  ")
def test_code_is_the_same_and_a_second_time_changes_nothing(text: str) -> None:
    found = compacted(text)
    assert compacted(found) == found
    assert len(found.encode()) <= len(text.encode())
    assert fences(split(found), parse(found)) == fences(split(text), parse(text))
    code = fences(split(found), parse(found))
    rest = found
    for one in code:
        before, _, rest = rest.partition(one)
        assert all(line == line.rstrip() for line in before.split("\n")) or parse(text).start


@given(st.lists(st.sampled_from(["# Title", "word  ", "", "", "```", "code  ", "- item", "<!-- x -->"]), max_size=12).map("\n".join))
def test_code_is_what_a_parser_calls_code(text: str) -> None:
    """The fenced code of the original and of the compact text, as markdown-it reads them."""
    blocks = [[token.content for token in PARSER.parse(one) if token.type == "fence"] for one in (text, compacted(text))]
    if not text.rstrip("\n").endswith("```") and text.count("```") % 2:
        blocks = [found[:-1] for found in blocks]  # code without an end takes the empty lines at the end
    assert blocks[0] == blocks[1]
