"""A hub in short: its heaviest concepts, each with its line, documents and relations; and the page of one concept. Raw markdown."""

from __future__ import annotations

from memory_wire.errors import NotPublic
from memory_wire.hub.compact import compacted
from memory_wire.public import atlas as atlases
from memory_wire.public.lines import counted, cut, document, documents, head
from memory_wire.public.payload import HUB_SECONDS, address, escaped, linked, markdown, matter, moment, truthy
from memory_wire.service.dates import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import publishing as p
    from memory_wire.public.atlas import Atlas
    from memory_wire.public.concepts import Concept, Relation
    from memory_wire.service.service import Service
    from memory_wire.store.reader import Reader
    from memory_wire.types import Scope

CONCEPTS = 40  # of a digest
RELATIONS = 20
DOCUMENTS = 6  # that are named of one concept
OUTGOING = 5  # relations of one concept
BUNDLES = 3
PAGE_DOCUMENTS = 50  # of a concept's own page
PAGE_RELATIONS = 20
NAMED = 2  # documents of one relation in the list of them
NO_DOCUMENTS = "No public documents yet."
NO_CONCEPTS = "No concepts yet."
TEXTS = 16  # digests of one hub that are kept


def hub_digest(service: Service, slug: str, since: str = "", compact: bool = False) -> p.Payload:
    """The digest of a public hub; `since`: of the concepts that came up from then on. Raises NotPublic."""
    with atlases.Shown(service, slug) as shown:
        atlas = shown.atlas
        text = told(service, shown.reader, atlas, moment(since) or 0)
    headers = {"x-hub-slug": atlas.hub.slug, "x-document-count": str(len(atlas.documents))}
    body = compacted(text) if compact else text
    return markdown(body, headers, canonical=address(service, f"/hub/{slug}"), compact=compact, digest=True, seconds=HUB_SECONDS)


def raw_concept(service: Service, request: p.ViewConcept, scope: Scope) -> p.Payload:
    """The payload of GET /raw/hub/{slug}/c/{concept}. Raises NotPublic."""
    with atlases.Shown(service, request.slug) as shown:
        concept = shown.atlas.concept(request.concept)
        if concept is None:
            raise NotPublic
        text = page(service, shown.reader, shown.atlas, concept)
    compact = truthy(request.compact)
    headers = {"x-hub-slug": request.slug, "x-document-count": str(concept.count)}
    canonical = address(service, f"/hub/{request.slug}/c/{concept.slug}")
    return markdown(compacted(text) if compact else text, headers, canonical=canonical, compact=compact, seconds=HUB_SECONDS)


# the digest ------------------------------------------------------------------------------------------------------------------------


def told(service: Service, reader: Reader, atlas: Atlas, after: int) -> str:
    """The digest's text, of concepts that came up from a time on."""
    key = f"digest {after}"
    text = atlas.made.get(key)
    if not isinstance(text, str):
        if len(atlas.made) >= TEXTS:
            atlas.made.clear()
        text = atlas.made[key] = written(service, reader, atlas, after)
    return text


def written(service: Service, reader: Reader, atlas: Atlas, after: int) -> str:
    found = [concept for concept in atlas.concepts if concept.born >= after]
    total = len(found) if after else atlas.total
    lines = [f"> {escaped(atlas.hub.description)}", ""] if atlas.hub.description else []
    lines += concept_lines(service, atlas, atlases.described(service, reader, atlas, found[:CONCEPTS]), total)
    shown = {concept.label for concept in found}
    relations = [one for one in atlas.relations if one.source in shown and one.target in shown]
    if relations:
        lines += ["## Relations", "", *(f"- {relation(service, atlas, one)}" for one in relations[:RELATIONS]), ""]
        lines += cut(min(len(relations), RELATIONS), len(relations), "relation")
    since = stamp(after) if after else None
    return head(service, atlas, "hub_digest", "", ("concept_count", total), ("since", since)) + "\n".join(lines)


