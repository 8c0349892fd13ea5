"""Reciprocal rank fusion: numbers by hand, and the order against a slow reading of the rule."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from memory_wire.retrieve.fuse import Ranked, ranked


def test_numbers_by_hand() -> None:
    assert ranked([7, 8, 9], [8, 5], 4) == [
        Ranked(8, 2, 1, 0.03252),  # 1/62 + 1/61
        Ranked(7, 1, None, 0.01639),  # 1/61
        Ranked(5, None, 2, 0.01613),  # 1/62
        Ranked(9, 3, None, 0.01587),  # 1/63
    ]


def test_first_in_both_is_the_best_there_is() -> None:
    assert ranked([3], [3], 1) == [Ranked(3, 1, 1, round(2 / 61, 5))]


def test_equal_sums_go_by_the_rank_among_vectors() -> None:
    assert [one.id for one in ranked([1, 2], [2, 1], 2)] == [1, 2]
    assert [one.id for one in ranked([9], [4], 2)] == [9, 4]


def test_a_missing_list_has_no_part() -> None:
    assert ranked([], [4, 2], 5) == [Ranked(4, None, 1, 0.01639), Ranked(2, None, 2, 0.01613)]
    assert ranked([], [], 5) == []


IDS = st.lists(st.integers(1, 12), unique=True, max_size=12)


@given(IDS, IDS, st.integers(1, 20))
def test_the_order_is_total(vector: list[int], lexical: list[int], k: int) -> None:
    def key(id: int) -> tuple[Fraction, int, int, int]:
        ranks = [(found.index(id) + 1 if id in found else 0) for found in (vector, lexical)]
        return -sum((Fraction(1, 60 + rank) for rank in ranks if rank), Fraction()), ranks[0] or 999, ranks[1] or 999, id

    assert [one.id for one in ranked(vector, lexical, k)] == sorted({*vector, *lexical}, key=key)[:k]
