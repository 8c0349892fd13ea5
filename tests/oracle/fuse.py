"""Slow, plain versions of kernels/fuse: the reference its tests compare with."""

from __future__ import annotations


def best_first(scores: dict[int, float]) -> list[tuple[int, float]]:
    return sorted(scores.items(), key=lambda row: (-row[1], row[0]))


def rrf(rankings: list[list[int]], weights: list[float], k: float = 60.0) -> list[tuple[int, float]]:
    scores: dict[int, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for ident in dict.fromkeys(ranking):
            scores[ident] = scores.get(ident, 0.0) + weight / (k + ranking.index(ident) + 1)
    return best_first(scores)


def minmax(scores: list[float]) -> list[float]:
    if not scores:
        return []
    least, greatest = min(scores), max(scores)
    if least == greatest:
        return [1.0] * len(scores)
    return [(score - least) / (greatest - least) for score in scores]


def convex(first: list[tuple[int, float]], second: list[tuple[int, float]], weight: float) -> list[tuple[int, float]]:
    scores: dict[int, float] = {}
    for rows, share in ((first, 1.0), (second, weight)):
        scaled = minmax([score for _, score in rows])
        seen: set[int] = set()
        for (ident, _), value in zip(rows, scaled, strict=True):
            if ident not in seen:
                scores[ident] = scores.get(ident, 0.0) + share * value
                seen.add(ident)
    return best_first(scores)


def overlap(query: list[bytes], documents: list[list[bytes]]) -> list[int]:
    return [sum(token in set(document) for token in query) for document in documents]
