"""Two rankings put together by rank alone: reciprocal rank fusion (Cormack, Clarke and Büttcher 2009, k = 60). Pure.

Used where scores of the lists can't be compared, as those of words and of vectors in a hub's recall.
"""

from __future__ import annotations

from msgspec import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

K = 60
LAST = 1 << 62  # the rank of what is not in a list


class Ranked(Struct):
    """What was found, by id: its rank from 1 in each list or None, and its score, the sum of 1 / (60 + rank) to 5 decimals."""

    id: int
    vector_rank: int | None
    lexical_rank: int | None
    score: float


def ranked(vector: Sequence[int], lexical: Sequence[int], k: int) -> list[Ranked]:
    """The k best of two lists of ids, each best first and without repeats.

    A total order: exact sum descending, then rank among vectors, rank among words (what is in no list comes last), then the lower id.
    """
    by_vector = {id: rank for rank, id in enumerate(vector, 1)}
    by_words = {id: rank for rank, id in enumerate(lexical, 1)}
    found = []
    for id in {**by_vector, **by_words}:
        first, second = by_vector.get(id), by_words.get(id)
        # The sum as a fraction a/b: floats of equal sums may differ by their last bit.
        a, b = 0, 1
        for rank in (first, second):
            if rank is not None:
                a, b = a * (K + rank) + b, b * (K + rank)
        found.append((a, b, first, second, id))
    found.sort(key=lambda one: (-one[0] / one[1], one[2] or LAST, one[3] or LAST, one[4]))
    return [Ranked(id, first, second, round(a / b, 5)) for a, b, first, second, id in found[:k]]
