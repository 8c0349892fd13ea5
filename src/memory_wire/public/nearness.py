"""Which documents are near each other by the vectors of their chunks. Used by graph.py, lint.py and suggest.py."""

from __future__ import annotations

from array import array
from math import sqrt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memory_wire.store.reader import Reader

    Pairs = dict[tuple[int, int], float]

CHUNKS = 8  # of a document that its vector is made of, the first
PAIRED = 400  # documents of which every pair is looked at, at most
SCALE = 4  # bytes of a row before its numbers


def vectors(reader: Reader, view: str, bank: int, documents: list[int]) -> dict[int, bytes]:
    """document -> float32 vector of length 1, the mean of its first chunks; nothing unless every document with chunks has one.

    Of the bank's newest model. A hub that is only partly embedded is judged by words, as one without an embedder.
    """
    wanted: dict[int, list[int]] = {}
    for document, unit in reader.graph.units(view, documents):
        held = wanted.setdefault(document, [])
        if len(held) < CHUNKS:
            held.append(unit)
    rows: dict[int, list[bytes]] = {}
    for unit, row in reader.graph.rows(bank, [unit for units in wanted.values() for unit in units]):
        rows.setdefault(unit, []).append(row)
    found = {}
    for document, units in wanted.items():
        vector = mean([row for unit in units for row in rows.get(unit, ())])
        if vector is None:
            return {}
        found[document] = vector
    return found


def mean(rows: Iterable[bytes]) -> bytes | None:
    """The mean of rows, of length 1; None when there is none."""
    total: list[float] = []
    for row in rows:
        (scale,) = memoryview(row)[:SCALE].cast("f")
        numbers = memoryview(row)[SCALE:].cast("b")
        total = (
            [scale * number for number in numbers]
            if not total
            else [sum + scale * number for sum, number in zip(total, numbers, strict=True)]
        )
    length = sqrt(sum(value * value for value in total))
    return array("f", [value / length for value in total]).tobytes() if length else None


def near(vectors: Mapping[int, bytes], distance: float, neighbours: int) -> Pairs:
    """(document, document, the smaller first) -> 1 - distance, of pairs nearer than that; of each document the nearest ones."""
    from memory_wire.kernels import vec

    documents = sorted(vectors)
    if not documents:
        return {}
    size = len(vectors[documents[0]])
    whole = vec.quantise(b"".join(vectors[document] for document in documents), size // 4)
    width = len(whole) // len(documents)
    rows = [whole[at : at + width] for at in range(0, len(whole), width)]
    found: Pairs = {}
    for at, one in enumerate(documents):
        for other, product in zip(documents[at + 1 :], vec.dots(vectors[one], rows[at + 1 :]), strict=True):
            if 1.0 - product < distance:
                found[one, other] = round(min(product, 1.0), 3)
    return nearest(found, neighbours)


def nearest(pairs: Pairs, neighbours: int) -> Pairs:
    """The pairs that are among the heaviest of either end; equal ones by the lower document."""
    by_end: dict[int, list[tuple[float, int, tuple[int, int]]]] = {}
    for pair, weight in pairs.items():
        by_end.setdefault(pair[0], []).append((-weight, pair[1], pair))
        by_end.setdefault(pair[1], []).append((-weight, pair[0], pair))
    return {pair: pairs[pair] for ends in by_end.values() for _, _, pair in sorted(ends)[:neighbours]}
