"""A whole hub as its graph, digest and upkeep see it: documents, bundles, concepts, relations, links. Kept until what is seen changes.

Everything public is made of an Atlas of the view `public`; the owner's functions make one of the view `owner`, kept apart.
"""

from __future__ import annotations

from msgspec import Struct, structs
from msgspec.msgpack import encode

from memory_wire.errors import NotPublic
from memory_wire.hub.kinds import key_of
from memory_wire.kernels.text import content_hash
from memory_wire.public import concepts
from memory_wire.public.targets import Targets
from memory_wire.public.ties import TOGETHER
from memory_wire.service import gists
from memory_wire.service.dates import now_ms
from memory_wire.store.graph import PUBLIC

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import TracebackType

    from memory_wire.public.concepts import Concept, Relation
    from memory_wire.service.projection import Public
    from memory_wire.service.service import Service
    from memory_wire.store.graph import Binding, Page
    from memory_wire.store.hubs import Hub
    from memory_wire.store.reader import Reader

KEPT = 4  # hubs
NAME = "atlas"
DESCRIBED = 60  # heaviest concepts whose lines are read at once
FOREVER = (1 << 63) - 1


class Atlas(Struct):
    """What a reader's view shows of one hub. `links` are (document, document it points at); `dead` (document, reference to nothing).

    `pages` are all documents by their public ids, `made` is what was made of all that, by name.
    """

    hub: Hub
    view: str
    documents: list[Page]
    bundles: list[Binding]
    concepts: list[Concept]
    relations: list[Relation]
    total: int
    truncated: bool
    links: list[tuple[int, int]]
    dead: list[tuple[int, str]]
    pages: dict[str, Page]
    state: bytes
    version: tuple[int, int]
    until: int
    made: dict[str, object] = {}

    def concept(self, slug: str) -> Concept | None:
        """The concept of an address, or one that is written a little otherwise."""
        for found in (slug, concepts.slugged(slug)):
            for concept in self.concepts:
                if concept.slug == found:
                    return concept
        key = key_of(slug.replace("-", " "))
        return next((concept for concept in self.concepts if key and key_of(concept.label) == key), None)

    def backlinks(self, public_id: str) -> list[Page]:
        """The hub's documents that point at one of its documents, by title."""
        by_id = self.by_id()
        target = self.pages[public_id].id if public_id in self.pages else 0
        found = [by_id[source] for source, end in self.links if end == target]
        return sorted(found, key=lambda page: (page.title, page.id))

    def by_id(self) -> dict[int, Page]:
        return {page.id: page for page in self.documents}

    def relations_of(self, concept: Concept) -> list[Relation]:
        """The relations that a concept has, seen from it, the heaviest first."""
        found = []
        for one in self.relations:
            if one.source == concept.label:
                found.append(one)
            elif one.target == concept.label and one.label == TOGETHER:
                found.append(concepts.Relation(one.target, one.source, one.label, one.weight, one.documents))
        return found


class Shown:
    """A public hub within one read transaction: `with Shown(service, slug) as shown` gives `reader` and `atlas`."""

    __slots__ = ("_open", "_service", "_slug", "atlas", "reader")

    atlas: Atlas
    reader: Reader

    def __init__(self, service: Service, slug: str) -> None:
        self._service, self._slug = service, slug
        self._open: AbstractContextManager[Reader] = service.read()

    def __enter__(self) -> Shown:
        """Raises NotPublic."""
        self.reader = self._open.__enter__()
        try:
            hub = self.reader.hubs.public(self._slug)
            if hub is None:
                raise NotPublic
            self.atlas = seen(self._service, self.reader, hub, PUBLIC)
        except BaseException as error:
            self._open.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool | None:
        return self._open.__exit__(kind, error, trace)


def of(service: Service, public: Public | Shown) -> Atlas:
    """A public hub, of the transaction that is open."""
    return public.atlas if isinstance(public, Shown) else seen(service, public.reader, public.hub, PUBLIC)


def seen(service: Service, reader: Reader, hub: Hub, view: str) -> Atlas:
    """A hub through a view, made anew when that shows something else than before."""
    held: dict[tuple[int, str], Atlas] = service.kept.setdefault(NAME, {})  # type: ignore[assignment]
    key = (hub.bank, view)
    atlas = held.get(key)
    if atlas is not None and atlas.version == reader.version and now_ms() < atlas.until:
        return atlas
    graph = reader.graph
    hub = structs.replace(hub, documents=0, visible=0)  # counts of all that the bank has
    documents, bundles = graph.documents(view, hub.bank), graph.bundles(view, hub.bank)
    until = graph.lapse(view, hub.bank) or FOREVER
    state = content_hash(encode((hub, documents, bundles)))
    if atlas is None or atlas.state != state:
        atlas = drawn(service, reader, hub, view, documents, bundles, state)
        while len(held) >= KEPT:
            held.pop(next(iter(held)), None)
        held[key] = atlas
    atlas.version, atlas.until = reader.version, until
    return atlas


def drawn(service: Service, reader: Reader, hub: Hub, view: str, documents: list[Page], bundles: list[Binding], state: bytes) -> Atlas:
    """The atlas itself."""
    about, texts = gists.terms(service, reader, view, hub.bank)
    rows = [concepts.read(page, about[page.id]) for page in documents]
    links, dead = resolved(reader, hub, documents, bundles, texts)
    told = concepts.gather(rows, links, bundles)
    concepts.describe(service, reader, told.concepts[:DESCRIBED], view)
    pages = {page.public_id: page for page in documents}
    return Atlas(
        hub, view, documents, bundles, told.concepts, told.relations, told.total, told.truncated, links, dead, pages, state,
        (0, 0), 0,
    )  # fmt: skip


def described(service: Service, reader: Reader, atlas: Atlas, found: list[Concept]) -> list[Concept]:
    """Concepts of the atlas, with their lines."""
    concepts.describe(service, reader, found, atlas.view)
    return found


# links -----------------------------------------------------------------------------------------------------------------------------


def resolved(
    reader: Reader, hub: Hub, documents: list[Page], bundles: list[Binding], texts: dict[int, str]
) -> tuple[list[tuple[int, int]], list[tuple[int, str]]]:
    """(links within the hub, references to what isn't there) of texts. What a reader may not see isn't there."""
    targets = Targets(documents)
    known = {f"b:{bundle.public_id}" for bundle in bundles} | {f"h:{hub.slug}"}
    links: dict[tuple[int, int], None] = {}
    open_ones: list[tuple[int, str]] = []
    for document in sorted(texts):
        for reference in texts[document].split("\n"):
            target = targets.path(reference, document) if reference[0] == "r" else targets[reference]
            if target:
                if target != document:
                    links[document, target] = None
            elif target is not None and reference not in known:
                open_ones.append((document, reference))
    return list(links), elsewhere(reader, open_ones)


def elsewhere(reader: Reader, found: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Those of the references that lead to nothing that everybody may see in other hubs either."""
    if all(reference[0] in "wr" for _, reference in found):
        return found
    graph = reader.graph
    known = {f"h:{slug}" for _, slug, _ in graph.hubs(PUBLIC)} | {f"b:{id}" for id, _ in graph.all_bundles(PUBLIC)}
    known.update(f"d:{page.public_id}" for page in graph.every(PUBLIC))
    return [(document, reference) for document, reference in found if reference not in known]
