"""Recall over a hub: a question to what of it everybody may see, ranked by words, by vectors, or by both. The one door for it.

Everything comes from the public projection: rows, statistics, ranks (levels.py). Embedder and reranker are asked between transactions; what
fails is left out, and the answer says `degraded`.
"""

from __future__ import annotations

from time import perf_counter

from msgspec import Struct, json

from memory_wire import config
from memory_wire import questions as q
from memory_wire.errors import (
    HubNotPublic,
    Invalid,
    InvalidSlug,
    LevelInvalid,
    OutsideFailed,
    QuestionRequired,
    QuestionTooLong,
    UnknownHub,
)
from memory_wire.public import levels
from memory_wire.public.levels import Asked, Ranked
from memory_wire.publishing import Payload
from memory_wire.retrieve.trim import Trim
from memory_wire.service import slugs, validate
from memory_wire.service.projection import Public

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.retrieve.embed import Model
    from memory_wire.service.near import Question
    from memory_wire.service.service import Service
    from memory_wire.types import Scope

    Found = q.ChunkFound | q.DocFound | q.BundleFound

LEVELS = ("doc", "chunk", "bundle")
TEXT = {"doc": "snippet", "chunk": "markdown", "bundle": "description"}  # what a budget bounds and a reranker reads


class Models(Struct, kw_only=True):
    """What a question is asked with, and what they said: the question's vector, scores of the first results by id."""

    embedder: Model | None = None
    reranker: Model | None = None
    question: Question | None = None
    said: dict[str, float] = {}
    failed: bool = False
    embed: float = 0.0
    rerank: float = 0.0


def recall(service: Service, request: q.HubRecall, scope: Scope) -> q.HubRecalled:
    """What answers the question, best first. Raises HubNotPublic, InvalidSlug, QuestionRequired, QuestionTooLong, LevelInvalid, Invalid."""
    begun = perf_counter()
    asked, slug = checked(request), slug_of(request.slug)
    with opened(service, slug) as place:
        using = chosen(service, place, asked)
        if using.embedder is None and using.reranker is None:
            return answered(service, place, asked, using, begun)
    embed(service, slug, asked, using)
    if using.reranker is not None:
        with opened(service, slug) as place:
            first = levels.ranked(service, place, asked, using.question)
        rerank(service, asked, using, first)
    with opened(service, slug) as place:  # what was taken back meanwhile isn't told
        return answered(service, place, asked, using, begun)


def waits(service: Service, request: q.HubRecall) -> bool:
    """Whether a model will be asked, which a server must not wait for."""
    try:
        with opened(service, slug_of(request.slug)) as place:
            found = chosen(service, place, Asked(question="", rerank=bool(request.rerank)))
            return found.embedder is not None or found.reranker is not None
    except (HubNotPublic, InvalidSlug):
        return False


def usage(service: Service, request: q.RecallUsage, scope: Scope) -> Payload:
    """How a hub is asked; says nothing of any hub."""
    body = {
        "usage": "POST a JSON object to this address",
        "body": {
            "question": f"1 to {config.QUESTION_CHARS:,} characters",
            "k": f"1 to {config.RECALL_MOST}, default {config.RECALL_RESULTS}",
            "level": "chunk (default), doc or bundle",
            "hybrid": "chunks by words and vectors together",
            "rerank": "has the first results judged by a reranker, where there is one",
            "expand": "subtree: each chunk's section with all below it",
            "budget_tokens": "bound of the texts that are answered",
            "explain": "true: why each result is where it is",
        },
        "example": {"question": "How does X work?", "k": 5, "hybrid": True},
    }
    return Payload(body=json.encode(body), type="application/json", headers={"allow": "GET, HEAD, POST"})


# the request -----------------------------------------------------------------------------------------------------------------------


def checked(request: q.HubRecall) -> Asked:
    """Raises QuestionRequired, QuestionTooLong, LevelInvalid, Invalid, WrongType."""
    question = request.question
    if not isinstance(question, str) or not question.strip():
        raise QuestionRequired
    question = question.strip()
    if len(question) > config.QUESTION_CHARS:
        raise QuestionTooLong
    validate.text("question", question, config.QUESTION_CHARS)
    level = "chunk" if request.level is None else request.level
    if level not in LEVELS:
        raise LevelInvalid
    if request.expand not in (None, "subtree"):
        raise Invalid("expand", "must be subtree")
    budget = validate.unsigned("budget_tokens", request.budget_tokens)
    if budget == 0:
        raise Invalid("budget_tokens", "must be at least 1")
    if request.k is not None and type(request.k) is not int:
        raise validate.wrong_type("k", "an integer")
    k = min(max(config.RECALL_RESULTS if request.k is None else request.k, 1), config.RECALL_MOST)
    return Asked(
        question=question,
        level=level,
        k=k,
        first=min(config.RECALL_MOST, 4 * k) if request.rerank else k,
        hybrid=bool(request.hybrid) and level == "chunk",
        rerank=bool(request.rerank),
        subtree=request.expand is not None and level == "chunk",
        budget=budget,
        explain=bool(request.explain),
    )


