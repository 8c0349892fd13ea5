"""A second look at what a bank's ranking found first: by the meaning of its embedder's vectors, then by a reranker.

Both are asked outside any transaction; what fails or comes too late leaves the order as it was, and the answer says `degraded`. Loaded by
banks with a `fusion` that takes vectors, or a reranker, only. Where words found little, vectors bring candidates of their own.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire.errors import MemoryWireError
from memory_wire.kernels.vec import dots
from memory_wire.retrieve import embed, filters
from memory_wire.retrieve.pipeline import Served
from memory_wire.retrieve.trim import Trim
from memory_wire.service import embedding, models, near, spaces
from memory_wire.service.fusing import WEIGHTS, Ranks, fused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from memory_wire import types as t
    from memory_wire.retrieve.embed import Model
    from memory_wire.retrieve.pipeline import Ask
    from memory_wire.service.doubts import Doubts
    from memory_wire.service.recalls import Keep, Recalls
    from memory_wire.service.service import Service
    from memory_wire.service.settings import Settings
    from memory_wire.store.embeddings import Space
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank

    T = TypeVar("T")
    K = TypeVar("K", bound=Keep)

CANDIDATES = 100
RANKED = 4  # times the results wanted that each side gives to a fusion by ranks
ANY_BUDGET = 1 << 32
THIN = 0.2  # relevance of the best hit by words below which vectors bring candidates of their own; no question of LoCoMo has less (.216)
BROUGHT, THIN_WEIGHT = 10, 1.0  # so many then, and they count at least so much


class Second(Struct):
    """What a second look goes by: a question's vector in a space, what a reranker said of units. `ranks` are of what was looked at last."""

    embedder: Model | None
    reranker: Model | None
    fusion: str
    weight: float
    bank: int = 0
    leads: dict[str, list[int]] = {}
    seconds: float | None = None  # for the question's vector, where who asks has a limit of its own
    space: bytes = b""
    vector: bytes = b""
    said: dict[int, float] = {}
    ranks: dict[int, Ranks] = {}
    degraded: bool = False

    @property
    def retrieval(self) -> str:
        """What the answer was found by, as a search says it."""
        return "lexical" if not self.vector or self.degraded else "vector" if self.fusion == "dense" else f"hybrid_{self.fusion}"


def plan(settings: Settings) -> Second | None:
    """Whether a bank's results are looked at again, and by what."""
    embedder = models.of(settings, "embedder") if settings.fusion in WEIGHTS else None
    reranker = models.of(settings, "reranker")
    weight = WEIGHTS.get(settings.fusion, 0.0) if settings.weight is None else settings.weight
    return Second(embedder, reranker, settings.fusion, weight) if embedder is not None or reranker is not None else None


def hits(
    recalls: Recalls, second: Second, ask: Ask, begin: Callable[[Reader], tuple[Bank, Doubts] | None]
) -> tuple[list[t.Hit], str | None, bool]:
    """(what a recall answers, how far a rebuild of the index is or None, whether a model failed)."""
    k, budget = ask.k, ask.budget
    ask.budget = ANY_BUDGET

    def finish(reader: Reader, bank: Bank, keep: Doubts, served: list[Served]) -> list[t.Hit]:
        room = recalls.service.settings_of(bank, reader).budget if budget is None else budget
        return trimmed(keep.hits(served), ask, room, k)

    found, index = look(recalls, second, ask, begin, finish)
    return found or [], index, second.degraded


def look(
    recalls: Recalls,
    second: Second,
    ask: Ask,
    begin: Callable[[Reader], tuple[Bank, K] | None],
    finish: Callable[[Reader, Bank, K, list[Served]], T],
) -> tuple[T | None, str | None]:
    """(what `finish` makes of the results in their last order, or None where `begin` finds nothing; how far a rebuild of the index is)."""
    service = recalls.service
    ask.k = RANKED * ask.k if second.fusion == "rrf" else max(CANDIDATES, ask.k)
    question(service, second, ask.query, ask.k)
    if second.reranker is not None:
        with service.read() as reader:
            found = begin(reader)
            first = [] if found is None else ordered(recalls, reader, found[0], found[1], second, ask)[0]
        rerank(service, second, second.reranker, ask.query, first)
    with service.read() as reader:
        found = begin(reader)
        if found is None:
            return None, None
        bank, keep = found
        served, index = ordered(recalls, reader, bank, keep, second, ask)
        return finish(reader, bank, keep, served), index


def question(service: Service, second: Second, query: str, k: int = 0) -> None:
    """The question's vector, and where of a large bank the nearest `k` are; without one the look is left out."""
    if second.embedder is None:
        return
    try:
        found = near.asked(service, second.embedder, query, second.seconds)
    except MemoryWireError:
        second.degraded = True
        return
    second.space, second.vector = found.space, found.vector
    second.leads = spaces.of(service).leads(second.bank, found.space, found.vector, BROUGHT if second.fusion == "convex" else k)


def rerank(service: Service, second: Second, model: Model, query: str, served: list[Served]) -> None:
    """Has the first results scored by the reranker, within its time."""
    scores = judged(service, model, query, [one.unit.content for one in served])
    if scores is None:
        second.degraded = True
        return
    second.said = {one.unit.id: score for one, score in zip(served, scores, strict=False)}