def concept_lines(service: Service, atlas: Atlas, found: list[Concept], total: int) -> list[str]:
    """The concepts of a digest, numbered."""
    if not atlas.documents:
        return [NO_DOCUMENTS, ""]
    if not found:
        return [NO_CONCEPTS, ""]
    lines = [f"{counted(total, 'concept')} in {counted(len(atlas.documents), 'document')}, the heaviest first.", "", "## Concepts", ""]
    for number, concept in enumerate(found, 1):
        lines += [f"### {number}. {escaped(concept.label)}", ""]
        lines += body(service, atlas, concept, DOCUMENTS, OUTGOING, BUNDLES)
    return lines + cut(len(found), total, "concept")


def body(service: Service, atlas: Atlas, concept: Concept, most: int, outgoing: int, bundles: int) -> list[str]:
    """What there is to say of a concept."""
    where = address(service, f"/hub/{atlas.hub.slug}/c/{concept.slug}")
    lines = [f"{concept.type}, weight {concept.weight:g}, {counted(concept.count, 'document')}: {linked('page', where)}", ""]
    if concept.description:
        lines += [escaped(concept.description), ""]
    named = documents(service, atlas, concept.documents, most, concept.count)
    lines.append(f"- Documents: {named}")
    held = atlas.relations_of(concept)[:outgoing]
    if held:
        lines.append("- Relations: " + ", ".join(f"{one.label} {escaped(one.target)} ({one.weight})" for one in held))
    inside = [bundle for bundle in atlas.bundles if bundle.public_id in concept.bundles]
    inside.sort(key=lambda bundle: concept.bundles.index(bundle.public_id))
    if inside:
        shown = ", ".join(linked(bundle.title, address(service, f"/b/{bundle.public_id}")) for bundle in inside[:bundles])
        lines.append(f"- Bundles: {shown}")
    return [*lines, ""]


def relation(service: Service, atlas: Atlas, one: Relation) -> str:
    where = documents(service, atlas, one.documents, NAMED, len(one.documents))
    return f"{escaped(one.source)} — {one.label} — {escaped(one.target)} ({one.weight}): {where}"


# one concept -----------------------------------------------------------------------------------------------------------------------


def page(service: Service, reader: Reader, atlas: Atlas, concept: Concept) -> str:
    """The text of a concept's page."""
    atlases.described(service, reader, atlas, [concept])
    hub = atlas.hub
    here = [atlas.pages[id] for id in concept.documents]
    fields: list[tuple[str, str | int]] = [
        ("type", "concept"),
        ("title", concept.label),
        ("url", address(service, f"/hub/{hub.slug}/c/{concept.slug}")),
        ("hub", address(service, f"/hub/{hub.slug}")),
        ("kind", concept.type),
        ("document_count", concept.count),
        ("updated", stamp(max(page.updated for page in here))),
    ]
    lines = [f"# {escaped(concept.label)}", ""]
    if concept.description:
        lines += [escaped(concept.description), ""]
    lines += ["## Documents", "", *(f"- {document(service, page)}" for page in here[:PAGE_DOCUMENTS]), ""]
    lines += cut(min(len(here), PAGE_DOCUMENTS), concept.count, "document")
    relations = atlas.relations_of(concept)
    if relations:
        lines += ["## Relations", ""]
        lines += [f"- {one.label} {leading(service, atlas, one)} ({one.weight})" for one in relations[:PAGE_RELATIONS]]
        lines += ["", *cut(min(len(relations), PAGE_RELATIONS), len(relations), "relation")]
    bundles = [bundle for bundle in atlas.bundles if bundle.public_id in concept.bundles]
    if bundles:
        lines += ["## Bundles", "", *(f"- {linked(one.title, address(service, f'/b/{one.public_id}'))}" for one in bundles), ""]
    return matter(fields) + "\n".join(lines)


def leading(service: Service, atlas: Atlas, one: Relation) -> str:
    """The concept at a relation's end, leading to its page."""
    target = next((concept for concept in atlas.concepts if concept.label == one.target), None)
    path = f"/hub/{atlas.hub.slug}/c/{target.slug}" if target is not None else ""
    return linked(one.target, address(service, path)) if path else escaped(one.target)
