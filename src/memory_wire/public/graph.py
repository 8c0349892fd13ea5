"""How the documents and bundles of a hub hang together: nodes with places, edges with weights. JSON, and what picture.py draws.

Edges between documents come from vectors where the hub has some, else from rare concepts that both have and from links: `lexical`.
"""

from __future__ import annotations

from math import log, sqrt

from msgspec import Struct, json

from memory_wire import publishing as p
from memory_wire.public import atlas as atlases
from memory_wire.public import layout, nearness
from memory_wire.public.concepts import crowd, read
from memory_wire.public.payload import address
from memory_wire.service import gists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.public.atlas import Atlas, Shown
    from memory_wire.service.projection import Public
    from memory_wire.service.service import Service
    from memory_wire.store.graph import Binding, Page
    from memory_wire.store.reader import Reader
    from memory_wire.types import Scope

DOCUMENTS = 200  # the newest
BUNDLES = 30
NEIGHBOURS = 6  # edges that one document brings in by likeness
DISTANCE = 0.42  # cosine distance below which two documents are near
LEXICAL = 0.25  # likeness of rare concepts from which they are
LINK = 0.5  # that a link adds
MEMBER = 2.0
VECTORS, BY_WORDS = "vectors", "lexical"
COMMON = 20  # documents that may have a rare concept however few there are, or one in FIFTH
FIFTH = 5
CACHE = "public, max-age=120"
JSON = "application/json"


class Node(Struct):
    """A document or a bundle. `id` is public; `degree` counts its edges."""

    id: str
    type: str
    title: str
    url: str
    x: float
    y: float
    degree: int = 0


class Edge(Struct, omit_defaults=True):
    """Between two nodes, each pair of a type once; it has no direction."""

    source: str
    target: str
    type: str
    weight: float
    basis: str = ""


class Graph(Struct):
    """`truncated`: more is shown of the hub than is drawn. `basis`: where edges between documents come from."""

    slug: str
    title: str
    basis: str
    truncated: bool
    nodes: list[Node]
    edges: list[Edge]


def hub_graph(service: Service, request: p.ViewGraph, scope: Scope) -> p.Payload:
    """The payload of GET /hub/{slug}/graph.json. Raises NotPublic."""
    with atlases.Shown(service, request.slug) as shown:
        body = json.encode(of(service, shown))
    return p.Payload(body=body, type=JSON, headers={"x-hub-slug": request.slug}, cache=CACHE)


def of(service: Service, public: Public | Shown) -> Graph:
    """The graph of a public hub, of the transaction that is open."""
    return drawn(service, public.reader, atlases.of(service, public))


def drawn(service: Service, reader: Reader, atlas: Atlas) -> Graph:
    """The graph of what an atlas shows."""
    held = atlas.made.get("graph")
    if not isinstance(held, Graph):
        held = atlas.made["graph"] = made(service, reader, atlas)
    return held


def made(service: Service, reader: Reader, atlas: Atlas) -> Graph:
    newest = sorted(atlas.documents, key=lambda page: (-page.updated, -page.id))[:DOCUMENTS]
    pages = sorted(newest, key=lambda page: (page.title, page.id))
    bundles = atlas.bundles[:BUNDLES]
    vectors = nearness.vectors(reader, atlas.view, atlas.hub.bank, [page.id for page in pages])
    pairs = nearness.near(vectors, DISTANCE, NEIGHBOURS) if vectors else alike(service, reader, atlas, pages)
    basis = VECTORS if vectors else BY_WORDS
    names = {page.id: page.public_id for page in pages}
    edges = [
        Edge(bundle.public_id, names[document], "bundle_member", MEMBER)
        for bundle in bundles
        for document in bundle.members
        if document in names
    ]
    kind = "semantic" if vectors else "lexical"
    edges += [Edge(names[one], names[other], kind, weight, basis) for one, other, weight in ordered(pairs, pages)]
    nodes = placed(service, pages, bundles)
    by_id = {node.id: node for node in nodes}
    for edge in edges:
        by_id[edge.source].degree += 1
        by_id[edge.target].degree += 1
    truncated = len(atlas.documents) > len(pages) or len(atlas.bundles) > len(bundles)
    return Graph(atlas.hub.slug, atlas.hub.display_name or atlas.hub.slug, basis, truncated, nodes, edges)


