"""Retrieval metrics over ranked ids with binary relevance; percent, averaged over questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log2

HEADS = ("R@1", "R@5", "R@10", "R@20", "N@10", "MRR")


def score(ranked: Sequence[str], gold: set[str]) -> tuple[float, ...]:
    """recall-any@1, 5, 10, 20, NDCG@10 (ideal over min(|gold|, 10)) and reciprocal rank of the first gold id."""
    ranks = [rank for rank, found in enumerate(ranked, 1) if found in gold]
    first = ranks[0] if ranks else 0
    recalls = tuple(float(0 < first <= k) for k in (1, 5, 10, 20))
    gained = sum(1 / log2(rank + 1) for rank in ranks if rank <= 10)
    ideal = sum(1 / log2(rank + 1) for rank in range(1, min(len(gold), 10) + 1))
    return (*recalls, gained / ideal if ideal else 0.0, 1 / first if first else 0.0)


def mean(scores: Iterable[tuple[float, ...]]) -> tuple[float, ...]:
    """Column means in percent."""
    rows = list(scores)
    return tuple(100 * sum(column) / len(rows) for column in zip(*rows, strict=True)) if rows else (0.0,) * len(HEADS)
