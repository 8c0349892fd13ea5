"""Chunking, case by case."""

from __future__ import annotations

import hashlib

import pytest

from memory_wire.hub.chunk import Chunk, chunks
from memory_wire.hub.sections import parse
from memory_wire.hub.split import LIMIT


def crumbs(markdown: str, title: str = "Doc") -> list[str]:
    return [chunk.breadcrumb for chunk in chunks(markdown, title)]


def texts(markdown: str, title: str = "Doc") -> list[str]:
    return [chunk.text for chunk in chunks(markdown, title)]


@pytest.mark.parametrize("markdown", ["", "\n", " \n\t\n", "\ufeff", "---\ntitle: x\n---\n", "---\ntitle: x\n---\n \n"])
def test_an_empty_or_blank_document_has_no_chunks(markdown: str) -> None:
    assert chunks(markdown, "Doc") == []


def test_without_headings_there_is_one_prelude_chunk_under_the_documents_title() -> None:
    (chunk,) = chunks("one\n\ntwo\n", "Doc")
    assert (chunk.text, chunk.breadcrumb, chunk.anchor, chunk.part, chunk.parts) == ("one\n\ntwo", "Doc", None, 1, 1)


def test_a_long_prelude_is_split() -> None:
    found = chunks("\n\n".join(["word " * 100] * 8), "Doc")
    assert len(found) == 3
    assert {chunk.breadcrumb for chunk in found} == {"Doc"}


def test_a_blank_prelude_is_dropped() -> None:
    assert texts("\n\n# A\n\ntext") == ["# A\n\ntext"]


def test_a_heading_alone_with_sub_headings_has_no_chunk_of_its_own() -> None:
    assert crumbs("# A\n\n## B\ntext\n## C\ntext") == ["Doc > A > B", "Doc > A > C"]


def test_a_heading_alone_without_sub_headings_is_a_chunk() -> None:
    assert texts("# A\n# B\ntext") == ["# A", "# B\ntext"]


def test_h1_then_h3_needs_no_placeholder_and_the_next_h2_pops_it() -> None:
    assert crumbs("# A\na\n### C\nc\n## B\nb") == ["Doc > A", "Doc > A > C", "Doc > A > B"]


def test_a_first_h3_is_a_root_and_h1_pops_it() -> None:
    assert crumbs("### C\nc\n# A\na") == ["Doc > C", "Doc > A"]


def test_two_equal_headings_have_equal_breadcrumbs_numbered_anchors_and_occurrences() -> None:
    found = chunks("## A\nsame\n## A\nsame\n## A\nsame", "Doc")
    assert [chunk.breadcrumb for chunk in found] == ["Doc > A"] * 3
    assert [chunk.anchor for chunk in found] == ["a", "a-1", "a-2"]
    assert [chunk.occurrence for chunk in found] == [0, 1, 2]
    assert len({chunk.hash for chunk in found}) == 1
    assert [section.occurrence for section in parse("## A\n## A\n## A").sections[1:]] == [1, 2, 3]


@pytest.mark.parametrize("text", ["```\n# no\n```", "\\# no", "> # no", "- # no", "#no", "1. a\n\n   # no", "<!--\n# no\n-->"])
def test_what_only_looks_like_a_heading_is_text(text: str) -> None:
    assert texts(text) == [text]


def test_a_fence_indented_by_four_is_none() -> None:
    assert crumbs("    ```\n# A\na\n    ```\n# B\nb") == ["Doc", "Doc > A", "Doc > B"]


def test_1800_code_points_are_one_chunk_and_1801_are_two() -> None:
    head = "# A\n\n"
    fits = head + "x" * (LIMIT - len(head))
    assert texts(fits) == [fits]
    first, second = chunks(fits + "y", "Doc")
    assert (first.part, second.part, first.parts) == (1, 2, 2)
    assert second.text.startswith("# A\n\n")
    assert fits[first.start : first.end] + (fits + "y")[second.start : second.end] == fits + "y"


def test_a_long_heading_is_cut_in_the_breadcrumb_and_where_it_is_repeated() -> None:
    long = "long " * 80
    found = chunks(f"# {long}\n\n" + "\n\n".join(["word " * 100] * 8), "Doc")
    assert found[0].text.startswith(f"# {long}\n")
    assert len(found[0].breadcrumb) == len("Doc > ") + 300
    assert found[0].breadcrumb.endswith("…")
    assert [chunk.text.partition("\n")[0] for chunk in found[1:]] == ["# " + long.strip()[:299] + "…"] * (len(found) - 1)


@pytest.mark.parametrize(
    ("heading", "plain", "anchor"),
    [
        ("# A `code` span", "A code span", "a-code-span"),
        ("# A [link](http://x/y_(z)) here", "A link here", "a-link-here"),
        ("# ![pic](x.png) 🚀 go", "pic 🚀 go", "pic--go"),
        ("# Trailing ##", "Trailing", "trailing"),
        ("# C#", "C#", "c"),
        ("# **Bold** and _em_ snake_case 2 * 3", "Bold and em snake_case 2 * 3", "bold-and-em-snake_case-2--3"),
        ("# <b>Tag</b> &amp; \\*star\\* <http://a.b>", "Tag & *star* http://a.b", "tag--star-httpab"),
        ("# ``a`b`` [ref][x] [no] ~~gone~~", "a`b ref [no] gone", "ab-ref-no-gone"),
        ("Two\nlines\n===", "Two lines", "two-lines"),
        ("# 日本語 — naïve", "日本語 — naïve", "日本語--naïve"),
    ],
)
def test_a_breadcrumb_is_the_plain_text_of_the_heading(heading: str, plain: str, anchor: str) -> None:
    (chunk,) = chunks(heading, "")
    assert (chunk.breadcrumb, chunk.anchor) == (plain, anchor)