def judged(service: Service, model: Model, query: str, texts: list[str]) -> list[float] | None:
    """The reranker's scores of the first texts, as many as it looks at; None when it failed."""
    first = [text[: embedding.CHARS] for text in texts[: model.top]]
    if not first:
        return []
    payload: dict[str, object] = {"query": query, "texts": first}
    try:
        scores = models.ask(service, "rerank", model, payload, model.seconds or embed.RERANK_SECONDS)["scores"]
    except MemoryWireError:
        return None
    assert isinstance(scores, list) and len(scores) == len(first)
    return [float(score) for score in scores]


def ordered(recalls: Recalls, reader: Reader, bank: Bank, keep: Keep, second: Second, ask: Ask) -> tuple[list[Served], str | None]:
    """(the candidates in their new order, how far a rebuild of the index is or None)."""
    space = reader.embeddings.space(bank, second.space) if second.vector else None
    second.degraded = second.degraded or (space is None and second.embedder is not None)
    served, index = recalls.found(reader, bank, ask, keep)
    if space is not None:
        weight = second.weight
        lexical = {one.unit.id: place for place, one in enumerate(served, 1)}
        new = brought(recalls, reader, bank, keep, second, ask, space, served) if asked(second, ask, served) else None
        if new is not None:
            weight = max(weight, THIN_WEIGHT) if second.fusion == "convex" else weight
            served = new if second.fusion == "dense" else served + [one for one in new if one.unit.id not in lexical]
        looked_at = new if new is not None and second.fusion == "rrf" else served
        similar = likeness(reader, space, second.vector, [one.unit.id for one in looked_at])
        served, second.ranks = fused(second.fusion, weight, served, lexical, similar)
    else:
        second.ranks = {one.unit.id: Ranks(place) for place, one in enumerate(served, 1)}
    if second.said:
        said = second.said
        for one in served:
            if one.unit.id in said and one.explain is not None:
                one.explain["rerank_score"] = said[one.unit.id]
        served = sorted(served, key=lambda one: -said.get(one.unit.id, float("-inf")))
    return served, index


def again(reader: Reader, bank: Bank, second: Second, served: list[Served]) -> tuple[list[Served], dict[int, Ranks]]:
    """(what words found and let through, in the order of both, its ranks within itself); as it was, without ranks, where a model failed."""
    space = reader.embeddings.space(bank, second.space) if second.vector else None
    if space is None:
        return served, {}
    lexical = {one.unit.id: place for place, one in enumerate(served, 1)}
    similar = likeness(reader, space, second.vector, list(lexical))
    return fused(second.fusion, second.weight, served, lexical, similar)


def asked(second: Second, ask: Ask, served: list[Served]) -> bool:
    """Whether vectors bring candidates of their own: by a fusion of ranks, or where words found little. `min_score` is about words."""
    return ask.floor is None and (second.fusion != "convex" or thin(served))


def thin(served: list[Served]) -> bool:
    """Whether words found little."""
    return max((one.relevance for one in served), default=0.0) < THIN


def brought(
    recalls: Recalls, reader: Reader, bank: Bank, keep: Keep, second: Second, ask: Ask, space: Space, served: list[Served]
) -> list[Served] | None:
    """The nearest that may be served, best first, those that words found as they are; None while vectors are still being read."""
    service = recalls.service
    language = service.settings_of(bank, reader).language
    parts = service.index.open(bank, language).snapshot(service.index.rows(reader, bank, language))
    allowed, shown = filters.build(parts, ask), {one.unit.id: one for one in served}

    def serve(ids: list[int]) -> list[int]:
        new = reader.found(bank, [id for id in ids if id not in shown])
        for id, unit in keep({id: unit for id, unit in new.items() if within(ask, unit.created)}).items():
            shown[id] = Served(unit, unit.content, 0.0, 0.0, {} if ask.explain else None)
        return [id for id in ids if id in shown]

    k = BROUGHT if second.fusion == "convex" else ask.k
    found = near.search(
        service, reader, bank, space, second.vector, k, lambda piece, rows: piece.mask(parts, allowed, rows), serve, second.leads
    )
    if found is None:
        second.degraded = True
        return None
    return [shown[id] for id, _ in found]


def within(ask: Ask, created: int) -> bool:
    """To the millisecond: the index knows seconds."""
    return (ask.since is None or created >= ask.since) and (ask.until is None or created < ask.until)


def likeness(reader: Reader, space: Space, question: bytes, units: list[int]) -> dict[int, float]:
    """Cosine of the question and the best passage of each unit that has vectors."""
    rows = reader.embeddings.rows(space, units)
    found: dict[int, float] = {}
    for row, score in zip(rows, dots(question, [row.row for row in rows]), strict=True):
        found[row.unit] = max(found.get(row.unit, -1.0), score)
    return found


def trimmed(found: list[t.Hit], ask: Ask, budget: int, k: int) -> list[t.Hit]:
    """What fits the budget, at most k of them."""
    trim, kept = Trim(budget), []
    ask.truncated = False
    for place, hit in enumerate(found):
        content = trim.take(hit.content)
        if content is not hit.content:
            ask.truncated = True
        if content is not None:
            hit.content = content
            kept.append(hit)
        if trim.room <= 0 or len(kept) >= k:
            ask.truncated = ask.truncated or (len(kept) < k and place + 1 < len(found))
            break
    return kept
