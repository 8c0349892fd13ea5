"""Large JSON piece by piece: the same values as a decoder gives, in bounded memory, whatever the pieces of a file are."""

from __future__ import annotations

import io
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.sources import stream
from memory_wire.sources.stream import Broken, Path, pieces

SCALARS = (
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4), max_leaves=12
)
DOCUMENTS = st.lists(VALUES, max_size=5) | st.dictionaries(st.text(max_size=5), VALUES, max_size=5)


def expected(value: object, path: Path = ()) -> list[tuple[Path, object]]:
    """The pieces of a document by the rule, from the decoded value."""
    found: list[tuple[Path, object]] = []
    named = isinstance(value, dict)
    assert isinstance(value, dict | list)
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
        opened = named and (isinstance(inner, dict | list) if not path else isinstance(inner, list) and len(path) == 1)
        found += expected(inner, (*path, name)) if opened else [((*path, name), inner)]
    return found


def read(text: bytes) -> list[tuple[Path, object]]:
    return [(path, json.loads(raw)) for path, raw in pieces(io.BytesIO(text)) if raw is not None]


@given(DOCUMENTS, st.booleans(), st.sampled_from([None, 2]), st.integers(1, 40))
def test_pieces_are_what_a_decoder_gives(document: object, ascii: bool, indent: int | None, chunk: int) -> None:
    text = json.dumps(document, ensure_ascii=ascii, indent=indent).encode(errors="surrogatepass")
    before, stream.CHUNK = stream.CHUNK, chunk
    try:
        assert read(text) == expected(document)
        assert read(b"\xef\xbb\xbf \n" + text + b"\n ") == expected(document)
    finally:
        stream.CHUNK = before


@given(DOCUMENTS, st.data(), st.integers(1, 40))
def test_what_is_cut_or_damaged_is_said_and_the_rest_is_right(document: object, data: st.DataObject, chunk: int) -> None:
    text = json.dumps(document).encode()
    cut = data.draw(st.integers(0, len(text) - 1))
    before, stream.CHUNK = stream.CHUNK, chunk
    found = []
    try:
        with pytest.raises(Broken):
            for path, raw in pieces(io.BytesIO(text[:cut])):
                found.append((path, raw))
    finally:
        stream.CHUNK = before
    whole = expected(document)
    complete = found[:-1]  # the last may be a number that was cut
    assert [(path, json.loads(raw or b"")) for path, raw in complete] == whole[: len(complete)]


@given(st.binary(max_size=60))
def test_arbitrary_bytes_only_ever_are_broken(text: bytes) -> None:
    try:
        for _, raw in pieces(io.BytesIO(b"[" + text)):
            assert raw is not None
    except Broken:
        pass


@pytest.mark.parametrize("text", [b"", b" ", b"1", b'"x"', b"[1] 2", b"{1:2}", b'{"a" 1}', b"[1 2]", b'{"a":1,}x', b"nul"])
def test_what_is_no_document(text: bytes) -> None:
    with pytest.raises(Broken):
        list(pieces(io.BytesIO(text)))


@pytest.mark.parametrize(
    "large",
    [
        '"' + "x" * 500 + '"',
        '"' + "\\\\" * 300 + '"',
        "[" + "[1]," * 200 + "2]",
        '{"a":' + "9" * 400 + "}",
        "9" * 400,
        '"' + '\\"' * 300 + '"',
    ],
)
@pytest.mark.parametrize("chunk", [7, 64, 1 << 20])
def test_a_piece_that_is_too_large_is_passed_over(large: str, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "CHUNK", chunk)
    monkeypatch.setattr(stream, "IMPORT_ITEM_BYTES", 100)
    text = f'["before",{large},{{"after":1}}]'.encode()
    assert list(pieces(io.BytesIO(text))) == [((0,), b'"before"'), ((1,), None), ((2,), b'{"after":1}')]


class Endless(io.RawIOBase):
    """A document that is made while it is read: so many conversations of so many bytes, never held."""

    def __init__(self, count: int, text: bytes) -> None:
        self.left, self.text, self.held = count, text, b"["

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while len(self.held) < len(buffer) and self.left:
            self.left -= 1
            self.held += self.text + (b"," if self.left else b"]")
        size = min(len(buffer), len(self.held))
        buffer[:size] = self.held[:size]
        self.held = self.held[size:]
        return size

    def readable(self) -> bool:
        return True


def test_a_large_document_is_read_in_little_memory() -> None:
    one = json.dumps({"chat_messages": [{"text": 'so "we" said\n' * 400}] * 10}).encode()
    count = 100_000_000 // len(one)
    tracemalloc.start()
    try:
        found = sum(1 for _, raw in pieces(io.BufferedReader(Endless(count, one))) if raw)  # type: ignore[arg-type]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == count
    assert peak < 8_000_000
