"""Path segments, query strings, addresses and host names, each against a plain rule or the standard library."""

from __future__ import annotations

import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire import types as t
from memory_wire.errors import CannotListen, Corrupt, Malformed, MemoryWireError, StorageError, StoreMissing
from memory_wire.serve.admit import is_json, target
from memory_wire.serve.dispatch import Dispatch
from memory_wire.serve.listen import host_of, origin_of, split
from memory_wire.serve.log import Log
from memory_wire.serve.read import Body, Query, header_safe, parameter, segment, unescape
from memory_wire.serve.reply import recalled, to_bytes

RAW = st.binary(max_size=40).map(lambda data: data.replace(b"\xff", b"%").replace(b"\xfe", b"%4"))


@given(RAW)
def test_escapes_are_decoded_as_the_standard_library_does(raw: bytes) -> None:
    assert unescape(raw) == urllib.parse.unquote_to_bytes(raw)


@given(st.text(max_size=30))
def test_quoted_names_come_back(name: str) -> None:
    try:
        quoted = urllib.parse.quote(name, safe="").encode()
    except UnicodeEncodeError:
        return  # lone surrogates have no UTF-8
    assert segment(quoted) == name
    assert parameter(urllib.parse.quote_plus(name).encode()) == name


@given(st.dictionaries(st.sampled_from(["limit", "offset", "truncate"]), st.integers(0, 2**64 - 1)))
def test_numbers_of_a_query_string(numbers: dict[str, int]) -> None:
    query = Query(t.Memories, ("bank",), lax=True, receipt=False)
    values: dict[str, object] = {}
    assert query.into(values, urllib.parse.urlencode(numbers).encode()) is False
    assert values == numbers


@given(st.text(max_size=8))
def test_a_number_is_digits_and_nothing_else(text: str) -> None:
    """`int` of the standard library takes signs, blanks, underscores and digits of any script; a query string doesn't."""
    try:
        raw = urllib.parse.quote(text).encode()
    except UnicodeEncodeError:
        return
    query = Query(t.Memories, ("bank",), lax=True, receipt=False)
    values: dict[str, object] = {}
    if text and all(character in "0123456789" for character in text):
        query.into(values, b"limit=" + raw)
        assert values == {"limit": int(text)}
    else:
        with pytest.raises(Malformed):
            query.into(values, b"limit=" + raw)


@given(st.text(max_size=100))
def test_names_in_a_header_hold_no_header(name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError:
        return
    safe = header_safe(name)
    assert safe.isascii()
    assert not set(safe) & set(b"\r\n\0, :")
    assert urllib.parse.unquote_to_bytes(safe) == name.encode()[:64]


@given(st.dictionaries(st.text(max_size=10), st.integers() | st.text(max_size=5) | st.none(), max_size=6), st.booleans())
def test_ignored_fields_are_exactly_those_a_struct_has_not(fields: dict[str, object], known: bool) -> None:
    import msgspec

    fields = {name: value for name, value in fields.items() if name not in t.Recall.__struct_fields__}
    try:
        body = msgspec.json.encode({**fields, "query": "x", **({"k": 3} if known else {})})
    except UnicodeEncodeError:
        return
    request, header = Body(t.Recall).decode(body)
    assert isinstance(request, t.Recall)
    assert (request.query, request.k) == ("x", 3 if known else None)
    named = header.removeprefix(b"x-ignored-fields: ").removesuffix(b"\r\n")
    assert named == b", ".join([header_safe(name) for name in fields])


@pytest.mark.parametrize(
    ("url", "path", "query"),
    [
        (b"/a?b=c?d", b"/a", b"b=c?d"),
        (b"/a#f?x", b"/a", b""),
        (b"/a?b#f", b"/a", b"b"),
        (b"http://h/a?b", b"/a", b"b"),
        (b"HTTPS://h:1", b"/", b""),
        (b"ftp://h/a", b"ftp://h/a", b""),
        (b"*", b"*", b""),
    ],
)
def test_targets(url: bytes, path: bytes, query: bytes) -> None:
    assert target(url)[::2] == (path, query)


@pytest.mark.parametrize(
    ("value", "host"),
    [(b"Localhost:80", b"localhost"), (b"[::1]:80", b"[::1]"), (b"[::1]", b"[::1]"), (b"a.b", b"a.b"), (b"", b""), (b"[::1", b"[::1")],
)
def test_hosts(value: bytes, host: bytes) -> None:
    assert host_of(value) == host
    assert origin_of(b"https://" + value) == host


@pytest.mark.parametrize("kind", [b"application/json", b"APPLICATION/JSON ; charset=x", b"application/a+json"])
def test_json_types(kind: bytes) -> None:
    assert is_json(kind)


@pytest.mark.parametrize("kind", [b"", b"json", b"text/json", b"application/json5", b"text/a+json", b"application/jsonx; +json"])
def test_other_types(kind: bytes) -> None:
    assert not is_json(kind)


def test_addresses() -> None:
    assert split("127.0.0.1:0") == ("127.0.0.1", 0)
    assert split("[::1]:65535") == ("::1", 65535)
    for addr in ("", ":1", "a", "a:", "a:-1", "a:65536", "a:1x", "a:²"):
        with pytest.raises(CannotListen):
            split(addr)


def test_an_index_under_repair_is_said_in_a_header() -> None:
    hit = t.Hit(content="a", created_at="2026-01-01T00:00:00.000Z", id="i", relevance=1.0, score=2.0)
    assert recalled(t.Recalled(hits=[hit], bare=True)) == (200, b"application/json", b'["a"]', b"")
    status, _, body, more = recalled(t.Recalled(hits=[hit], bare=False, index="rebuilding 37%"))
    assert (status, more) == (200, b"x-memory-wire-index: rebuilding 37%\r\n")
    assert body == b'[{"content":"a","created_at":"2026-01-01T00:00:00.000Z","id":"i","relevance":1.0,"score":2.0}]'


@pytest.mark.parametrize("error", [StoreMissing("/secret/path"), Corrupt("bad chunk"), StorageError("disk on fire")])
def test_internal_errors_keep_their_text_off_contract_routes(error: MemoryWireError) -> None:
    dispatch = Dispatch.__new__(Dispatch)
    dispatch.log = Log("off")
    assert dispatch.refusal(error, contract=True) == (500, b"text/plain; charset=utf-8", b"storage error", b"")


def test_replies_as_bytes() -> None:
    data = to_bytes((200, b"text/x", b"body", b"X: y\r\n"), close=True, old=False, bodiless=False)
    head, _, body = data.partition(b"\r\n\r\n")
    line, *fields = head.split(b"\r\n")
    assert (line, body) == (b"HTTP/1.1 200 OK", b"body")
    assert {field.partition(b":")[0] for field in fields} == {b"Date", b"Content-Length", b"Content-Type", b"X", b"Connection"}
    assert b"Content-Length: 4" in fields
    bare = to_bytes((599, b"", b"body", b""), close=False, old=True, bodiless=True)
    assert bare.startswith(b"HTTP/1.1 599 \r\n")
    assert bare.endswith(b"Content-Length: 4\r\nConnection: keep-alive\r\n\r\n")
