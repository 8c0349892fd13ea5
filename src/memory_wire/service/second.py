"""A second look at what a bank's ranking found first: by the meaning of its embedder's vectors, then by a reranker.

Both are asked outside any transaction; what fails or comes too late leaves the order as it was, and the answer says `degraded`. Loaded by
banks with `fusion: convex` or a reranker only. The sum is that of retrieval by score: each side from 0 to 1 within the candidates.
"""

from __future__ import annotations

from operator import mul
from struct import unpack, unpack_from

from msgspec import Struct

from memory_wire.errors import MemoryWireError, OutsideFailed
from memory_wire.retrieve import embed
from memory_wire.retrieve.pipeline import Served
from memory_wire.retrieve.trim import Trim
from memory_wire.service import embedding, models
from memory_wire.service.doubts import Doubts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire import types as t
    from memory_wire.retrieve.embed import Model
    from memory_wire.retrieve.pipeline import Ask
    from memory_wire.service.recalls import Recalls
    from memory_wire.service.service import Service
    from memory_wire.service.settings import Settings
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank

    Begin = Callable[[Reader], tuple[Bank, Doubts] | None]

CANDIDATES = 100
ANY_BUDGET = 1 << 32
QUESTION_SECONDS = 1.0  # that the embedder may take for a question, where it names no time of its own


class Second(Struct):
    """What a second look goes by: a question's vector in a space, what a reranker said of units."""

    embedder: Model | None
    reranker: Model | None
    weight: float
    space: bytes = b""
    vector: tuple[float, ...] = ()
    said: dict[int, float] = {}
    degraded: bool = False


def plan(settings: Settings) -> Second | None:
    """Whether a bank's results are looked at again, and by what."""
    embedder = models.of(settings, "embedder") if settings.fusion == "convex" else None
    reranker = models.of(settings, "reranker")
    return Second(embedder, reranker, settings.weight) if embedder is not None or reranker is not None else None


def hits(recalls: Recalls, second: Second, ask: Ask, begin: Begin) -> tuple[list[t.Hit], str | None, bool]:
    """(what is answered, how far a rebuild of the index is or None, whether a model failed)."""
    service, k, budget = recalls.service, ask.k, ask.budget
    ask.k, ask.budget = max(k, CANDIDATES), ANY_BUDGET
    question(service, second, ask.query)
    if second.reranker is not None:
        with service.read() as reader:
            found = begin(reader)
            first = [] if found is None else ordered(reader, found[0], second, recalls.found(reader, found[0], ask, found[1])[0])
        rerank(service, second, second.reranker, ask.query, first)
    with service.read() as reader:
        found = begin(reader)
        if found is None:
            return [], None, False
        bank, doubts = found
        served, index = recalls.found(reader, bank, ask, doubts)
        answered = doubts.hits(ordered(reader, bank, second, served))
        room = service.settings_of(bank, reader).budget if budget is None else budget
    return trimmed(answered, ask, room, k), index, second.degraded


def question(service: Service, second: Second, query: str) -> None:
    """The question's vector; without one the look is left out."""
    model = second.embedder
    if model is None:
        return
    try:
        made = embedding.made(service, model)
        seconds = model.seconds or QUESTION_SECONDS
        answer = models.ask(service, "embed", model, {"texts": [model.query_prefix + query]}, seconds)
        data = answer["vectors"]
        assert isinstance(data, bytes)
        if len(data) != 4 * made.dimension:
            raise OutsideFailed("a vector of another dimension")
    except MemoryWireError:
        second.degraded = True
        return
    second.space, second.vector = made.id, unpack(f"<{made.dimension}f", data)


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


def ordered(reader: Reader, bank: Bank, second: Second, served: list[Served]) -> list[Served]:
    """The candidates in their new order, each with its new score; equal ones in their old order."""
    similar = likeness(reader, bank, second, [one.unit.id for one in served])
    if similar:
        lexical = scaled([one.score for one in served])
        meant = scaled([similar.get(one.unit.id, 0.0) for one in served])
        for place, one in enumerate(served):
            told(one, lexical_score=one.score, lexical_rank=place + 1, vector_score=round(similar.get(one.unit.id, 0.0), 5))
            one.score = lexical[place] + second.weight * meant[place]
        served = sorted(served, key=lambda one: -one.score)
    if second.said:
        said = second.said
        for one in served:
            if one.unit.id in said:
                told(one, rerank_score=said[one.unit.id])
        served = sorted(served, key=lambda one: -said.get(one.unit.id, float("-inf")))
    return served


def likeness(reader: Reader, bank: Bank, second: Second, units: list[int]) -> dict[int, float]:
    """Cosine of the question and the best passage of each unit that has vectors of this model."""
    space = reader.embeddings.space(bank, second.space) if second.vector else None
    if space is None:
        second.degraded = second.degraded or second.embedder is not None
        return {}
    found: dict[int, float] = {}
    layout = f"<f{space.dimension}b"
    for row in reader.embeddings.rows(space, units):
        scale, *values = unpack_from(layout, row.row)
        found[row.unit] = max(found.get(row.unit, -1.0), scale * sum(map(mul, values, second.vector)))
    return found


def scaled(values: list[float]) -> list[float]:
    """The values from 0 to 1 within themselves; all 0 where they are equal."""
    least, most = min(values, default=0.0), max(values, default=0.0)
    return [(value - least) / (most - least) for value in values] if most > least else [0.0] * len(values)


def told(one: Served, **more: object) -> None:
    if one.explain is not None:
        one.explain.update(more)


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
