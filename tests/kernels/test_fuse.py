"""kernels/fuse against tests/oracle/fuse.py, and the figures the contract prints."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.kernels import fuse
from tests.oracle import fuse as oracle

IDS = st.integers(min_value=-(2**63), max_value=2**63 - 1) | st.integers(min_value=0, max_value=12)
SCORES = st.floats(min_value=-1e9, max_value=1e9, allow_nan=False) | st.sampled_from([0.0, 1.0, 2.0])
WEIGHTS = st.floats(min_value=-4, max_value=4, allow_nan=False)
ROWS = st.lists(st.tuples(IDS, SCORES), max_size=30)
WORDS = st.lists(st.binary(max_size=3) | st.sampled_from([b"a", b"b", b"cafe"]), max_size=40)


@given(st.lists(st.tuples(st.lists(IDS, max_size=20), WEIGHTS), max_size=5), st.floats(min_value=0, max_value=100))
def test_rrf_equals_the_plain_sum(lists, k):
    rankings, weights = [ranking for ranking, _ in lists], [weight for _, weight in lists]
    assert fuse.rrf(rankings, weights, k) == oracle.rrf(rankings, weights, k)


def test_rrf_gives_the_contracts_digits():
    assert fuse.rrf([[7], [7]], [1.0, 0.25]) == [(7, 1.0 / 61 + 0.25 / 61)]
    assert fuse.rrf([[7], [7]], [1.0, 0.25])[0][1] == pytest.approx(1.25 / 61, abs=1e-17)
    assert fuse.rrf([[3, 1], [1]], [1.0, 0.25]) == [(1, 1.0 / 62 + 0.25 / 61), (3, 1.0 / 61)]
    assert fuse.rrf([[9], [4]], [1.0, 1.0]) == [(4, 1.0 / 61), (9, 1.0 / 61)]
    assert fuse.rrf([[5, 6, 5]], [1.0]) == [(5, 1.0 / 61), (6, 1.0 / 62)]
    assert fuse.rrf([], []) == []


@given(st.lists(SCORES, max_size=40))
def test_minmax_equals_the_plain_scaling(scores):
    assert fuse.minmax(scores) == oracle.minmax(scores)


def test_minmax_survives_a_span_beyond_the_largest_float():
    assert fuse.minmax([-1.7e308, 0.0, 1.7e308]) == [0.0, 0.5, 1.0]
    assert fuse.minmax([3.0]) == [1.0]


@given(ROWS, ROWS, WEIGHTS)
def test_convex_equals_the_plain_sum(first, second, weight):
    assert fuse.convex(first, second, weight) == oracle.convex(first, second, weight)


def test_convex_leaves_its_arguments_alone():
    first, second = [(1, 4.0), (2, 2.0)], [(2, 9.0), (3, 8.0)]
    assert fuse.convex(first, second, 0.5) == [(1, 1.0), (2, 0.5), (3, 0.0)]
    assert (first, second) == ([(1, 4.0), (2, 2.0)], [(2, 9.0), (3, 8.0)])


@given(WORDS, st.lists(WORDS, max_size=4))
def test_overlap_counts_query_occurrences_in_the_documents_word_set(query, documents):
    assert fuse.overlap(query, documents) == oracle.overlap(query, documents)


def test_overlap_counts_repeats_of_the_query_not_of_the_document():
    assert fuse.overlap([b"to", b"be", b"to", b"x"], [[b"to", b"to", b"be"], [], [b"y"]]) == [3, 0, 0]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_refused(bad):
    with pytest.raises(ValueError, match="finite"):
        fuse.rrf([[1]], [bad])
    with pytest.raises(ValueError, match="finite"):
        fuse.rrf([[1]], [1.0], bad)
    with pytest.raises(ValueError, match="finite"):
        fuse.minmax([1.0, bad])
    with pytest.raises(ValueError, match="finite"):
        fuse.convex([(1, bad)], [], 1.0)
    with pytest.raises(ValueError, match="finite"):
        fuse.convex([(1, 1.0)], [], bad)


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="one weight per ranking"):
        fuse.rrf([[1]], [])
    with pytest.raises(ValueError, match="finite"):
        fuse.rrf([[1]], [1.0], -1.0)
    with pytest.raises(TypeError):
        fuse.overlap(["text"], [])
    with pytest.raises(TypeError):
        fuse.overlap([b"a"], [["text"]])
    with pytest.raises(OverflowError):
        fuse.rrf([[2**63]], [1.0])
