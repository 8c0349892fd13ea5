"""JSON in and out against the package json."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.hooks.values import dumps, loads, mapping, text_of, whole, within

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters())
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12)


@given(VALUES)
def test_reads_and_writes_what_json_does(value: object) -> None:
    assert json.loads(dumps(value)) == value
    assert loads(json.dumps(value).encode()) == value
    assert dumps(value).isascii()


@given(st.binary())
def test_bytes_give_a_value_or_a_value_error(data: bytes) -> None:
    try:
        loads(data)
    except ValueError:
        assert mapping(data) == {}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"{",
        b'{"a":',
        b'{"a":1}}',
        b'{"a":1} {"b":2}',
        b"[1,]",
        b"nul",
        b'{"a"}',
        b"[" * 100_000,
        b'"\\ud8"',
        b"9" * 5_000,
        b"\xff\xfe{\x00",
    ],
)
def test_faults(data: bytes) -> None:
    with pytest.raises(ValueError):
        loads(data)


def test_escaped_halves_of_surrogates_come_back_as_they_came() -> None:
    assert dumps(loads(b'"a\\ud800b"')) == '"a\\ud800b"'
    assert dumps(loads(b'"a\xffb"')) == '"a\\udcffb"'
    assert whole("a\ud800b\udcff") == "a?b?"


def test_a_byte_order_mark_and_blanks_around() -> None:
    assert mapping(b'\xef\xbb\xbf {"a": 1}\r\n') == {"a": 1}


def test_fields() -> None:
    found = {"a": 5, "b": "  ", "c": "text", "d": {"e": {"f": "deep"}}}
    assert text_of(found, "a", "b", "c") == "text"
    assert text_of(found, "x") == ""
    assert within(found, "d", "e") == {"f": "deep"}
    assert within(found, "c", "e") == {}
