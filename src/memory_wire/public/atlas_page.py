"""Pages of what a hub is about: one of each concept, and its picture with a list of all."""

from __future__ import annotations

from memory_wire.errors import NotPublic
from memory_wire.public import atlas, graph, html, negotiate, picture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.public.atlas import Atlas
    from memory_wire.public.concepts import Concept
    from memory_wire.publishing import Payload, ViewConcept, ViewGraph
    from memory_wire.service.service import Service
    from memory_wire.types import Scope

DOCUMENTS, RELATIONS, CONCEPTS = 50, 20, 100  # that are listed
CACHE = "public, max-age=120"


def concept(service: Service, request: ViewConcept, scope: Scope) -> Payload:
    """The payload of GET /hub/{slug}/c/{concept}. Raises NotPublic."""
    name, markdown = negotiate.split(request.concept)
    if markdown or negotiate.wants_markdown(request):
        from memory_wire.public import digest

        request.concept = name
        return negotiate.negotiated(digest.raw_concept(service, request, scope))
    with atlas.Shown(service, request.slug) as shown:
        found = shown.atlas.concept(name)
        if found is None:
            raise NotPublic
        atlas.described(service, shown.reader, shown.atlas, [found])
        body = about(shown.atlas, found)
        hub = shown.atlas.hub
    home, title = f"/hub/{hub.slug}", hub.display_name or hub.slug
    told = html.Page(
        title=found.label,
        path=f"{home}/c/{html.quoted(found.slug)}",
        raw=f"/raw{home}/c/{html.quoted(found.slug)}",
        body=body,
        description=found.description,
        crumbs=[(title, home), ("Graph", f"{home}/graph")],
        search=home,
        hub=title,
        cache=CACHE,
    )
    return html.payload(service, told)


def about(told: Atlas, found: Concept) -> str:
    """What the hub says of a concept."""
    home = f"/hub/{told.hub.slug}"
    by_id = {page.public_id: page for page in told.documents}
    rows = [by_id[id] for id in found.documents if id in by_id]
    documents = [f"{html.link(page.title, f'/{page.public_id}')} <small>{html.time(page.updated)}</small>" for page in rows]
    left = found.count - len(documents[:DOCUMENTS])
    documents = documents[:DOCUMENTS] + ([f"and {left:,} more"] if left > 0 else [])
    paths = {one.label: f"{home}/c/{html.quoted(one.slug)}" for one in told.concepts}
    relations = [
        f"{html.escaped(one.label)} {html.link(one.target, paths[one.target]) if one.target in paths else html.escaped(one.target)}"
        for one in told.relations_of(found)[:RELATIONS]
    ]
    bundles = [html.link(one.title, f"/b/{one.public_id}") for one in told.bundles if one.public_id in found.bundles]
    return (
        f'<h1>{html.escaped(found.label)}</h1>\n<p class="facts">{html.escaped(found.type)}</p>\n{html.paragraphs(found.description)}'
        + html.section("documents", "Documents", html.listed(documents))
        + html.section("relations", "Relations", html.listed(relations))
        + html.section("bundles", "Bundles", html.listed(bundles))
    )


def picture_page(service: Service, request: ViewGraph, scope: Scope) -> Payload:
    """The payload of GET /hub/{slug}/graph. Raises NotPublic."""
    with atlas.Shown(service, request.slug) as shown:
        drawing = picture.svg(graph.of(service, shown))
        hub, found = shown.atlas.hub, shown.atlas.concepts
        total = shown.atlas.total
    home, title = f"/hub/{hub.slug}", hub.display_name or hub.slug
    entries = [f"{html.link(one.label, f'{home}/c/{html.quoted(one.slug)}')} <small>{one.count:,}</small>" for one in found[:CONCEPTS]]
    entries += [f"and {total - CONCEPTS:,} more"] if total > CONCEPTS else []
    body = f'<h1>Graph of {html.escaped(title)}</h1>\n<figure class="graph">\n{drawing}\n</figure>\n'
    body += html.section("concepts", "Concepts", html.listed(entries, kind="tags"))
    told = html.Page(
        title="Graph",
        path=f"{home}/graph",
        body=body,
        crumbs=[(title, home)],
        search=home,
        hub=title,
        cache=CACHE,
        also=[("JSON", f"{home}/graph.json"), ("SVG", f"{home}/graph.svg"), ("Digest", f"/raw{home}")],
    )
    return html.payload(service, told)
