"""Search of a bank's documents: its recall, chunks alone, each with where it stands. Called by the service; loaded when first asked for."""

from __future__ import annotations

from memory_wire import config
from memory_wire import documents as d
from memory_wire import types as t
from memory_wire.errors import LimitRange, QueryEmpty, Unauthorized
from memory_wire.retrieve.pipeline import Ask
from memory_wire.service import dates, documents, validate
from memory_wire.service.keys import tag_key
from memory_wire.service.rows import CHUNK_FIELD
from memory_wire.store.ids import show
from memory_wire.store.rows import CHUNK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.retrieve.pipeline import Served
    from memory_wire.service.service import Service
    from memory_wire.store.documents import Told
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank, Found

BUDGET = 1 << 32  # a search is bounded by its limit


def search_docs(service: Service, request: d.SearchDocs, scope: t.Scope) -> d.DocHits:
    """The chunks that answer a question, best first. Raises QueryEmpty, LimitRange, Invalid, WrongType, UnknownDocument."""
    scope = documents.place(request.bank, scope)
    if scope.keyless:
        raise Unauthorized("this needs a key")
    ask = asked(service, request)
    with service.read() as reader:
        only = None
        if request.id is not None:
            document = documents.named(reader, d.ReadDoc(id=request.id, bank=request.bank), scope)
            scope, only = scope.at(document.bank_name), {held.unit for held in reader.documents.chunks(document.id)}
        bank = reader.bank(scope.project, scope.bank)
        if bank is None:
            return d.DocHits(results=[])

        def keep(found: dict[int, Found]) -> dict[int, Found]:
            return {id: unit for id, unit in found.items() if unit.kind == CHUNK and (only is None or id in only)}

        served, index = service.recalls.found(reader, bank, ask, keep)
        return d.DocHits(results=hits(reader, bank, served), degraded=f"index: {index}" if index else None)


def asked(service: Service, request: d.SearchDocs) -> Ask:
    """The request as the pipeline takes it. Chunks are told by a field of their own; tags are looked for among them."""
    query = validate.text("query", request.query, config.CONTENT_CHARS)
    if not query.strip():
        raise QueryEmpty("query", "query must say something")
    limit = config.DOC_SEARCH_LIMIT if request.limit is None else validate.unsigned("limit", request.limit)
    if limit is None or not 1 <= limit <= config.DOC_SEARCH_MAX:
        raise LimitRange("limit", f"limit must be 1 to {config.DOC_SEARCH_MAX}")
    tags = service.keys.tags(validate.strings("tags", request.tags), []) if request.tags else []
    any_tags = [tag_key(tag) for tag in tags] or [CHUNK_FIELD]
    return Ask(query=query[: config.QUERY_CHARS], budget=BUDGET, k=limit, tags=tags, any_tags=any_tags)


def hits(reader: Reader, bank: Bank, served: list[Served]) -> list[d.DocHit]:
    told = reader.documents.told([one.unit.id for one in served])
    return [hit(one, told[one.unit.id]) for one in served]


def hit(one: Served, place: Told) -> d.DocHit:
    return d.DocHit(
        id=show(one.unit.uid),
        document=place.document,
        title=place.title,
        breadcrumb=place.breadcrumb,
        anchor=place.anchor,
        first_line=place.first_line,
        last_line=place.last_line,
        content=one.content,
        score=one.score,
        relevance=one.relevance,
        updated_at=dates.stamp(one.unit.created),
        url=f"/{place.document}" + (f"#{place.anchor}" if place.anchor else ""),
    )