def ordered(pairs: dict[tuple[int, int], float], pages: list[Page]) -> list[tuple[int, int, float]]:
    """Pairs of documents as edges, in the order of the nodes."""
    order = {page.id: at for at, page in enumerate(pages)}
    found = [(min(order[one], order[other]), max(order[one], order[other]), weight) for (one, other), weight in pairs.items()]
    return [(pages[one].id, pages[other].id, weight) for one, other, weight in sorted(found)]


def placed(service: Service, pages: list[Page], bundles: list[Binding]) -> list[Node]:
    """The nodes with their places: a document stands at the first bundle that has it."""
    names = {page.id: page.public_id for page in pages}
    taken: set[int] = set()
    groups = []
    for bundle in bundles:
        mine = [document for document in bundle.members if document in names and document not in taken]
        taken.update(mine)
        groups.append([names[document] for document in mine])
    centres, places = layout.placed(groups, [page.public_id for page in pages if page.id not in taken])
    nodes = [
        Node(bundle.public_id, "bundle", bundle.title, address(service, f"/b/{bundle.public_id}"), *centre)
        for bundle, centre in zip(bundles, centres, strict=True)
    ]
    nodes += [
        Node(page.public_id, "document", page.title, address(service, f"/{page.public_id}"), *places[page.public_id]) for page in pages
    ]
    return nodes


# by words --------------------------------------------------------------------------------------------------------------------------


def alike(service: Service, reader: Reader, atlas: Atlas, pages: list[Page]) -> dict[tuple[int, int], float]:
    """(document, document, the smaller first) -> weight, of those that rare concepts or a link bring together."""
    weights = rare(service, reader, atlas, {page.id for page in pages})
    found: dict[tuple[int, int], float] = {}
    by_key: dict[str, list[int]] = {}
    for document, keys in weights.items():
        for key in keys:
            by_key.setdefault(key, []).append(document)
    for key, documents in by_key.items():
        documents.sort()
        for at, one in enumerate(documents):
            for other in documents[at + 1 :]:
                found[one, other] = found.get((one, other), 0.0) + weights[one][key] * weights[other][key]
    for pair, likeness in list(found.items()):
        if likeness < LEXICAL:
            del found[pair]
    for one, other in atlas.links:
        if one in weights and other in weights:
            pair = (min(one, other), max(one, other))
            found[pair] = found.get(pair, 0.0) + LINK
    return nearness.nearest({pair: round(min(weight, 1.0), 3) for pair, weight in found.items()}, NEIGHBOURS)


def rare(service: Service, reader: Reader, atlas: Atlas, documents: set[int]) -> dict[int, dict[str, float]]:
    """document -> key -> weight, of length 1 for each document: how much it says of concepts that few of the hub's documents have."""
    about, _ = gists.terms(service, reader, atlas.view, atlas.hub.bank)
    rows = [read(page, about[page.id]) for page in atlas.documents]
    counts: dict[str, int] = {}
    for row in rows:
        for key in row.keys:
            counts[key] = counts.get(key, 0) + 1
    most = min(crowd(rows), max(COMMON, len(rows) // FIFTH))
    found = {}
    for row in rows:
        if row.page.id in documents:
            held = {
                key: (row.weights[at] / 100 if at < row.size else 0.5) * log(1 + len(rows) / counts[key])
                for at, key in enumerate(row.keys)
                if 1 < counts[key] <= most
            }
            length = sqrt(sum(weight * weight for weight in held.values())) or 1.0
            found[row.page.id] = {key: weight / length for key, weight in held.items()}
    return found
