"""What everybody may see of documents, bundles and hubs, within one transaction. Every query reads the public views; no gate is named here.

A version of a document is shown for a moment of the past only when the document was public at that moment and has been ever since.
"""

from __future__ import annotations

from msgspec import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

_FIELDS = "d.id, d.public_id, d.bank, d.slug, d.title, d.titled, d.version, d.source, d.created, d.updated, v.hash"
_DOCUMENT = f"SELECT {_FIELDS} FROM public_document d JOIN version v ON v.document = d.id AND v.version = d.version"
_THEN = """
SELECT d.id, d.public_id, d.bank, d.slug, d.title, d.titled, v.version, d.source, d.created, v.at, v.hash
FROM public_document d JOIN version v ON v.document = d.id
WHERE d.opened <= ?1 AND v.version = (SELECT max(w.version) FROM version w WHERE w.document = d.id AND w.at <= ?1) AND
"""
_LATELY = "ORDER BY d.updated DESC, d.id DESC LIMIT ? OFFSET ?"
_MEMBERS = f"""
SELECT m.annotation, {_FIELDS} FROM public_bundle_member m JOIN public_document d ON d.id = m.document
JOIN version v ON v.document = d.id AND v.version = d.version WHERE m.bundle = ? ORDER BY m.position
"""
_BUNDLE = """
SELECT b.id, b.public_id, b.bank, b.slug, b.title, b.description, b.intent, b.discoverable, b.analysis, b.created, max(b.created, b.shown,
  ifnull((SELECT max(d.updated) FROM public_bundle_member m JOIN public_document d ON d.id = m.document WHERE m.bundle = b.id), 0)),
  (SELECT count(*) FROM public_bundle_member m WHERE m.bundle = b.id)
FROM public_bundle b
"""
_PARENTS = "WHERE b.id IN (SELECT m.bundle FROM public_bundle_member m WHERE m.document = ?) ORDER BY b.title, b.id LIMIT ?"
_DISCOVERABLE = "b.discoverable = 1 AND EXISTS (SELECT 1 FROM public_bundle_member m WHERE m.bundle = b.id)"
_HUB = """
SELECT h.bank, h.slug, ifnull(h.display_name, h.slug), h.description, h.created,
  (SELECT count(*) FROM public_document d WHERE d.bank = h.bank), (SELECT count(*) FROM public_bundle b WHERE b.bank = h.bank),
  (SELECT max(d.updated) FROM public_document d WHERE d.bank = h.bank)
FROM hub h WHERE h.public = 1 AND h.slug = ?
"""


class PublicDocument(Struct):
    """A document that everybody sees, of the version that is shown. Times are milliseconds, `hash` is that version's."""

    id: int
    public_id: str
    bank: int
    slug: str
    title: str
    titled: int
    version: int
    source: str | None
    created: int
    updated: int
    hash: bytes


class PublicBundle(Struct):
    """A bundle that everybody sees; `updated` and `count` are of what is seen of it."""

    id: int
    public_id: str
    bank: int
    slug: str
    title: str
    description: str | None
    intent: str | None
    discoverable: int
    analysis: str | None
    created: int
    updated: int
    count: int


class PublicHub(Struct):
    """A hub that everybody sees; counts and `updated`, None for an empty one, are of what is seen of it."""

    bank: int
    slug: str
    name: str
    description: str | None
    created: int
    documents: int
    bundles: int
    updated: int | None


