"""Vectors of one document or bundle, now: what is unchanged isn't embedded again, and one that has all its vectors asks no model.

Called by the service on a thread that may wait; the background job of embedding.py does the same for whole banks. A vector is known by its
model, dimension and text, so it is found again wherever that text stands: moved, reverted, in another document.
"""

from __future__ import annotations

from struct import unpack_from

from memory_wire import questions as q
from memory_wire.documents import ReadDoc
from memory_wire.retrieve import embed
from memory_wire.service import bundled, documents, embedding, models
from memory_wire.service.rows import CHUNK_BIT
from memory_wire.store.embeddings import Embedding
from memory_wire.store.rows import IndexRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_wire.retrieve.embed import Model
    from memory_wire.service.embedding import Made, Wanted
    from memory_wire.service.near import Question
    from memory_wire.service.service import Service
    from memory_wire.store.documents import Document
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank
    from memory_wire.types import Scope

NONE = "no embedder is configured"
HASH = 16
VERSIONS = 20  # of a document: what one of them had is kept


class Read:
    """A document's chunks as they are read for embedding: hashes in order, passages of each, rows that are known by key."""

    __slots__ = ("bank", "document", "hashes", "known", "wanted")

    def __init__(self, reader: Reader, bank: Bank, document: Document, language: int, made: Made) -> None:
        texts = reader.documents.texts(document.id)
        self.bank, self.document = bank, document
        self.hashes = [hash for _, hash, _, _ in texts]
        rows = [IndexRow(unit, 0, CHUNK_BIT, -1, 0, [], None, breadcrumb, content) for unit, _, breadcrumb, content in texts]
        self.wanted: list[list[Wanted]] = [embedding.wanted_of(row, language, made) for row in rows]
        keys = [one.key for passages in self.wanted for one in passages]
        self.known = {**reader.kept_vectors.known(keys), **reader.embeddings.known(made.id, keys)}


def embed_doc(service: Service, request: q.EmbedDoc, scope: Scope) -> q.EmbeddedDoc:
    """Gives a document the vectors of its text. Raises UnknownDocument, OutsideFailed, OutsideTimeout."""
    named = ReadDoc(id=request.id, bank=request.bank)
    with service.read() as reader:
        document = documents.named(reader, named, scope)
        bank = bank_of(reader, document.bank_name, scope)
        settings = service.settings_of(bank, reader)
        total = len(reader.documents.chunks(document.id))
    model = models.of(settings, "embedder")
    if model is None or not total:
        chunks = q.DocVectors(total=total)
        return told(chunks, False, "empty" if not total else None, NONE if model is None else None)
    made = embedding.made(service, model)
    with service.read() as reader:
        read = Read(reader, bank, documents.named(reader, named, scope), settings.language, made)
        before = reader.kept_vectors.chunks(read.document.id)
        space = reader.embeddings.space(bank, made.id)
        held = {(row.unit, row.passage) for row in reader.embeddings.rows(space, units_of(read))} if space is not None else set()
    chunks = counted(read, before[1] if before[0] == made.id else b"")
    if before == (made.id, b"".join(read.hashes)) and all((one.unit, one.passage) in held for one in passages_of(read)):
        return told(chunks, False, "unchanged")
    texts = {one.key: one.text for one in passages_of(read) if one.key not in read.known}
    rows = {**read.known, **(embedding.vectors(service, made, texts) if texts else {})}
    service.store.submit(lambda tx: keep(tx, read, made, rows))
    return told(chunks, True)


def told(chunks: q.DocVectors, embedded: bool, skipped: str | None = None, degraded: str | None = None) -> q.EmbeddedDoc:
    answer = q.EmbeddedDoc(doc_embedded=embedded, chunks=chunks)
    if skipped is not None:
        answer.skipped = skipped
    if degraded is not None:
        answer.degraded = degraded
    return answer


def bank_of(reader: Reader, name: str, scope: Scope) -> Bank:
    bank = reader.bank(scope.project, name)
    assert bank is not None
    return bank


def passages_of(read: Read) -> list[Wanted]:
    return [one for passages in read.wanted for one in passages]


def units_of(read: Read) -> list[int]:
    return sorted({one.unit for one in passages_of(read)})


def counted(read: Read, former: bytes) -> q.DocVectors:
    """What it means, against the chunks of when the document was embedded last, by hash and occurrence."""
    before = numbered([former[at : at + HASH] for at in range(0, len(former), HASH)])
    done = q.DocVectors(total=len(read.hashes))
    for (name, place), passages in zip(numbered(read.hashes).items(), read.wanted, strict=True):
        was = before.pop(name, None)
        if any(one.key not in read.known for one in passages):
            done.embedded += 1
        else:
            done.reused += 1
            done.moved += int(was not in (None, place))
    done.pruned = len(before)
    return done


