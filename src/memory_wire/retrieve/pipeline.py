"""From a question to the served hits of one bank: analyse, rank what the filters allow, fetch rows in rank order, trim to the budget.

Called by the service inside one read transaction; `fetch` reads rows by unit id from it. Knows neither store nor request types.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire.config import CANDIDATES, RESULTS
from memory_wire.kernels import rank
from memory_wire.retrieve import analyse, filters
from memory_wire.retrieve.trim import Trim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Protocol

    from memory_wire.kernels.postings import Parts

    class Row(Protocol):
        """A stored unit, as far as the pipeline looks at it."""

        id: int
        uid: bytes
        content: str
        created: int
        tags: list[str]
        session: str | None

    Fetch = Callable[[Sequence[int]], Mapping[int, Row]]
    Synonyms = dict[str, tuple[list[str], float]]

NEIGHBOURS = 3  # a candidate brings its previous and next in session along
WIDEN = 8
WIDEST = 1 << 20
FIRST_FETCH = 32  # rows read at first when many results are wanted: budgets may end long before


class Ask(Struct, kw_only=True):
    """What is asked. Dates in milliseconds, `since` inclusive, `until` exclusive; `tags` normalised, `*_tags` their keys in the index.

    `truncated` is told by the walk: the budget left something out. `heard`, when there is one, gets the terms that are searched, synonyms
    among them; near spellings with the word of the query that they are near to, others with "".
    """

    query: str
    budget: int | None
    k: int = RESULTS
    tags: list[str] = []
    exclude: list[str] = []
    any_tags: list[bytes] = []
    not_tags: list[bytes] = []
    since: int | None = None
    until: int | None = None
    session: int | None = None
    session_key: bytes | None = None
    floor: float | None = None
    explain: bool = False
    widest: int = WIDEST
    truncated: bool = False
    heard: dict[bytes, str] | None = None


class Served(Struct):
    """A hit as served: `content` may be cut."""

    unit: Row
    content: str
    score: float
    relevance: float
    explain: dict[str, object] | None = None


def recall(parts: Parts, ask: Ask, language: int, synonyms: Synonyms, fetch: Fetch) -> list[Served]:
    """What is served for a question, best first."""
    query = analyse.query(ask.query, language, synonyms, parts)
    if ask.heard is not None:
        for own, word, alternates in zip(query.terms, query.words, query.alternates, strict=True):
            searched = dict(alternates)
            ask.heard.update(dict.fromkeys(searched, "" if own in searched else word))
    allowed = filters.build(parts, ask)
    candidates = CANDIDATES
    while True:
        hits = rank.search(parts, query, NEIGHBOURS * candidates, allowed, candidates, role=True)
        ids, scores, relevance = hits.ids(), hits.scores(), hits.relevance()
        walk = Walk(ask, fetch)
        walk.take(ids, scores, relevance)
        # Rows that were ranked but may not be served (beyond a bound within its second, deleted meanwhile) must not starve the others.
        if walk.full or not walk.refused or len(ids) < candidates or candidates >= ask.widest:
            break
        candidates *= WIDEN
    if ask.explain:
        from memory_wire.retrieve import explain

        for served, place in zip(walk.served, walk.places, strict=True):
            served.explain = explain.row(query, hits, place, served.unit.content, language)
    return walk.served


def idle() -> None:
    """Gives the accumulators kept between calls back."""
    rank.trim()


class Walk:
    """Walks a ranking: leaves out what may not be served, trims to the budget, stops at k."""

    __slots__ = ("ask", "fetch", "full", "places", "refused", "served", "trim")

    def __init__(self, ask: Ask, fetch: Fetch) -> None:
        self.ask, self.fetch = ask, fetch
        self.served: list[Served] = []
        self.places: list[int] = []
        self.refused = 0
        self.full = ask.truncated = False
        self.trim = Trim(0 if ask.budget is None else ask.budget)

    def take(self, ids: list[int], scores: list[float], relevance: list[float]) -> None:
        """Serves from a ranking until k or the budget is reached; rows are read a slice at a time."""
        ask, trim, served = self.ask, self.trim, self.served
        floor, k, first, last = ask.floor, ask.k, ask.since, ask.until
        at, step = 0, min(k, FIRST_FETCH)
        while at < len(ids):
            units = self.fetch(ids[at : at + step])
            for place in range(at, min(at + step, len(ids))):
                if floor is not None and relevance[place] < floor:
                    continue
                unit = units.get(ids[place])
                # To the millisecond: the index knows seconds.
                if unit is None or (first is not None and unit.created < first) or (last is not None and unit.created >= last):
                    self.refused += 1
                    continue
                content = trim.take(unit.content)
                if content is not unit.content:
                    ask.truncated = True
                if content is not None:
                    served.append(Served(unit, content, scores[place], relevance[place]))
                    self.places.append(place)
                if trim.room <= 0 or len(served) >= k:
                    self.full = True
                    ask.truncated = ask.truncated or (len(served) < k and place + 1 < len(ids))
                    return
            at += step
            step = k - len(served)
