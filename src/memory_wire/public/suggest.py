"""Bundles that could be made: recent documents of a hub that are in none and belong together. For the hub's owner only.

A pass is a pure function of the owner's view and the day; what was decided about is kept, and nothing like it is proposed again.
"""

from __future__ import annotations

from msgspec import json

from memory_wire import bundles as b
from memory_wire import relations as r
from memory_wire.errors import UnknownHub, UnknownSuggestion
from memory_wire.kernels.text import content_hash
from memory_wire.public import atlas as atlases
from memory_wire.public import graph, nearness
from memory_wire.public.payload import address
from memory_wire.service import bundles, validate
from memory_wire.service.dates import DAY_MS
from memory_wire.store.graph import OWNER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory_wire import types as t
    from memory_wire.public.atlas import Atlas
    from memory_wire.service.changes import Outcome
    from memory_wire.service.service import Service
    from memory_wire.store.graph import Page
    from memory_wire.store.hubs import Hub
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader

    Work = Callable[[Tx], Outcome]
    Pairs = dict[tuple[int, int], float]

RECENT = 14 * DAY_MS
LOOKED_AT = 400  # newest of them
LEAST, MOST = 3, 12  # documents of a bundle that is proposed
PASS = 4  # bundles that are proposed at once
DISTANCE = 0.45  # cosine distance below which two documents may be in one
REASONS = 3  # concepts that are named
NAME = 8  # bytes


def suggestions(service: Service, request: r.ListSuggestions, scope: t.Scope) -> r.Suggestions:
    """What could be made now. Raises UnknownHub."""
    with service.read() as reader:
        hub = owned(reader, request.slug, scope)
        decided = reader.graph.decided(hub.bank)
        found = proposed(service, reader, atlases.seen(service, reader, hub, OWNER), decided)
    accepted = sum(accepted for _, accepted, _ in decided)
    return r.Suggestions(suggestions=found, accepted=accepted, dismissed=len(decided) - accepted)


def accept(request: r.AcceptSuggestion, scope: t.Scope, service: Service) -> Work:
    """The work that makes the bundle of a suggestion. Raises UnknownHub, UnknownSuggestion, Invalid."""
    hub, found = open_one(service, request.slug, request.id, scope)
    members = [b.Member(doc=one.id) for one in found.docs]
    draft = True if request.is_draft is None else request.is_draft
    made = b.CreateBundle(title=request.title or found.title, description=found.reason, members=members, is_draft=draft, bank=hub.bank_name)
    create, now = bundles.create_bundle(made, scope, service), service.now()

    def work(tx: Tx) -> Outcome:
        outcome = create(tx)
        tx.graph.decide(hub.bank, bytes.fromhex(found.id), True, [one.id for one in found.docs], now)
        return outcome

    return work


def dismiss(request: r.DismissSuggestion, scope: t.Scope, service: Service) -> Work:
    """The work that keeps a suggestion from coming again. Raises UnknownHub, UnknownSuggestion."""
    from memory_wire.service.changes import Outcome

    hub, found = open_one(service, request.slug, request.id, scope)
    now = service.now()

    def work(tx: Tx) -> Outcome:
        tx.graph.decide(hub.bank, bytes.fromhex(found.id), False, [one.id for one in found.docs], now)
        return Outcome(r.Dismissed(dismissed=True))

    return work


def owned(reader: Reader, slug: object, scope: t.Scope) -> Hub:
    """A hub of the caller's project. Raises UnknownHub."""
    hub = reader.hubs.by_slug(validate.text("slug", slug, 100))
    if hub is None or hub.project != scope.project or scope.keyless:
        raise UnknownHub
    return hub


def open_one(service: Service, slug: str, id: str, scope: t.Scope) -> tuple[Hub, r.Suggestion]:
    """One that is proposed now. Raises UnknownHub, UnknownSuggestion."""
    with service.read() as reader:
        hub = owned(reader, slug, scope)
        atlas = atlases.seen(service, reader, hub, OWNER)
        for found in proposed(service, reader, atlas, reader.graph.decided(hub.bank)):
            if found.id == id:
                return hub, found
    raise UnknownSuggestion


# a pass ----------------------------------------------------------------------------------------------------------------------------


def proposed(service: Service, reader: Reader, atlas: Atlas, decided: list[tuple[bytes, int, str]]) -> list[r.Suggestion]:
    """The bundles of one pass, in order."""
    bundled = {document for bundle in atlas.bundles for document in bundle.members}
    newest = sorted(atlas.documents, key=lambda page: (-page.updated, -page.id))
    after = service.now() - RECENT
    pages = [page for page in newest if page.id not in bundled and page.updated >= after][:LOOKED_AT]
    vectors = nearness.vectors(reader, OWNER, atlas.hub.bank, [page.id for page in pages])
    pairs = nearness.near(vectors, DISTANCE, MOST) if vectors else graph.alike(service, reader, atlas, pages)
    before = [frozenset(json.decode(documents, type=list[str])) for _, _, documents in decided]
    by_id = {page.id: page for page in pages}
    found: list[r.Suggestion] = []
    for cluster in clusters([page.id for page in sorted(pages, key=lambda page: (page.title, page.id))], pairs):
        ids = frozenset(by_id[document].public_id for document in cluster)
        if not any(2 * len(ids & held) > len(ids) for held in before) and len(found) < PASS:
            found.append(told(service, atlas, [by_id[document] for document in cluster], bool(vectors)))
    return found


def clusters(documents: Sequence[int], pairs: Pairs) -> list[list[int]]:
    """Groups of documents that are near one of them: the one with most neighbours takes them first. At least LEAST, at most MOST."""
    near: dict[int, list[tuple[float, int]]] = {document: [] for document in documents}
    order = {document: at for at, document in enumerate(documents)}
    for (one, other), weight in pairs.items():
        if one in near and other in near:
            near[one].append((-weight, order[other]))
            near[other].append((-weight, order[one]))
    taken: set[int] = set()
    found = []
    for seed in sorted(documents, key=lambda document: (-len(near[document]), order[document])):
        if seed in taken:
            continue
        mine = [documents[at] for _, at in sorted(near[seed]) if documents[at] not in taken][: MOST - 1]
        if len(mine) + 1 >= LEAST:
            group = sorted([seed, *mine], key=lambda document: order[document])
            taken.update(group)
            found.append(group)
    return found


def told(service: Service, atlas: Atlas, pages: list[Page], by_vectors: bool) -> r.Suggestion:
    """A group with its title: what most of its documents are about."""
    ids = {page.public_id for page in pages}
    shared = sorted((-len(ids.intersection(concept.documents)), place) for place, concept in enumerate(atlas.concepts))
    labels = [atlas.concepts[place].label for count, place in shared[:REASONS] if -count > 1]
    name = content_hash("\n".join(sorted(ids)).encode())[:NAME].hex()
    reason = f"{len(pages)} documents share: {', '.join(labels)}." if labels else f"{len(pages)} documents are near each other."
    return r.Suggestion(
        id=name,
        title=labels[0] if labels else pages[0].title,
        reason=reason,
        basis=graph.VECTORS if by_vectors else graph.BY_WORDS,
        docs=[r.SuggestedDoc(id=page.public_id, title=page.title, url=address(service, f"/{page.public_id}")) for page in pages],
    )
