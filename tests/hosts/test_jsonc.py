"""The editor of JSON with comments against a slow reader: taking out undoes putting in, and nothing else changes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.hosts import jsonc
from tests.hosts import plain
from tests.hosts.documents import documents, values

VALUE: jsonc.Value = {"command": "/x y/memory-wire", "args": ["mcp", {"é": None}], "n": 1, "e": []}


def places(node: jsonc.Node, path: jsonc.Path = ()) -> list[tuple[jsonc.Path, jsonc.Node]]:
    """Every container that a path of keys leads to."""
    found = [(path, node)] if node.kind in ("object", "array") else []
    for item in node.items:
        if item.key is not None and node.item(item.key) is item:
            found += places(item.node, (*path, item.key))
    return found


@given(documents())
def test_it_reads_what_a_slow_reader_reads(text: str) -> None:
    assert jsonc.parse(text).root.plain() == plain.load(text)


@given(documents(), st.data())
def test_taking_out_undoes_putting_in(text: str, data: st.DataObject) -> None:
    path, node = data.draw(st.sampled_from(places(jsonc.parse(text).root)))
    key = "memory-wire" if node.kind == "object" else None
    edited, tight = jsonc.insert(text, path, key, VALUE)
    before, after = jsonc.parse(text).find(path), jsonc.parse(edited).find(path)
    assert before is not None
    assert after is not None
    assert plain.load(edited) == jsonc.parse(edited).root.plain()
    assert [item.node.plain() for item in after.items] == [*(item.node.plain() for item in before.items), VALUE]
    assert jsonc.remove(edited, path, len(before.items), tight) == text


@given(documents(), st.data())
def test_several_go_in_and_out_in_any_order(text: str, data: st.DataObject) -> None:
    path, node = data.draw(st.sampled_from(places(jsonc.parse(text).root)))
    edited, count = text, len(node.items)
    opened = False
    for number in range(3):
        edited, tight = jsonc.insert(edited, path, f"memory-wire-{number}" if node.kind == "object" else None, number)
        opened = opened or tight
    for left in (3, 2, 1):
        edited = jsonc.remove(edited, path, count + data.draw(st.integers(0, left - 1)), opened and left == 1)
    assert edited == text


@given(documents(), st.data())
def test_any_member_can_be_taken_out(text: str, data: st.DataObject) -> None:
    filled = [(path, node) for path, node in places(jsonc.parse(text).root) if node.items]
    if filled:
        path, node = data.draw(st.sampled_from(filled))
        index = data.draw(st.integers(0, len(node.items) - 1))
        after = jsonc.parse(jsonc.remove(text, path, index)).find(path)
        assert after is not None
        assert [item.node.plain() for item in after.items] == [item.node.plain() for i, item in enumerate(node.items) if i != index]


@given(documents(), values(), st.data())
def test_a_value_is_replaced_alone(text: str, value: str, data: st.DataObject) -> None:
    path, node = data.draw(st.sampled_from(places(jsonc.parse(text).root)[1:] or [((), jsonc.parse(text).root)]))
    new = jsonc.parse(value).root.plain()
    edited = jsonc.replace(text, node, new)
    found = jsonc.parse(edited).find(path)
    assert found is not None
    assert found.plain() == new
    assert edited.startswith(text[: node.start])
    assert edited.endswith(text[node.end :])


@given(st.text(alphabet='{}[],:"\\/*x1 \n\ufeff', max_size=12))
def test_what_it_accepts_is_json(text: str) -> None:
    try:
        found = jsonc.parse(text).root.plain()
    except jsonc.Malformed:
        with pytest.raises((ValueError, IndexError)):
            json.loads(text)
        return
    assert found == plain.load(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1 2]",
        '{"a" 1}',
        '{"a": 1,,}',
        "{,}",
        "{a: 1}",
        "{'a': 1}",
        '{"a": 01}',
        '{"a": "\n"}',
        "{} x",
        "/* {}",
        "[" * 5000,
        '{"a": NaN}',
        '{"a": 1} }',
    ],
)
def test_what_it_refuses(text: str) -> None:
    with pytest.raises(jsonc.Malformed, match=r"line \d+ column \d+"):
        jsonc.parse(text)


def test_style_is_taken_over() -> None:
    tabs = '{\r\n\t"a": 1, // one\r\n\t"b": [\r\n\t]\r\n}'
    edited, _ = jsonc.insert(tabs, (), "c", {"d": [1]})
    assert edited == '{\r\n\t"a": 1, // one\r\n\t"b": [\r\n\t],\r\n\t"c": {\r\n\t\t"d": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}'
    assert jsonc.insert('{"a": {"b": 1}}', ("a",), "c", [1, {"d": 2}])[0] == '{"a": {"b": 1, "c": [1, {"d": 2}]}}'
    assert jsonc.insert('{\n    "a": [\n        1,\n    ],\n}', ("a",), None, 2)[0] == '{\n    "a": [\n        1,\n        2,\n    ],\n}'
