"""kernels/vec against the plain version: rounding, products, search with masks, and what is refused."""

from __future__ import annotations

import math
import struct
import tempfile
from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.kernels import rank, vec
from tests.kernels.rank_banks import ALLOWED, PROPERTY, banks, parts_of
from tests.oracle import vec as oracle

NUMBERS = st.floats(-4, 4, width=32)
DIMENSIONS = st.sampled_from([1, 3, 31, 32, 33, 64])


@st.composite
def spaces(draw: st.DrawFn) -> tuple[list[float], list[tuple[int, bytes]]]:
    """A question and rows of units, some of them several, in any order."""
    dimension = draw(DIMENSIONS)
    vector = st.lists(NUMBERS, min_size=dimension, max_size=dimension)
    some = draw(st.lists(vector, min_size=1, max_size=4))
    units = draw(st.lists(st.integers(0, 40), max_size=150))
    return draw(vector), [(unit, oracle.row(some[place % len(some)])) for place, unit in enumerate(units)]


def same(found: list[tuple[int, float]], expected: list[tuple[int, float]]) -> bool:
    return [unit for unit, _ in found] == [unit for unit, _ in expected] and all(
        math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-300) for (_, one), (_, other) in zip(found, expected, strict=True)
    )


@PROPERTY
@given(st.lists(st.lists(NUMBERS, min_size=7, max_size=7), max_size=5))
def test_rows_are_rounded_as_defined(vectors: list[list[float]]) -> None:
    found = vec.quantise(b"".join(map(oracle.packed, vectors)), 7)
    assert found == b"".join(map(oracle.row, vectors))


@PROPERTY
@given(spaces())
def test_products_are_exact(space: tuple[list[float], list[tuple[int, bytes]]]) -> None:
    question, rows = space
    kept = [row for _, row in rows]
    for one, row in zip(vec.dots(oracle.packed(question), kept), kept, strict=True):
        assert math.isclose(one, oracle.dot(question, row), rel_tol=1e-12, abs_tol=1e-300)


@PROPERTY
@given(spaces(), st.integers(0, 50), st.none() | st.lists(st.integers(0, 45)))
def test_search_finds_the_best(space: tuple[list[float], list[tuple[int, bytes]]], k: int, shown: list[int] | None) -> None:
    question, rows = space
    piece = vec.Piece.of(rows, len(question))
    mask = None if shown is None else piece.mask_of(shown)
    seen = rows if shown is None else [(unit, row) for unit, row in rows if unit in shown]
    expected = oracle.nearest(question, seen, k)
    assert same(piece.search(oracle.packed(question), k, mask), expected)
    assert mask is None or mask.count == len(seen)
    assert piece.rows() == rows


@pytest.mark.parametrize("dimension", [16, 384, 4096])
def test_the_largest_products_do_not_overflow(dimension: int) -> None:
    row = struct.pack("<f", 1.0) + array("b", [-128] * dimension).tobytes()
    piece = vec.Piece.of([(1, row)] * 5, dimension)
    assert piece.search(oracle.packed([-1.0] * dimension), 1) == [(1, 128.0 * dimension)]


@PROPERTY
@given(banks(), st.lists(st.integers(0, 24), max_size=3), st.lists(st.integers(0, 40)), st.booleans())
def test_a_mask_shows_the_living_that_a_filter_lets_through(units, cuts, named, filtered) -> None:
    ids = [unit.id for unit in units]
    rows = [(ids[place % len(ids)] if place % 5 and ids else place * 7, oracle.row([1.0, place])) for place in named]
    piece = vec.Piece.of(rows, 2)
    with tempfile.TemporaryDirectory() as folder:
        parts = parts_of(units, cuts, Path(folder))
        filter = rank.allow(parts, [ALLOWED]) if filtered else None
        mask = piece.mask(parts, filter)
        shown = {unit.id for unit in units if not unit.dead and (unit.allowed or not filtered)}
        assert mask.count == sum(unit in shown for unit, _ in rows)
        assert {unit for unit, _ in piece.search(oracle.packed([1.0, 1.0]), 100, mask)} == shown & {unit for unit, _ in rows}
        some = piece.mask(parts, filter, [2, 0, 9, 1, 1 << 31])
        assert {unit for unit, _ in piece.search(oracle.packed([1.0, 1.0]), 100, some)} == shown & {
            unit for unit, _ in rows[:3] + rows[9:10]
        }
        other = parts_of(units, cuts[:1], Path(folder))
        with pytest.raises(ValueError, match="other parts"):
            piece.mask(other, rank.allow(parts))


def test_what_makes_no_sense_is_refused() -> None:
    row = oracle.row([1.0, 2.0])
    piece = vec.Piece.of([(1, row)], 2)
    for bad in (math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match="isn't finite"):
            vec.quantise(oracle.packed([0.0, bad]), 2)
        with pytest.raises(ValueError, match="finite"):
            vec.dots(oracle.packed([bad, 0.0]), [row])
        with pytest.raises(ValueError, match="isn't finite"):
            vec.dots(oracle.packed([1.0, 0.0]), [oracle.packed([bad]) + b"\1\2"])
        with pytest.raises(ValueError, match="isn't finite"):
            vec.Piece.of([(1, oracle.packed([bad]) + b"\1\2")], 2)
    for size in (0, 4097, 1 << 40):
        with pytest.raises(ValueError, match="dimensions"):
            vec.quantise(b"", size)
        with pytest.raises(ValueError, match="dimensions"):
            vec.Piece.of([], size)
    for question in (b"", b"abc", oracle.packed([0.0] * 4097)):
        with pytest.raises(ValueError, match="question"):
            piece.search(question, 1)
    with pytest.raises(ValueError, match="whole number"):
        vec.quantise(b"1234567", 1)
    with pytest.raises(ValueError, match="another dimension"):
        vec.dots(oracle.packed([1.0]), [row])
    with pytest.raises(ValueError, match="another dimension"):
        vec.Piece.of([(1, row + b"0")], 2)
    with pytest.raises(ValueError, match="another dimension"):
        piece.search(oracle.packed([1.0]), 1)
    with pytest.raises(ValueError, match="another piece"):
        piece.search(oracle.packed([1.0, 1.0]), 1, vec.Piece.of([], 2).mask_of([]))
    with pytest.raises(ValueError, match="negative"):
        piece.search(oracle.packed([1.0, 1.0]), -1)
    with pytest.raises(OverflowError):
        vec.Piece.of([(-1, row)], 2)