def numbered(hashes: Sequence[bytes]) -> dict[tuple[bytes, int], int]:
    """Each hash with which of its kind it is, and its place."""
    seen: dict[bytes, int] = {}
    found = {}
    for place, hash in enumerate(hashes):
        seen[hash] = seen.get(hash, 0) + 1
        found[hash, seen[hash]] = place
    return found


def keep(tx: Tx, read: Read, made: Made, rows: dict[bytes, bytes]) -> None:
    """The work that keeps the vectors; of a document that was saved meanwhile only those of chunks that it still has."""
    document = tx.documents.by_id(read.bank.project, read.document.public_id)
    bank = tx.bank(read.bank.project, read.bank.name)
    if document is None or bank is None or document.bank != bank.id:
        return
    space = tx.embeddings.open(bank, made.id, made.model.config, made.model.name, made.dimension)
    live = {held.unit for held in tx.documents.chunks(document.id)}
    mine = [one for one in passages_of(read) if one.unit in live]
    there = {(row.unit, row.passage) for row in tx.embeddings.rows(space, sorted({one.unit for one in mine}))}
    missing = [one for one in mine if (one.unit, one.passage) not in there]
    tx.embeddings.put(space, [Embedding(one.unit, one.passage, one.key, rows[one.key]) for one in missing], 0)
    version = read.document.version
    tx.kept_vectors.keep_document(document.id, version, version - VERSIONS, made.id, b"".join(read.hashes), rows)


# bundles ---------------------------------------------------------------------------------------------------------------------------


def embed_bundle(service: Service, request: q.EmbedBundle, scope: Scope) -> q.EmbeddedBundle:
    """Gives a bundle the vector of what it shows everybody. Raises UnknownBundle, OutsideFailed, OutsideTimeout."""
    with service.read() as reader:
        bundle = bundled.named(reader, request, scope)
        text = bundled.embedded(reader, bundle, "public")
        settings = service.settings_of(bank_of(reader, bundle.bank_name, scope), reader)
    model = models.of(settings, "embedder")
    if model is None:
        return q.EmbeddedBundle(bundle_embedded=False, degraded=NONE)
    made = embedding.made(service, model)
    key, given = key_of(made.id, made.dimension, model, text)
    with service.read() as reader:
        if key in reader.kept_vectors.known([key]):
            return q.EmbeddedBundle(bundle_embedded=False, skipped="unchanged")
    row = embedding.vectors(service, made, {key: given})[key]
    service.store.submit(lambda tx: tx.kept_vectors.keep_bundle(bundle.id, key, row))
    return q.EmbeddedBundle(bundle_embedded=True)


def catch_up(service: Service, bank: Bank, made: Made) -> None:
    """Gives the vectors that they miss to the bundles of a bank that everybody sees: a name or a member's gate may have changed."""
    with service.read() as reader:
        wanted = {bundle.id: key_of(made.id, made.dimension, made.model, bundle.text) for bundle in reader.hubs.bundles(bank.id)}
        known = reader.kept_vectors.known(key for key, _ in wanted.values())
    missing = {id: (key, text) for id, (key, text) in wanted.items() if key not in known}
    if missing:
        rows = embedding.vectors(service, made, dict(missing.values()))
        service.store.submit(lambda tx: keep_bundles(tx, {id: (key, rows[key]) for id, (key, _) in missing.items()}))


def keep_bundles(tx: Tx, rows: dict[int, tuple[bytes, bytes]]) -> None:
    for bundle, (key, row) in rows.items():
        tx.kept_vectors.keep_bundle(bundle, key, row)


def key_of(space: bytes, dimension: int, model: Model, text: str) -> tuple[bytes, str]:
    """(key, the text that is embedded)."""
    given = f"{model.document_prefix}{text}"[: embedding.CHARS]
    return embed.key_of(space, dimension, given), given


def cosines(reader: Reader, model: Model, question: Question, texts: Sequence[str]) -> list[float] | None:
    """How near each text is to a question; None when one of them has no vector of the question's model."""
    keys = [key_of(question.space, question.dimension, model, text)[0] for text in texts]
    known = reader.kept_vectors.known(keys)
    if any(key not in known for key in keys):
        return None
    return [cosine(known[key], question.vector) for key in keys]


def cosine(row: bytes, vector: bytes) -> float:
    """Of a kept row and a float32 vector of length 1."""
    (scale,) = unpack_from("<f", row)
    kept = unpack_from(f"{len(row) - 4}b", row, 4)
    fresh = unpack_from(f"<{len(kept)}f", vector)
    return float(scale * sum(a * b for a, b in zip(kept, fresh, strict=True)))