def test_line_ends_and_a_byte_order_mark_make_no_difference() -> None:
    text = "---\ntitle: T\n---\nprelude\n\n# A\n\ntext\n```\ncode\n```\n## B\nb\n"
    assert chunks(text, "T") == chunks(text.replace("\n", "\r\n"), "T") == chunks("\ufeff" + text.replace("\n", "\r"), "T")


def test_mixed_scripts_count_code_points_and_no_grapheme_is_torn() -> None:
    cluster = "👩\u200d👩\u200d👧"
    text = "中" * 1_798 + cluster + "e\u0301" * 200 + "🇩🇪" * 300 + "각" * 100
    found = chunks(text, "Doc")
    assert "".join(chunk.text for chunk in found) == text
    assert next(len(chunk.text) for chunk in found) == 1_798
    for chunk in found:
        assert chunk.text[0] not in "\u200d\u0301" and not chunk.text.endswith("\u200d")
        flags = len(chunk.text) - len(chunk.text.replace("🇩", "").replace("🇪", ""))
        assert flags % 2 == 0


def test_a_code_block_that_is_cut_is_closed_and_opened_again() -> None:
    code = "\n".join(f"line_{number} = {number}" for number in range(300))
    found = texts(f"# A\n\n```python title=x\n{code}\n```\n\nafter")
    assert len(found) > 2
    assert all(text.startswith("# A\n\n") for text in found)
    assert all(text.startswith("# A\n\n```python title=x\n") for text in found)
    assert all(text.endswith("\n```") for text in found[:-1])
    assert found[-1].endswith("\n```\n\nafter")


def test_a_table_that_is_cut_repeats_its_head() -> None:
    rows = "\n".join(f"| {number} | some text in a cell |" for number in range(200))
    found = texts(f"# A\n\n| n | text |\n|---|---|\n{rows}")
    assert len(found) > 2
    assert all(text.startswith("# A\n\n| n | text |\n|---|---|\n| ") for text in found)


def test_blank_lines_in_code_and_html_are_no_places_to_cut() -> None:
    code = "```\n" + "\n\n".join(["x" * 100] * 10) + "\n```"
    text = "word " * 200 + "\n\n" + code
    assert texts(text) == ["word " * 200, code]


def test_a_paragraph_too_long_is_cut_at_sentences_then_blanks() -> None:
    sentences = "This is a sentence of some length. " * 120
    found = texts(sentences)
    assert all(text.endswith("length. ") for text in found)
    words = "word " * 800
    assert all(text.endswith("word ") for text in texts(words))


def test_the_title_is_in_no_breadcrumb_when_it_is_the_first_heading() -> None:
    assert crumbs("before\n\n# Doc\ntext\n## A\na") == ["Doc", "Doc", "Doc > A"]


def test_front_matter_is_no_text() -> None:
    parsed = parse("---\ntitle: 'My title'\ntags: [a, b]\nprivate: true\n---\n# H\ntext")
    assert parsed.matter == {"title": "My title", "tags": ["a", "b"], "private": "true"}
    assert [chunk.text for chunk in chunks("---\na: b\n---\ntext")] == ["text"]
    assert parse('+++\ntitle = "T"\ntags = ["x"]\n+++\ntext').matter == {"title": "T", "tags": ["x"]}


def test_front_matter_that_does_not_end_is_text() -> None:
    assert texts("---\ntitle: x\n\ntext") == ["---\ntitle: x\n\ntext"]


@pytest.mark.parametrize(
    ("markdown", "title"),
    [
        ("---\ntitle: In front\n---\n# H", "In front"),
        ("text\n\n# The *heading*", "The heading"),
        ("\n\nfirst `line`\nsecond", "first line"),
        ("## Only two\ntext", "Only two"),
        ("", ""),
    ],
)
def test_a_document_is_called_by_its_front_matter_first_heading_or_first_line(markdown: str, title: str) -> None:
    assert parse(markdown).title() == title


def test_the_hash_is_of_breadcrumb_and_text() -> None:
    chunk = chunks("# A\n\n## B\ntext", "Doc")[0]
    assert chunk.hash == hashlib.sha256(b"Doc > A > B\0## B\ntext").digest()[:16]


def test_lines_are_counted_from_one_and_the_subtree_is_known() -> None:
    parsed = parse("---\nx: y\n---\n# A\na\n## B\nb\n\n# C\n")
    assert [(s.title, s.first, s.last, s.subtree, s.body) for s in parsed.sections] == [
        ("", 4, 3, 10, 4), ("A", 4, 5, 8, 5), ("B", 6, 8, 8, 7), ("C", 9, 10, 10, 10),
    ]  # fmt: skip
    found: list[Chunk] = chunks("---\nx: y\n---\n# A\na\n## B\nb\n\n# C\n", "Doc")
    assert [(chunk.first_line, chunk.last_line) for chunk in found] == [(4, 5), (6, 7), (9, 9)]
