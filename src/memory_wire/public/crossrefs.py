"""Who points at whom: public documents that cite documents, bundles and hubs, of all public hubs; and who cites one document.

A target counts when everybody may see it, a document that cites it twice counts once, and one that cites itself not at all.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.msgpack import encode

from memory_wire import relations as r
from memory_wire.hub.kinds import RULES
from memory_wire.kernels.text import content_hash
from memory_wire.public.payload import address
from memory_wire.public.targets import Targets
from memory_wire.service import gists, validate
from memory_wire.service.dates import now_ms
from memory_wire.store.graph import PUBLIC

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.service.service import Service
    from memory_wire.store.graph import Page
    from memory_wire.store.reader import Reader
    from memory_wire.types import Scope

NAME = "crossrefs"
LIMIT, MOST = 20, 100  # of each kind that is answered
FOREVER = (1 << 63) - 1


class Cited(Struct):
    """All citations. `by` has the citing documents by target: `d:`, `b:` or `h:` and its public name. `names` are the targets' titles;
    `targets` tell by hub what titles and paths mean, `ids` are documents' public ids.
    """

    by: dict[str, list[Page]]
    targets: dict[int, Targets]
    ids: dict[int, str]
    names: dict[str, str]
    state: bytes
    version: tuple[int, int]
    until: int


def cross_refs(service: Service, request: r.CrossRefs, scope: Scope) -> r.CrossRefsFound:
    """The answer of GET /api/social/cross-refs: the most cited first, equal ones by title. Raises Invalid."""
    limit = validate.unsigned("limit", request.limit)
    most = LIMIT if limit is None else max(1, min(limit, MOST))
    with service.read() as reader:
        cited = citations(service, reader)
    found = {kind: listed(service, cited, kind) for kind in "dbh"}
    sources = {page.id for pages in cited.by.values() for page in pages}
    totals = r.CrossRefTotals(sources=len(sources), docs=len(found["d"]), bundles=len(found["b"]), hubs=len(found["h"]))
    return r.CrossRefsFound(
        docs=found["d"][:most],
        bundles=found["b"][:most],
        hubs=found["h"][:most],
        totals=totals,
        truncated=any(len(rows) > most for rows in found.values()),
    )


def listed(service: Service, cited: Cited, kind: str) -> list[r.CrossRef]:
    """The targets of one kind with how many documents cite each."""
    path = {"d": "/", "b": "/b/", "h": "/hub/"}[kind]
    rows = [
        r.CrossRef(id=target[2:], title=cited.names[target], url=address(service, f"{path}{target[2:]}"), count=len(pages))
        for target, pages in cited.by.items()
        if target[0] == kind
    ]
    return sorted(rows, key=lambda row: (-row.count, row.title, row.id))


def backlinks(service: Service, reader: Reader, document: int) -> list[r.Backlink]:
    """The public documents that cite a public document, by title."""
    pages = reader.graph.some(PUBLIC, [document])
    found = citations(service, reader).by.get(f"d:{pages[0].public_id}", []) if pages else []
    return [r.Backlink(id=page.public_id, title=page.title, url=address(service, f"/{page.public_id}")) for page in found]


def leading(service: Service, reader: Reader, document: int) -> dict[str, str]:
    """Where a public document's references by title and by path lead; one to what isn't seen leads nowhere."""
    cited = citations(service, reader)
    found = {}
    for page in reader.graph.some(PUBLIC, [document]):
        targets = cited.targets[page.bank]
        for reference in gists.of(service, reader, PUBLIC, [document])[document].links.split("\n"):
            meant = targets.path(reference, document) if reference[:1] == "r" else targets[reference] if reference[:1] == "w" else 0
            if meant:
                found[reference] = f"/{cited.ids[meant]}"
    return found


# all of them -----------------------------------------------------------------------------------------------------------------------


def citations(service: Service, reader: Reader) -> Cited:
    """All citations between what everybody may see, kept until that changes."""
    held = service.kept.get(NAME)
    if isinstance(held, Cited) and held.version == reader.version and now_ms() < held.until:
        return held
    graph = reader.graph
    pages, hubs, bundles = graph.every(PUBLIC), graph.hubs(PUBLIC), graph.all_bundles(PUBLIC)
    state = content_hash(encode((pages, hubs, bundles)))
    until = min((at for bank, _, _ in hubs if (at := graph.lapse(PUBLIC, bank)) is not None), default=FOREVER)
    if not isinstance(held, Cited) or held.state != state:
        names = {f"d:{page.public_id}": page.title for page in pages}
        names.update((f"b:{id}", title) for id, title in bundles)
        names.update((f"h:{slug}", name) for _, slug, name in hubs)
        by_bank: dict[int, list[Page]] = {}
        for page in pages:
            by_bank.setdefault(page.bank, []).append(page)
        targets = {bank: Targets(mine) for bank, mine in by_bank.items()}
        by = counted(service, reader, pages, names, targets)
        held = service.kept[NAME] = Cited(by, targets, {page.id: page.public_id for page in pages}, names, state, reader.version, until)
    held.version, held.until = reader.version, until
    return held


def counted(
    service: Service, reader: Reader, pages: list[Page], names: dict[str, str], targets: dict[int, Targets]
) -> dict[str, list[Page]]:
    """The citing documents of each target, by title."""
    made = gists.complete(service, reader, PUBLIC, None)
    texts = dict(reader.graph.links(PUBLIC, RULES))
    texts.update((document, kept.links) for document, kept in made.items() if kept.links)
    by_id = {page.id: page for page in pages}
    found: dict[str, dict[int, Page]] = {}
    for document, text in texts.items():
        page = by_id[document]
        for reference in text.split("\n"):
            target = reference
            if reference[0] in "wr":
                mine = targets[page.bank]
                meant = mine.path(reference, document) if reference[0] == "r" else mine[reference]
                target = f"d:{by_id[meant].public_id}" if meant else ""
            if target in names and target != f"d:{page.public_id}":
                found.setdefault(target, {})[document] = page
    return {target: sorted(citing.values(), key=lambda page: (page.title, page.id)) for target, citing in found.items()}