def slug_of(given: str) -> str:
    """Raises InvalidSlug."""
    try:
        return slugs.slug_of(given)
    except Invalid:
        raise InvalidSlug from None


class opened(Public):  # noqa: N801 (reads as what it does)
    """A hub that is public, or the one answer. Raises HubNotPublic."""

    def __enter__(self) -> opened:
        try:
            super().__enter__()
        except UnknownHub:
            raise HubNotPublic from None
        return self


# models ----------------------------------------------------------------------------------------------------------------------------


def chosen(service: Service, place: Public, asked: Asked) -> Models:
    """The models of the hub's bank that this question needs."""
    settings = service.settings_of(place.bank, place.reader)
    if not settings.models and not service.modelled:
        return Models()
    from memory_wire.service import models

    return Models(embedder=models.of(settings, "embedder"), reranker=models.of(settings, "reranker") if asked.rerank else None)


def embed(service: Service, slug: str, asked: Asked, using: Models) -> None:
    """The question's vector, or that there is none."""
    if using.embedder is None:
        return
    from memory_wire.service import near

    begun = perf_counter()
    with opened(service, slug) as place:
        settings = service.settings_of(place.bank, place.reader)
    try:
        using.question = near.question(service, settings, asked.question)
    except OutsideFailed:
        using.failed = True
    using.embed = perf_counter() - begun


def rerank(service: Service, asked: Asked, using: Models, first: Ranked) -> None:
    """What the reranker says of the first results."""
    assert using.reranker is not None
    from memory_wire.service import second

    begun = perf_counter()
    texts = [text_of(row, asked.level) for row in first.rows]
    scores = second.judged(service, using.reranker, asked.question, texts) if texts else []
    if scores is None:
        using.failed = True
    else:
        using.said = {id_of(row): score for row, score in zip(first.rows, scores, strict=False)}
    using.rerank = perf_counter() - begun


def text_of(row: Found, level: str) -> str:
    """What a result says."""
    title = row.title if isinstance(row, q.BundleFound) else ""
    return f"{title}\n{getattr(row, TEXT[level])}".strip()


def id_of(row: Found) -> str:
    return row.chunk_id if isinstance(row, q.ChunkFound) else row.id


# the answer ------------------------------------------------------------------------------------------------------------------------


def answered(service: Service, place: Public, asked: Asked, using: Models, begun: float) -> q.HubRecalled:
    """The answer from one transaction."""
    searched = perf_counter()
    found = levels.ranked(service, place, asked, using.question)
    rows: list[Found] = list(found.rows)
    if using.said:
        for row in rows:
            if id_of(row) in using.said:
                row.rerank_score = round(using.said[id_of(row)], 4)
        rows.sort(key=lambda row: -using.said.get(id_of(row), float("-inf")))
    kept, truncated = trimmed(rows[: asked.k], asked)
    now, question = perf_counter(), using.question if found.vectors else None
    timing = q.RecallTiming(
        embed=ms(using.embed), search=ms(now - searched), rerank=ms(using.rerank), total=ms(using.embed + using.rerank + now - begun)
    )
    meta = q.RecallMeta(
        retrieval=found.retrieval,
        model=question.model if question is not None else None,
        dim=question.dimension if question is not None else None,
        k=asked.k,
        hybrid=asked.hybrid,
        reranked=bool(using.said),
        timing_ms=timing,
    )
    hub = q.HubName(slug=place.hub.slug, display_name=place.hub.display_name or place.hub.slug)
    degraded = using.failed or not found.vectors or found.rebuilding
    return q.HubRecalled(
        hub=hub,
        question=asked.question,
        level=asked.level,
        results=kept,
        meta=meta,
        degraded=degraded,
        truncated=truncated,
    )


def trimmed(rows: list[Found], asked: Asked) -> tuple[list[Found], bool]:
    """What fits the budget; whether anything is missing."""
    if asked.budget is None:
        return rows, False
    trim, kept, field = Trim(asked.budget), [], TEXT[asked.level]
    truncated = False
    for row in rows:
        text = getattr(row, field)
        content = trim.take(text)
        truncated = truncated or content is not text
        if content is not None:
            setattr(row, field, content)
            kept.append(row)
    return kept, truncated


def ms(seconds: float) -> float:
    return round(seconds * 1000, 2)
