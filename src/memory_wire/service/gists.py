"""Gists of documents: made in the background after a save, or when a reader needs one that isn't there, and kept in the store.

A gist depends on its document's title, tags and chunks alone, so whoever may see the document may see what is in it.
"""

from __future__ import annotations

from array import array

from msgspec import Struct, msgpack

from memory_wire.hub.kinds import RULES
from memory_wire.store.graph import OWNER, Kept, Page
from memory_wire.store.place import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory_wire.hub.gist import Gist
    from memory_wire.service.service import Service
    from memory_wire.store.graph import Graph
    from memory_wire.store.jobs import Job
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader

KIND, NAME = "gist", "gists"
SLICE = 24_000  # characters of text that one step of the background reads, about ten milliseconds of work
WRITE = 200  # gists of one write
BITS = 64
KIND_STEP = 16


class Terms(Struct, array_like=True, gc=False):
    """What a document is about, packed: names one a line, the first `size` of them concepts, the others plain words.

    `numbers`: a concept's weight in hundredths (u16), kind and rank of its line (u16: 16 × kind + rank), its chunks (u64, a bit each), one
    array after the other; of words the chunks only.
    """

    size: int
    keys: str
    labels: str
    numbers: bytes

    def split(self) -> tuple[list[str], list[str], array[int], array[int], array[int]]:
        """(keys, labels, weights, kinds, chunks)"""
        weights, kinds, chunks = array("H"), array("H"), array("Q")
        end = 2 * self.size
        weights.frombytes(self.numbers[:end])
        kinds.frombytes(self.numbers[end : 2 * end])
        chunks.frombytes(self.numbers[2 * end :])
        return self.keys.split("\n") if self.keys else [], self.labels.split("\n") if self.labels else [], weights, kinds, chunks


def packed(found: Gist, chunks: int) -> Terms:
    """The packed form of a gist of so many chunks; of more than 64, neighbours share a bit."""
    width = -(-chunks // BITS) or 1
    owns, words = found.concepts, found.words
    keys = [own.key for own in owns] + [stem for stem, _, _ in words]
    labels = [own.label for own in owns] + [word for _, word, _ in words]
    masks = [mask({at // width for at in places}) for places in [own.chunks for own in owns] + [at for _, _, at in words]]
    numbers = (
        array("H", [round(own.weight * 100) for own in owns]).tobytes()
        + array("H", [KIND_STEP * own.type + own.rank for own in owns]).tobytes()
        + array("Q", masks).tobytes()
    )
    return Terms(len(owns), "\n".join(keys), "\n".join(labels), numbers)


def mask(places: set[int]) -> int:
    return sum(1 << at for at in places)


class Lines(Struct, array_like=True):
    """A line for each concept, and the headings."""

    lines: list[str]
    headings: list[str]


terms_of = msgpack.Decoder(Terms).decode
lines_of = msgpack.Decoder(Lines).decode


def made(graph: Graph, view: str, page: Page) -> Kept:
    """The gist of a document that is seen."""
    from memory_wire.hub.gist import gist
    from memory_wire.service.chunking import unflagged

    rows = graph.chunks(view, page.id)
    tags = unflagged(rows[0][2]) if rows else []
    found = gist(page.title, tags, [(part, content) for part, content, _ in rows])
    return Kept(
        document=page.id,
        version=page.version,
        rules=RULES,
        title=page.title,
        links="\n".join(found.links),
        sketch=array("I", found.sketch).tobytes(),
        terms=msgpack.encode(packed(found, len(rows))),
        lines=msgpack.encode(Lines(found.lines, found.headings)),
    )


# in the background -----------------------------------------------------------------------------------------------------------------


def run(service: Service, job: Job) -> Callable[[Tx], None] | None:
    """The job: the next few gists, and what asks for the rest."""
    from memory_wire.service import jobs

    with service.read() as reader:
        bank = jobs.bank_of(reader, job)
        if bank is None:
            return None
        graph, found, size, more = reader.graph, list[Kept](), 0, False
        for page in graph.missing(OWNER, bank.id, RULES):
            if size >= SLICE:
                more = True
                break
            found.append(made(graph, OWNER, page))
            size += sum(len(content) for _, content, _ in graph.chunks(OWNER, page.id))
    of = bank

    def effect(tx: Tx) -> None:
        for kept in found:
            tx.graph.keep(kept)
        if more:
            jobs.enqueue(tx, KIND, of)
            service.expect_jobs()

    return effect if found else None


# at read time ----------------------------------------------------------------------------------------------------------------------


def complete(service: Service, reader: Reader, view: str, bank: int | None) -> dict[int, Kept]:
    """Gists that are missing in the reader's transaction, of a hub or of all, made now; they are kept for the next reader."""
    key = (reader.version, view, bank)
    held = service.kept.get(NAME)
    if isinstance(held, tuple) and held[0] == key:
        found: dict[int, Kept] = held[1]
        return found
    missing = reader.graph.missing(view, bank, RULES)
    found = _kept(service, [made(reader.graph, view, page) for page in missing])
    if missing:
        service.kept[NAME] = (key, found)
    return found


def sketches(service: Service, reader: Reader, view: str, bank: int) -> dict[int, bytes]:
    """The sketches of a hub's documents."""
    found = dict(reader.graph.sketches(view, bank, RULES))
    found.update((document, kept.sketch) for document, kept in complete(service, reader, view, bank).items())
    return found


def terms(service: Service, reader: Reader, view: str, bank: int) -> tuple[dict[int, bytes], dict[int, str]]:
    """What the documents of a hub are about, packed, and the references of those that have some, by document."""
    rows = reader.graph.terms(view, bank, RULES)
    about = {document: packed for document, packed, _ in rows if packed is not None}
    links = {document: text for document, _, text in rows if text}
    if len(about) < len(rows):
        for document, kept in complete(service, reader, view, bank).items():
            about[document] = kept.terms
            if kept.links:
                links[document] = kept.links
    return about, links


def of(service: Service, reader: Reader, view: str, documents: Sequence[int]) -> dict[int, Kept]:
    """The gists of those documents that are seen, by document."""
    graph = reader.graph
    found = {kept.document: kept for kept in graph.kept(view, documents, RULES)}
    if len(found) < len(set(documents)):
        rest = [page for page in graph.some(view, documents) if page.id not in found]
        found.update(_kept(service, [made(graph, view, page) for page in rest]))
    return found


def _kept(service: Service, found: list[Kept]) -> dict[int, Kept]:
    if found and not frozen(service.path):
        for start in range(0, len(found), WRITE):
            service.store.submit(keeping(found[start : start + WRITE]))
    return {kept.document: kept for kept in found}


def keeping(found: list[Kept]) -> Callable[[Tx], None]:
    """The work that keeps gists."""

    def work(tx: Tx) -> None:
        for kept in found:
            tx.graph.keep(kept)

    return work