class Shelf:
    """The queries of one transaction."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    # documents ---------------------------------------------------------------------------------------------------------------------

    def document(self, public_id: str) -> PublicDocument | None:
        row = self._execute(f"{_DOCUMENT} WHERE d.public_id = ?", (public_id,)).fetchone()
        return None if row is None else PublicDocument(*row)

    def document_then(self, public_id: str, at: int) -> PublicDocument | None:
        """The document as everybody saw it at a moment."""
        row = self._execute(f"{_THEN} d.public_id = ?2", (at, public_id)).fetchone()
        return None if row is None else PublicDocument(*row)

    def markdown(self, document: PublicDocument) -> bytes:
        """The text of the version that is shown, as it was given."""
        query = "SELECT v.markdown FROM public_document d JOIN version v ON v.document = d.id WHERE d.id = ? AND v.version = ?"
        return bytes(self._execute(query, (document.id, document.version)).fetchone()[0])

    def beginning(self, document: PublicDocument, size: int) -> bytes:
        """The first bytes of the text of the version that is shown."""
        query = (
            "SELECT substr(v.markdown, 1, ?) FROM public_document d JOIN version v ON v.document = d.id WHERE d.id = ? AND v.version = ?"
        )
        (found,) = self._execute(query, (size, document.id, document.version)).fetchone()
        return bytes(found or b"")  # of an empty text SQLite cuts nothing

    def description(self, document: PublicDocument) -> str | None:
        """What a model made of it, as it is kept; described.py says whether it is for everybody."""
        row = self._execute("SELECT derived FROM public_document WHERE id = ?", (document.id,)).fetchone()
        return None if row is None else row[0]

    def was_seen(self, document: int, version: int) -> bool:
        """Whether everybody saw an older version at some time."""
        query = (
            "SELECT EXISTS (SELECT 1 FROM public_document d JOIN version w ON w.document = d.id AND w.version = ?2 + 1 AND w.at > d.opened"
            " WHERE d.id = ?1)"
        )
        return bool(self._execute(query, (document, version)).fetchone()[0])

    def documents(self, bank: int, limit: int, offset: int = 0, since: int = 0) -> list[PublicDocument]:
        """Documents of a hub that were changed at a time or later, those changed last first."""
        rows = self._execute(f"{_DOCUMENT} WHERE d.bank = ? AND d.updated >= ? {_LATELY}", (bank, since, limit, offset))
        return [PublicDocument(*row) for row in rows]

    def documents_then(self, bank: int, at: int, limit: int) -> list[PublicDocument]:
        """Documents of a hub as everybody saw them at a moment, those changed last first."""
        rows = self._execute(f"{_THEN} d.bank = ?2 ORDER BY v.at DESC, d.id DESC LIMIT ?3", (at, bank, limit))
        return [PublicDocument(*row) for row in rows]

    def n_documents(self, bank: int, since: int) -> int:
        """How many were changed at a time or later."""
        query = "SELECT count(*) FROM public_document WHERE bank = ? AND updated >= ?"
        return int(self._execute(query, (bank, since)).fetchone()[0])

    def n_documents_then(self, bank: int, at: int) -> int:
        """How many everybody saw at a moment."""
        return int(self._execute(f"SELECT count(*) FROM ({_THEN} d.bank = ?2)", (at, bank)).fetchone()[0])

    # bundles -----------------------------------------------------------------------------------------------------------------------

    def bundle(self, public_id: str) -> PublicBundle | None:
        row = self._execute(f"{_BUNDLE} WHERE b.public_id = ?", (public_id,)).fetchone()
        return None if row is None else PublicBundle(*row)

    def members(self, bundle: int) -> list[tuple[PublicDocument, str | None]]:
        """(document, annotation) of what everybody sees of a bundle, in order."""
        return [(PublicDocument(*row), note) for note, *row in self._execute(_MEMBERS, (bundle,))]

    def bundles(self, bank: int, limit: int, until: int | None = None) -> list[PublicBundle]:
        """Bundles of a hub by title; those that were made up to a time."""
        query = f"{_BUNDLE} WHERE b.bank = ?1 AND (?2 IS NULL OR b.created <= ?2) ORDER BY b.title, b.id LIMIT ?3"
        return [PublicBundle(*row) for row in self._execute(query, (bank, until, limit))]

    def n_bundles(self, bank: int, until: int) -> int:
        """How many were made up to a time."""
        query = "SELECT count(*) FROM public_bundle WHERE bank = ? AND created <= ?"
        return int(self._execute(query, (bank, until)).fetchone()[0])

    def parents(self, document: int, limit: int) -> list[PublicBundle]:
        """Bundles in which everybody sees a document, by title."""
        return [PublicBundle(*row) for row in self._execute(f"{_BUNDLE} {_PARENTS}", (document, limit))]

    def n_parents(self, document: int) -> int:
        return int(self._execute("SELECT count(*) FROM public_bundle_member WHERE document = ?", (document,)).fetchone()[0])

    def discoverable(self, limit: int) -> list[PublicBundle]:
        """Bundles of all hubs that are listed where people look for some and show a document, those changed last first."""
        rows = self._execute(f"{_BUNDLE} WHERE {_DISCOVERABLE} ORDER BY 11 DESC, b.id DESC LIMIT ?", (limit,))
        return [PublicBundle(*row) for row in rows]

    def n_discoverable(self) -> int:
        return int(self._execute(f"SELECT count(*) FROM public_bundle b WHERE {_DISCOVERABLE}").fetchone()[0])

    # hubs --------------------------------------------------------------------------------------------------------------------------

    def hub(self, slug: str) -> PublicHub | None:
        row = self._execute(_HUB, (slug,)).fetchone()
        return None if row is None else PublicHub(*row)
