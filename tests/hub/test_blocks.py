"""Headings of documents: what CommonMark says, and the same as a CommonMark parser.

MEMORY_WIRE_DOCUMENTS is how many documents each property draws.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import example, given, settings

from memory_wire.hub.blocks import Blocks
from tests.hub.markdown import documents, headings

DOCUMENTS = int(os.environ.get("MEMORY_WIRE_DOCUMENTS", "400"))


def found(text: str) -> list[tuple[int, int, int]]:
    return [(head.first, head.last, head.level) for head in Blocks(text.split("\n")).headings if head.level <= 3]


@settings(max_examples=DOCUMENTS)
@given(documents)
@example("|-\n---")
@example("- |---|---|\n   -|-\n|-\n  a | b\n---")
@example("| a | b |\n|---|---|\n| c | d |\n---")
@example("[f]: /u\n2. y\n---")
@example("[g]:\n===")
@example("####### e\n\t-|-\n-|-\n===")
@example("- a\n\n  b\n===\n# c")
@example("> a\n===\n\n# b")
@example("-\n\n  # no item any more")
@example("1.  a\n\n    # in the item\n   # not in it")
def test_headings_are_those_of_a_commonmark_parser(text: str) -> None:
    assert found(text) == headings(text)


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("Title\n===", [1]),
        ("Title\n---", [2]),
        ("Title\nover two\n---", [2]),
        ("Title\n\n---", []),
        ("- Title\n---", []),
        ("> Title\n---", []),
        ("> Title\n===", []),
        ("| a |\n|---|\n| b |\n---", []),
        ("```\n# no\n```\n# yes", [1]),
        ("~~~\n# no\n```\n# no\n~~~~\n# yes", [1]),
        ("```\n# unclosed", []),
        ("``` a`b\n# yes", [1]),
        ("    ```\n# yes\n    ```", [1]),
        ("> # no\n- # no\n\n# yes", [1]),
        ("- item\n\n  # no\n\n# yes", [1]),
        ("#hash\n\\# text\n#\ttab", [1]),
        ("<pre>\n# no\n\n# no\n</pre>\n# yes", [1]),
        ("<!--\n# no\n-->\n# yes", [1]),
        ("<div>\n# no\n\n# yes", [1]),
        ("#", [1]),
        ("   ## three blanks\n    ## four", [2]),
    ],
)
def test_what_is_a_heading(text: str, levels: list[int]) -> None:
    assert [level for _, _, level in found(text)] == levels


@pytest.mark.parametrize("line", ["- a", "> " * 3 + "a", "a", "", "[a", "[a]: b", "| a |", "```", "<div>", "<a b=c ", "# a", "> - " * 3])
def test_the_scan_is_linear(line: str) -> None:
    """Counted in steps, not in seconds: lines that the scan looks at again are the only way to be slower."""
    looked = 0

    class Lines(list[str]):
        def __getitem__(self, at):  # type: ignore[no-untyped-def]
            nonlocal looked
            found = super().__getitem__(at)
            looked += len(found) if isinstance(at, slice) else 1
            return found

    count = 3_000
    Blocks(Lines([line] * count))
    assert looked <= 4 * count
