"""The reference ranking, written from the contract's §2: FTS5's bm25, token overlap, reciprocal rank fusion."""

from __future__ import annotations

from math import log


def split(text: str) -> list[str]:
    """Lower-case runs of letters and digits."""
    return "".join(char if char.isalnum() else " " for char in text.lower()).split()


def bm25(documents: list[str], query: str) -> list[int]:
    """Places of the best 50 documents that hold a query word of at least two bytes, best first, older first on ties."""
    lists = [split(document) for document in documents]
    asked = [word for word in split(query) if len(word.encode()) >= 2]
    average = sum(map(len, lists)) / len(lists)
    scored = []
    for place, words in enumerate(lists):
        total = 0.0
        for word in asked:
            holding = sum(word in other for other in lists)
            idf = log((len(lists) - holding + 0.5) / (holding + 0.5)) if holding else 0.0
            frequency = words.count(word)
            total += max(idf, 1e-6) * (frequency * 2.2) / (frequency + 1.2 * (1 - 0.75 + 0.75 * len(words) / average))
        if any(word in words for word in asked):
            scored.append((-total, place))
    return [place for _, place in sorted(scored)][:50]


def overlap(documents: list[str], query: str, best: list[int]) -> list[int]:
    """Places by how many query word occurrences the document's set of words holds: among the newest 200 and the first stream's."""
    pool = sorted({*range(max(0, len(documents) - 200), len(documents)), *best})
    counts = {place: sum(word in set(split(documents[place])) for word in split(query)) for place in pool}
    return sorted((place for place in pool if counts[place]), key=lambda place: (-counts[place], place))[:200]


def fused(documents: list[str], ids: list[str], query: str, dropped: frozenset[int] = frozenset()) -> list[tuple[int, float]]:
    """(place, score), best first; excluded places are taken out of both streams before ranks are given."""
    best = bm25(documents, query)
    scores: dict[int, float] = {}
    for weight, ranking in ((1.0, best), (0.25, overlap(documents, query, best))):
        for rank, place in enumerate([place for place in ranking if place not in dropped], 1):
            scores[place] = scores.get(place, 0.0) + weight / (60 + rank)
    return sorted(scores.items(), key=lambda pair: (-pair[1], ids[pair[0]]))
