"""What words found and what vectors say as one order, by score or by rank. Used by second.py.

`convex`: each side from 0 to 1 within the candidates, then a weighted sum. `rrf`: reciprocal ranks (Cormack, Clarke and Buettcher 2009).
`dense`: by vectors alone. A candidate that one side doesn't know gets nothing for it.
"""

from __future__ import annotations

from msgspec import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.retrieve.pipeline import Served

RRF_K = 60
WEIGHTS = {
    "convex": 0.3,
    "rrf": 1.0,
    "dense": 1.0,
}  # of vectors beside words, where a bank names none; measured: .1 to .5 do about the same
DIGITS = 5  # of a sum of reciprocal ranks


class Ranks(Struct):
    """Where a hit stands by words and by vectors alone, from 1; None where that side doesn't know it."""

    lexical: int | None = None
    vector: int | None = None


def fused(
    how: str, weight: float, served: list[Served], lexical: dict[int, int], similar: dict[int, float]
) -> tuple[list[Served], dict[int, Ranks]]:
    """(the candidates in their new order, each with its new score, their ranks). `lexical`: ranks by words; `similar`: cosines."""
    by_vector = sorted(similar, key=lambda id: (-similar[id], -id))
    vector = {id: place for place, id in enumerate(by_vector, 1)}
    ranks = {one.unit.id: Ranks(lexical.get(one.unit.id), vector.get(one.unit.id)) for one in served}
    for one in served:
        told(one, ranks[one.unit.id], similar)
    if how == "rrf":
        scores = {id: reciprocal(one.lexical) + weight * reciprocal(one.vector) for id, one in ranks.items()}
        served = sorted(served, key=lambda one: (-scores[one.unit.id], *places(ranks[one.unit.id]), one.unit.id))
        for one in served:
            one.score = round(scores[one.unit.id], DIGITS)
        return served, ranks
    if how == "dense":
        for one in served:
            one.score = similar.get(one.unit.id, -1.0)
    else:
        convex(weight, served, lexical, similar)
    return sorted(served, key=lambda one: -one.score), ranks


def convex(weight: float, served: list[Served], lexical: dict[int, int], similar: dict[int, float]) -> None:
    sides: list[dict[int, float]] = []
    for scores in ({one.unit.id: one.score for one in served if one.unit.id in lexical}, similar):
        sides.append(dict(zip(scores, scaled(list(scores.values())), strict=True)))
    for one in served:
        one.score = sides[0].get(one.unit.id, 0.0) + weight * sides[1].get(one.unit.id, 0.0)


def reciprocal(rank: int | None) -> float:
    return 1 / (RRF_K + rank) if rank else 0.0


def places(ranks: Ranks) -> tuple[float, float]:
    """By vectors, then by words; nowhere comes last."""
    last = float("inf")
    return ranks.vector or last, ranks.lexical or last


def scaled(values: list[float]) -> list[float]:
    """The values from 0 to 1 within themselves; all 0 where they are equal."""
    least, most = min(values, default=0.0), max(values, default=0.0)
    return [(value - least) / (most - least) for value in values] if most > least else [0.0] * len(values)


def told(one: Served, ranks: Ranks, similar: dict[int, float]) -> None:
    """Adds to an explanation what each side said, before the sum replaces the score."""
    if one.explain is not None:
        one.explain["lexical_rank"], one.explain["vector_rank"] = ranks.lexical, ranks.vector
        one.explain["lexical_score"] = one.score if ranks.lexical else None
        one.explain["vector_score"] = round(similar[one.unit.id], DIGITS) if one.unit.id in similar else None
