"""Fusion of ranked lists and token overlap. Ids are signed 64-bit integers; lists come back best first, equal scores by ascending id."""

def rrf(rankings: list[list[int]], weights: list[float], k: float = 60.0) -> list[tuple[int, float]]:
    """Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009): the sum of weight / (k + rank) over the rankings, ranks from 1.

    An id repeated within a ranking counts once, at its best rank. Raises ValueError for a weight or k that is not finite, a negative k,
    or another number of weights than rankings.
    """

def minmax(scores: list[float]) -> list[float]:
    """The scores scaled to 0..1; all 1.0 where they are all equal. Raises ValueError for a score that is not finite."""

def convex(first: list[tuple[int, float]], second: list[tuple[int, float]], weight: float) -> list[tuple[int, float]]:
    """minmax(first) + weight * minmax(second), joined by id; an id missing from a list gets nothing for it.

    Raises ValueError for a score or weight that is not finite.
    """

def overlap(query: list[bytes], documents: list[list[bytes]]) -> list[int]:
    """Per document, how many word occurrences of the query (repeats counted) are in the document's set of words."""
