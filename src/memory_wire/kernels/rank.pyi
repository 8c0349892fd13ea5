"""Ranking: one walk over the postings of a snapshot, rescoring of the best from the forward index; filters; vocabulary match."""

from __future__ import annotations

from memory_wire.kernels.postings import Parts

MAX_SLOTS: int
MAX_ALTERNATES: int
MAX_PAIRS: int

Slot = tuple[bytes, int, float, bytes | None, list[tuple[bytes, float, float]]]
Row = tuple[int, float, float, float, float, float, float, float, int, float, float, float, float, float, int]

class Query:
    """An analysed query, unchangeable; may be used by several threads and with any snapshot."""

    words: tuple[str, ...]
    """The slots' words as retrieve/analyse.py gave them."""
    truncated: tuple[str, ...]
    """Words it left out because there were too many."""
    terms: tuple[bytes, ...]
    """The slots' terms."""
    alternates: list[list[tuple[bytes, float]]]
    """Per slot the terms searched for it, with their weights."""
    def __init__(
        self, slots: list[Slot], pairs: list[tuple[int, int]], words: tuple[str, ...] = (), truncated: tuple[str, ...] = ()
    ) -> None:
        """slots: (term, occurrences in the query, prior frequency, date key or None, alternates [(term, weight, prior frequency)]).

        A word that is searched for itself has itself as an alternate of weight 1; a word without alternates searches no text. pairs:
        distinct (slot, slot) whose words are adjacent. Raises ValueError over MAX_SLOTS, MAX_ALTERNATES or MAX_PAIRS, for an empty or too
        long key and for a weight that is not positive.
        """

class Filter:
    """Which units of one snapshot a search may return. Others still count in statistics and vouch for neighbours and session."""

    count: int
    """Live units let through."""

def allow(
    parts: Parts,
    any_keys: list[bytes] = [],
    not_keys: list[bytes] = [],
    since_s: int | None = None,
    until_s: int | None = None,
    session: int | None = None,
) -> Filter:
    """Units with at least one of any_keys (field keys such as b"\\x02tag"; none: all units), none of not_keys, this session number and a
    time within [since_s, until_s] (seconds since 1970, both inclusive). Raises ValueError for a key that is no field key, Corrupt."""

class Hits:
    """Ranked units, best first."""

    postings: int
    """Postings decoded for the query."""
    df: list[int]
    """Per slot: live passages that hold its own term."""
    idf: list[float]
    """Per slot: idf of its own term among groups, what relevance weighs by."""
    def __len__(self) -> int: ...
    def ids(self) -> list[int]: ...
    def scores(self) -> list[float]: ...
    def relevance(self) -> list[float]:
        """Share (0 to 1) of the query's idf, unknown words included, that the best passage or the unit's date matches."""
    def best(self) -> list[int]:
        """Number of each unit's best passage."""
    def row(self, index: int) -> Row:
        """(id, score, own, date, group, previous, next, speaker, best, passage, coverage, bigram, relevance, selection, matched).

        score is the sum of own to speaker; best the best passage's number, passage its BM25, coverage the share of slots in it, bigram its
        weighted pair score; selection what the candidate was chosen by; matched a bit per slot found. Raises IndexError.
        """

def search(parts: Parts, query: Query, k: int, filter: Filter | None = None, candidates: int = 100, role: bool = False) -> Hits:
    """The k best units: at most `candidates` by selection score and their neighbours in session, rescored; score descending, then the
    higher id. role: user messages count 1.2 times. Raises ValueError for a filter of other parts, Corrupt, MemoryError."""

def known(parts: Parts, keys: list[bytes]) -> list[int]:
    """Per key the number of live passages (units for field keys) that hold it. Raises Corrupt."""

def present(parts: Parts, keys: list[bytes]) -> list[bool]:
    """Per key whether known() would be above 0; stops at the first live posting. Raises Corrupt."""

def fuzzy(parts: Parts, word: bytes, limit: int = 3, least: float = 0.45) -> list[tuple[bytes, float]]:
    """The best terms of the vocabulary, with their Dice similarity to the word over character trigrams (at least `least`), best first,
    then by bytes. A snapshot remembers some answers: the same names are asked for again and again. Raises Corrupt."""

def trim() -> None:
    """Give the accumulators kept between searches back to the system."""

def kept() -> int:
    """Bytes of accumulators kept between searches."""
