"""Why a hit is where it is, in words and numbers (`explain: true`). Off the fast path; loaded when asked for."""

from __future__ import annotations

import struct

from memory_wire.config import QUERY_TERMS
from memory_wire.kernels.text import analyse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.kernels.rank import Hits, Query

PASSAGE = struct.Struct("<IIHH")


def row(query: Query, hits: Hits, place: int, content: str, language: int) -> dict[str, object]:
    """One hit's place: the parts that add up to its score, the words it matched, its best passage.

    `words`, `df` (passages of the bank that hold the word) and `idf` are the query's and the same for every hit; `dropped` are the first of
    the `n_dropped` words beyond the limit of a query. Offsets are characters of the whole memory, not of what the budget left of it.
    """
    _, score, own, date, group, before, after, speaker, best, passage, coverage, bigram, relevance, selection, matched = hits.row(place)
    start, end = span(content, language, best)
    return {
        "score": score,
        "parts": {"own": own, "date": date, "session": group, "previous": before, "next": after, "speaker": speaker},
        "relevance": relevance,
        "selection": selection,
        "matched": [word for bit, word in enumerate(query.words) if matched >> bit & 1],
        "passage": {
            "number": best,
            "start": start,
            "end": end,
            "text": content[start:end],
            "bm25": passage,
            "coverage": coverage,
            "bigrams": bigram,
        },
        "query": {
            "words": list(query.words),
            "df": hits.df,
            "idf": hits.idf,
            "dropped": list(query.truncated[:QUERY_TERMS]),
            "n_dropped": len(query.truncated),
            "postings": hits.postings,
        },
    }


def span(content: str, language: int, passage: int) -> tuple[int, int]:
    """Where a passage starts and ends in its text."""
    packed = analyse(content, language)
    at = 4
    for _ in range(passage):
        tokens = PASSAGE.unpack_from(packed, at)[2]
        at += PASSAGE.size
        for _ in range(tokens):
            at += 1 + packed[at]
    start, end, _, _ = PASSAGE.unpack_from(packed, at)
    return start, end
