"""The reference's ranking (`fusion: reference`): SQLite FTS5 and token overlap, fused by reciprocal rank, as the contract's §2 has it.

Kept so that every measurement can show it beside ours. An object holds one bank in memory; the service builds a new one when it changed.
Differences from the reference: statistics are the bank's own, and a word that FTS5 splits is a phrase instead of an error.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from math import log
from unicodedata import category

from memory_wire.kernels.fuse import rrf
from memory_wire.retrieve.pipeline import Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.retrieve.pipeline import Ask, Fetch, Served, Synonyms

BM25_HITS = 50
POOL = 200
OVERLAP_HITS = 200
OVERLAP_WEIGHT = 0.25
RRF_K = 60.0
SYNONYM_PASSES = 3
SHORTEST = 2  # bytes of a word in the BM25 stream
QUERY_WORDS = 512  # of a query or of the synonyms of one weight; FTS5 takes minutes for 25,000


class Document:
    """A row as the ranking sees it."""

    __slots__ = ("created", "id", "session", "tags", "uid", "words")

    def __init__(self, id: int, uid: str, content: str, created: int, tags: list[str], session: bytes | None) -> None:
        self.id, self.uid, self.created, self.tags, self.session = id, uid, created, frozenset(tags), session
        self.words = frozenset(words(content))


class Reference:
    """One bank in memory: `add` its rows in order of writing, then `recall`."""

    def __init__(self) -> None:
        self.base = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self.base.execute("CREATE VIRTUAL TABLE text USING fts5(content, content='', tokenize='unicode61')")
        self.documents: dict[int, Document] = {}
        self.frequency: Counter[str] = Counter()

    def __del__(self) -> None:
        self.base.close()

    def add(self, id: int, uid: str, content: str, created: int, tags: list[str], session: bytes | None) -> None:
        """Takes a row in; ids ascend."""
        self.base.execute("INSERT INTO text(rowid, content) VALUES (?, ?)", (id, content))
        document = self.documents[id] = Document(id, uid, content, created, tags, session)
        self.frequency.update(document.words)

    def recall(self, ask: Ask, synonyms: Synonyms, fetch: Fetch) -> list[Served]:
        """What is served for a question, best first."""
        asked = words(ask.query)[:QUERY_WORDS]
        allowed = [document for document in self.documents.values() if allows(document, ask)]
        best = self.bm25(asked, synonyms, {document.id for document in allowed})
        overlap = self.overlap(asked, best, allowed)
        dropped = frozenset(ask.exclude)
        streams = [[id for id in ranking if not dropped & self.documents[id].tags] for ranking in (best, overlap)]
        ranked = self.fuse(streams)
        walk = Walk(ask, fetch)
        ids = [id for id, _ in ranked]
        walk.take(ids, [score for _, score in ranked], [self.relevance(asked, id) for id in ids])
        if ask.explain:
            for served in walk.served:
                places = [ranking.index(served.unit.id) + 1 if served.unit.id in ranking else None for ranking in streams]
                served.explain = {"fusion": "reference", "bm25_rank": places[0], "overlap_rank": places[1], "score": served.score}
        return walk.served

    def bm25(self, asked: list[str], synonyms: Synonyms, allowed: set[int]) -> list[int]:
        """The first stream: ids by bm25 (smaller is better), the bank's synonyms searched in further passes, one a weight."""
        found = self.match([word for word in asked if len(word.encode()) >= SHORTEST], allowed)
        by_weight: dict[float, list[str]] = {}
        for word in dict.fromkeys(asked):
            terms, weight = synonyms.get(word, ([], 0.0))
            if terms:
                by_weight.setdefault(weight, []).extend(terms)
        if not by_weight:
            return list(found)
        total = Counter(found)
        for weight in sorted(by_weight, reverse=True)[:SYNONYM_PASSES]:
            for id, score in self.match(by_weight[weight], allowed).items():
                total[id] += weight * score  # type: ignore[assignment]
        return sorted(total, key=lambda id: (total[id], id))[:BM25_HITS]

    def match(self, terms: list[str], allowed: set[int]) -> dict[int, float]:
        """bm25 by id of the best rows that hold any of the terms, best first."""
        quoted = " OR ".join('"' + term.replace('"', '""') + '"' for term in terms[:QUERY_WORDS] if term)
        found: dict[int, float] = {}
        if quoted:
            for id, score in self.base.execute("SELECT rowid, bm25(text) FROM text WHERE text MATCH ? ORDER BY 2, 1", (quoted,)):
                if id in allowed:
                    found[id] = score
                    if len(found) == BM25_HITS:
                        break
        return found

    def overlap(self, asked: list[str], best: list[int], allowed: list[Document]) -> list[int]:
        """The second stream: the newest rows and the first stream's, by how many words of the question they hold; older first on ties."""
        pool = sorted({*(document.id for document in allowed[-POOL:]), *best})
        counted = [(sum(word in self.documents[id].words for word in asked), id) for id in pool]
        return [id for count, id in sorted(counted, key=lambda pair: (-pair[0], pair[1])) if count][:OVERLAP_HITS]

    def fuse(self, streams: list[list[int]]) -> list[tuple[int, float]]:
        """(id, score) by reciprocal rank; equal scores by the public id's text."""
        fused = rrf(streams, [1.0, OVERLAP_WEIGHT], RRF_K)
        return sorted(fused, key=lambda pair: (-pair[1], self.documents[pair[0]].uid))

    def relevance(self, asked: list[str], id: int) -> float:
        """idf of the question's words that the row holds over the idf of all of them."""
        total = len(self.documents)
        held = every = 0.0
        for word in set(asked):
            count = self.frequency[word]
            weight = log(1 + (total - count + 0.5) / (count + 0.5))
            every += weight
            held += weight if word in self.documents[id].words else 0.0
        return held / every if every else 0.0


def allows(document: Document, ask: Ask) -> bool:
    """Whether the filters that work before the cut let a row through; exclusion works after it, as in the reference."""
    return (
        (not ask.tags or not document.tags.isdisjoint(ask.tags))
        and (ask.since is None or document.created >= ask.since)
        and (ask.until is None or document.created < ask.until)
        and (ask.session_key is None or document.session == ask.session_key)
    )


def words(text: str) -> list[str]:
    """Runs of alphanumeric characters (vowel signs included), lower case."""
    return "".join([char if char.isalnum() or (char > "\u02ff" and category(char) == "Mc") else " " for char in text.lower()]).split()
