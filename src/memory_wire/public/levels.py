"""The three levels of a hub's recall: its chunks, its documents by their best chunk, its bundles. Called by recall.py.

Two lists of four times what is wanted, each over exactly the public projection: by words, the postings' BM25 with k1 1.2 and b 0.75, and by
vectors, cosine. Hybrid puts both together by rank (retrieve/fuse.py); else vectors alone count, or words where there are none.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire import questions as q
from memory_wire.hub.sections import parse
from memory_wire.public import bundle_words
from memory_wire.retrieve import fuse
from memory_wire.retrieve.pipeline import Ask
from memory_wire.service import dates
from memory_wire.store.ids import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_wire.retrieve.pipeline import Served
    from memory_wire.service.near import Question
    from memory_wire.service.projection import Public
    from memory_wire.service.service import Service
    from memory_wire.store.hubs import PublicFound

LISTED = 4  # times what is wanted, in each list
ANY_BUDGET = 1 << 40
SNIPPET = 200


class Asked(Struct, kw_only=True):
    """A question that was checked. `first`: how many results are wanted before a reranker has seen them."""

    question: str
    level: str = "chunk"
    k: int = 1
    first: int = 1
    hybrid: bool = False
    rerank: bool = False
    subtree: bool = False
    budget: int | None = None
    explain: bool = False


class Ranked(Struct, kw_only=True):
    """Results, best first, and what they were ranked by; `vectors`: whether there were any."""

    rows: Sequence[q.ChunkFound | q.DocFound | q.BundleFound]
    retrieval: str
    vectors: bool = False
    rebuilding: bool = False


def ranked(service: Service, place: Public, asked: Asked, question: Question | None) -> Ranked:
    """What answers at the level that is asked for, at most `first`."""
    return {"chunk": chunks, "doc": documents, "bundle": bundles}[asked.level](service, place, asked, question)


# chunks ----------------------------------------------------------------------------------------------------------------------------


def chunks(service: Service, place: Public, asked: Asked, question: Question | None) -> Ranked:
    """The chunks that answer."""
    near = nearest(service, place, question, LISTED * asked.first)
    words: list[Served] = []
    index = None
    if asked.hybrid or near is None:
        words, index = lexical(service, place, asked, asked.first if near is None else LISTED * asked.first)
    order = fuse.ranked([id for id, _ in near or ()], [one.unit.id for one in words], asked.first)
    known: dict[int, PublicFound] = {one.unit.id: one.unit for one in words}  # type: ignore[misc]  # rows of the projection
    missing = [one.id for one in order if one.id not in known]
    if missing:
        known.update(place.reader.hubs.found(place.bank.id, missing))
    told = {one.unit.id: one.explain for one in words} if asked.explain else {}
    cosines = dict(near or ())
    rows = []
    for one in order:
        if one.id not in known:
            continue
        row = chunk(service, place, known[one.id], asked)
        if asked.hybrid:
            row.vector_rank, row.fts_rank, row.rrf_score = one.vector_rank, one.lexical_rank, one.score
        elif near is None:
            row.fts_rank = one.lexical_rank
        if not asked.hybrid:
            row.distance = distance(cosines.get(one.id))
        if (explained := told.get(one.id)) is not None:
            row.explain = why(explained)
        rows.append(row)
    retrieval = "fts" if near is None else "hybrid_rrf" if asked.hybrid else "vector"
    return Ranked(rows=rows, retrieval=retrieval, vectors=near is not None, rebuilding=index is not None)


def nearest(service: Service, place: Public, question: Question | None, most: int) -> list[tuple[int, float]] | None:
    """(chunk's place, cosine) of the nearest, or None where there are no vectors to compare with."""
    if question is None:
        return None
    from memory_wire.service import near

    found: list[tuple[int, float]] | None = near.nearest(service, place.reader, place.bank, question, most, place.projection)
    return found


def lexical(
    service: Service, place: Public, asked: Asked, most: int, left_out: frozenset[str] = frozenset()
) -> tuple[list[Served], str | None]:
    """(the chunks with the words, but those of some documents, best first; how far a rebuild of the index is or None)."""
    ask = Ask(query=asked.question, budget=ANY_BUDGET, k=most, explain=asked.explain)

    def keep(found: dict[int, PublicFound]) -> dict[int, PublicFound]:
        return {id: unit for id, unit in found.items() if unit.document not in left_out} if left_out else found

    return service.recalls.found(place.reader, place.bank, ask, keep, place.projection)  # type: ignore[arg-type]  # rows of the projection


def chunk(service: Service, place: Public, found: PublicFound, asked: Asked) -> q.ChunkFound:
    """A chunk as it is answered."""
    return q.ChunkFound(
        chunk_id=show(found.uid),
        doc_id=found.document,
        chunk_idx=found.ordinal,
        heading=found.breadcrumb.rpartition(" > ")[2] if found.anchor is not None else None,
        heading_path=found.breadcrumb,
        anchor=found.anchor,
        markdown=subtree(service, place, found) if asked.subtree else found.content,
        doc_title=found.title,
        doc_url=f"/{found.document}",
        raw_url=f"/raw/{found.document}",
        updated_at=dates.stamp(found.created),
    )


def subtree(service: Service, place: Public, found: PublicFound) -> str:
    """The chunk's section with all below it, as the document has it; credentials redacted, as in the chunk."""
    markdown = place.reader.hubs.markdown(found.document)
    parsed = parse(markdown.decode() if markdown is not None else "")
    for section in parsed.sections:
        if section.first <= found.first_line <= section.last and section.level:
            return service.keys.shown("markdown", "\n".join(parsed.lines[section.first - 1 : section.subtree]).rstrip("\n"), [])
    return found.content


def why(explained: dict[str, object]) -> dict[str, object]:
    """How a score came about. Not how many postings were looked at: those of what isn't public any more count there until a merge."""
    query = explained["query"]
    assert isinstance(query, dict)
    return {**explained, "query": {name: value for name, value in query.items() if name != "postings"}}


def distance(cosine: float | None) -> float | None:
    return None if cosine is None else round(1.0 - cosine, 4)


# documents -------------------------------------------------------------------------------------------------------------------------


def documents(service: Service, place: Public, asked: Asked, question: Question | None) -> Ranked:
    """The documents that answer, each by its best chunk."""
    near = nearest_documents(service, place, asked, question)
    if near is not None:
        return Ranked(rows=near, retrieval="vector", vectors=True)
    best: dict[str, Served] = {}
    index = None
    while len(best) < asked.first:
        served, index = lexical(service, place, asked, LISTED * asked.first, frozenset(best))
        if not served:
            break
        for one in served:
            best.setdefault(one.unit.document, one)  # type: ignore[attr-defined]  # a row of the projection
    rows = []
    for rank, one in enumerate(list(best.values())[: asked.first], 1):
        row = document(one.unit, None)  # type: ignore[arg-type]
        row.fts_rank = rank
        if one.explain is not None:
            row.explain = why(one.explain)
        rows.append(row)
    return Ranked(rows=rows, retrieval="fts", rebuilding=index is not None)


def nearest_documents(service: Service, place: Public, asked: Asked, question: Question | None) -> list[q.DocFound] | None:
    """By vectors, or None where there are none: more chunks are looked at until there are documents enough."""
    most = LISTED * asked.first
    while True:
        near = nearest(service, place, question, most)
        if near is None:
            return None
        units = place.reader.hubs.found(place.bank.id, [id for id, _ in near])
        best: dict[str, q.DocFound] = {}
        for id, cosine in near:
            if id in units and units[id].document not in best:
                best[units[id].document] = document(units[id], cosine)
        if len(best) >= asked.first or len(near) < most:
            return list(best.values())[: asked.first]
        most *= LISTED


def document(found: PublicFound, cosine: float | None) -> q.DocFound:
    return q.DocFound(
        id=found.document,
        title=found.title,
        url=f"/{found.document}",
        raw_url=f"/raw/{found.document}",
        snippet=snippet(found.content),
        updated_at=dates.stamp(found.created),
        distance=distance(cosine),
    )


def snippet(markdown: str) -> str:
    """The beginning of a text without its headings and code."""
    words: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        bare = line.strip()
        if bare[:3] in ("```", "~~~"):
            fence = "" if fence and bare[:3] == fence else fence or bare[:3]
        elif not fence and not bare.startswith("#"):
            words += bare.split()
    return " ".join(words)[:SNIPPET]


# bundles ---------------------------------------------------------------------------------------------------------------------------


def bundles(service: Service, place: Public, asked: Asked, question: Question | None) -> Ranked:
    """The bundles that answer: by their vectors where all have one that is of what they show now, else by words."""
    every = place.reader.hubs.bundles(place.bank.id)
    texts = [one.text for one in every]
    near = bundle_words.nearest(service, place, question, texts) if question is not None else None
    language = service.settings_of(place.bank, place.reader).language
    scores = near if near is not None else bundle_words.scores(asked.question, texts, language)
    order = sorted((at for at, score in enumerate(scores) if near is not None or score > 0), key=lambda at: (-scores[at], at))
    rows = []
    for rank, at in enumerate(order[: asked.first], 1):
        one = every[at]
        row = q.BundleFound(
            id=one.public_id,
            title=one.title,
            description=one.description or "",
            url=f"/b/{one.public_id}",
            raw_url=f"/raw/bundle/{one.public_id}",
            document_count=one.documents,
            updated_at=dates.stamp(one.updated),
            distance=distance(scores[at]) if near is not None else None,
        )
        if near is None:
            row.fts_rank = rank
        rows.append(row)
    return Ranked(rows=rows, retrieval="fts" if near is None else "vector", vectors=near is not None)
