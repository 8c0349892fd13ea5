"""Questions that a hub can answer, made of its concepts, relations and headings by fixed patterns; each with where the answer stands."""

from __future__ import annotations

from memory_wire import publishing as p
from memory_wire.public.atlas import Shown, described
from memory_wire.public.lines import documents, head
from memory_wire.public.payload import HUB_SECONDS, address, escaped, markdown
from memory_wire.public.ties import LINKED
from memory_wire.service import gists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.public.atlas import Atlas
    from memory_wire.service.service import Service
    from memory_wire.store.reader import Reader
    from memory_wire.types import Scope

QUERIES = 20
ABOUT = 10  # of concepts
BETWEEN = 5  # of relations
PAGES = 40  # newest documents whose headings are looked at
ANSWERS = 2  # documents that are named beside a question
NO_QUERIES = "No questions yet."
ASKING = ("how ", "what ", "why ", "when ", "where ", "who ", "which ", "can ", "does ", "do ", "is ", "are ", "should ")


def hub_queries(service: Service, request: p.HubText, scope: Scope) -> p.Payload:
    """The payload of GET /raw/hub/{slug}/suggested-queries.md. Raises NotPublic."""
    with Shown(service, request.slug) as shown:
        body = text(service, shown.reader, shown.atlas)
    headers = {"x-hub-slug": request.slug}
    return markdown(body, headers, canonical=address(service, f"/hub/{request.slug}"), seconds=HUB_SECONDS)


def text(service: Service, reader: Reader, atlas: Atlas) -> str:
    """The questions in markdown."""
    found = queries(service, reader, atlas)
    lines: list[str] = []
    for question, ids in found:
        lines.append(f"- {escaped(question)} ({documents(service, atlas, ids, ANSWERS, min(len(ids), ANSWERS))})")
    if not found:
        lines.append(NO_QUERIES)
    return head(service, atlas, "hub_suggested_queries", ": suggested queries", ("query_count", len(found))) + "\n".join(lines) + "\n"


def queries(service: Service, reader: Reader, atlas: Atlas) -> list[tuple[str, list[str]]]:
    """(question, public ids of documents that answer it), each question once."""
    found: dict[str, list[str]] = {}
    for question, ids in (*headings(service, reader, atlas), *concepts(service, reader, atlas), *relations(atlas)):
        if len(found) < QUERIES:
            found.setdefault(question, ids)
    return list(found.items())


def headings(service: Service, reader: Reader, atlas: Atlas) -> list[tuple[str, list[str]]]:
    """Headings that are questions already, of the newest documents."""
    newest = sorted(atlas.documents, key=lambda page: (-page.updated, -page.id))[:PAGES]
    kept = gists.of(service, reader, atlas.view, [page.id for page in newest])
    return [
        (heading, [page.public_id])
        for page in newest
        for heading in gists.lines_of(kept[page.id].lines).headings
        if heading.endswith(("?", "？")) or heading.lower().startswith(ASKING)
    ][: QUERIES // 2]


def concepts(service: Service, reader: Reader, atlas: Atlas) -> list[tuple[str, list[str]]]:
    """What the heaviest concepts are."""
    found = described(service, reader, atlas, [concept for concept in atlas.concepts if concept.told is not None][:ABOUT])
    return [
        (f"What is {concept.label}?" if concept.description else f"Where is {concept.label} used?", concept.documents) for concept in found
    ]


def relations(atlas: Atlas) -> list[tuple[str, list[str]]]:
    """What the heaviest relations are about."""
    pairs = [one for one in atlas.relations if one.label != LINKED][:BETWEEN]
    return [(f"How do {one.source} and {one.target} go together?", one.documents) for one in pairs]
