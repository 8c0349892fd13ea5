"""TOON text of pages."""

from __future__ import annotations

import pytest

from memory_wire.service.toon import encode, plain, quote
from memory_wire.types import Item, Page

DATE = "2026-09-20T00:00:00.000Z"


def item(content: str, context: str | None = None) -> Item:
    return Item(content=content, context=context, created_at=DATE, id="i")


def test_empty() -> None:
    assert encode(Page(items=[], total=3)) == "total: 3\nmemories: []"


def test_table() -> None:
    page = Page(items=[item("one"), item("a, b")], total=2, truncated=1)
    assert encode(page) == f'total: 2\ncontent_truncated: 1\nmemories[2]{{id,created_at,content}}:\n  i,"{DATE}",one\n  i,"{DATE}","a, b"'


def test_table_with_context_in_every_row() -> None:
    page = Page(items=[item("one", "c")], total=1)
    assert encode(page) == f'total: 1\nmemories[1]{{id,created_at,content,context}}:\n  i,"{DATE}",one,c'


def test_list_when_only_some_rows_have_a_context() -> None:
    page = Page(items=[item("one", "c"), item("two")], total=2)
    rows = f'  - id: i\n    created_at: "{DATE}"\n    content: one\n    context: c\n  - id: i\n    created_at: "{DATE}"\n    content: two'
    assert encode(page) == f"total: 2\nmemories[2]:\n{rows}"


@pytest.mark.parametrize(
    "text",
    ["", " x", "x ", "true", "null", "12", "1.5", "1e6", "1E-6", "05", "-x", "#x", "a,b", "a:b", 'a"b', "a\\b", "[", "}", "a\nb", "\x01"],
)
def test_quoted(text: str) -> None:
    assert not plain(text) and quote(text).startswith('"')


@pytest.mark.parametrize("text", ["x", "two words", "1.5.2", "e6", "True", "v1", "naïve 東京 🚀", "1e", "x#y-z"])
def test_plain(text: str) -> None:
    assert quote(text) == text


def test_escapes() -> None:
    assert quote('"\\\n\r\t\x01\x7f') == r'"\"\\\n\r\t\u0001\u007f"'
