"""Documents within one transaction: their rows, versions, and which units are their chunks. Loaded with the first document."""

from __future__ import annotations

from msgspec import Struct, json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from sqlite3 import Connection

    from memory_wire.store.rows import Bank

_FIELDS = """
d.id, d.bank, b.name, d.public_id, d.title, d.titled, d.version, d.draft, d.private, d.deleted, d.password, d.allowed, d.expires,
d.edit_token, d.source, d.created, d.updated, EXISTS (SELECT 1 FROM public_document p WHERE p.id = d.id)
"""
_FROM = "FROM document d JOIN bank b ON b.id = d.bank JOIN project o ON o.id = b.project"
_WHOLE = "d.version > 0"  # an import that was cut off leaves one without
_BY_ID = f"SELECT {_FIELDS} {_FROM} WHERE d.public_id = ? AND o.name = ? AND b.name IS NOT NULL AND {_WHOLE}"
_PAGE = f"SELECT {_FIELDS} {_FROM} WHERE d.bank = ? AND d.id < ? AND {_WHOLE} AND (d.deleted IS NOT NULL) = ? ORDER BY d.id DESC LIMIT ?"
_ALL = f"SELECT {_FIELDS} {_FROM} WHERE d.bank = ? AND d.id > ? AND {_WHOLE} ORDER BY d.id LIMIT ?"
_CHUNKS = """
SELECT c.unit, u.hash, u.tags, c.ordinal, c.occurrence, c.anchor, c.first_line, c.last_line, c.part, c.parts
FROM chunk c JOIN unit u ON u.id = c.unit WHERE c.document = ? ORDER BY c.ordinal
"""
_TEXTS = """
SELECT c.unit, u.hash, c.breadcrumb, u.content FROM chunk c JOIN unit u ON u.id = c.unit WHERE c.document = ? ORDER BY c.ordinal
"""
_TOLD = """
SELECT c.unit, d.public_id, d.title, c.breadcrumb, c.anchor, c.first_line, c.last_line FROM chunk c JOIN document d ON d.id = c.document
WHERE c.unit IN (SELECT value FROM json_each(?))
"""
_CHUNK = """
INSERT INTO chunk (unit, document, version, ordinal, occurrence, breadcrumb, anchor, first_line, last_line, part, parts)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_MOVE = """
UPDATE chunk SET ordinal = ?, occurrence = ?, anchor = ?, first_line = ?, last_line = ?, part = ?, parts = ? WHERE unit = ?
"""
_SET = """
UPDATE document SET title = ?, titled = ?, version = ?, draft = ?, private = ?, deleted = ?, password = ?, allowed = ?, expires = ?,
edit_token = ?, source = ?, updated = ? WHERE id = ?
"""
NO_LIMIT = (1 << 63) - 1


class Document(Struct):
    """A document's row. Times are milliseconds; `allowed` is a JSON list of addresses; `public` is what the view says now."""

    id: int
    bank: int
    bank_name: str
    public_id: str
    title: str
    titled: int
    version: int
    draft: int
    private: int
    deleted: int | None
    password: bytes | None
    allowed: str | None
    expires: int | None
    edit_token: bytes | None
    source: str | None
    created: int
    updated: int
    public: int = 0


class VersionRow(Struct):
    """One version; `size` is its bytes, `made` how it came about."""

    version: int
    hash: bytes
    at: int
    author: int | None
    made: str | None
    size: int


class Place(Struct):
    """What of a chunk may change while its text stays: its place in the document."""

    ordinal: int
    occurrence: int
    anchor: str | None
    first_line: int
    last_line: int
    part: int
    parts: int

    def row(self) -> tuple[int, int, str | None, int, int, int, int]:
        return self.ordinal, self.occurrence, self.anchor, self.first_line, self.last_line, self.part, self.parts


class Held(Struct):
    """A chunk that is stored."""

    unit: int
    hash: bytes
    tags: bytes | None
    place: Place


class Told(Struct):
    """Where a chunk stands: document, titles above it, anchor, lines."""

    unit: int
    document: str
    title: str
    breadcrumb: str
    anchor: str | None
    first_line: int
    last_line: int


class Documents:
    """The queries of one transaction."""

    __slots__ = ("_execute", "_many")

    def __init__(self, connection: Connection) -> None:
        self._execute, self._many = connection.execute, connection.executemany

    # reading -----------------------------------------------------------------------------------------------------------------------

    def by_id(self, project: str, public_id: str) -> Document | None:
        """A document of the project, deleted or not, by its public id."""
        row = self._execute(_BY_ID, (public_id, project)).fetchone()
        return None if row is None else Document(*row)

    def get(self, id: int) -> Document:
        """A document that is there."""
        return Document(*self._execute(f"SELECT {_FIELDS} {_FROM} WHERE d.id = ?", (id,)).fetchone())

    def holder(self, public_id: str) -> Document | None:
        """The document that has a public id, in whatever project."""
        row = self._execute(f"SELECT {_FIELDS} {_FROM} WHERE d.public_id = ?", (public_id,)).fetchone()
        return None if row is None else Document(*row)

    def page(self, bank: Bank, limit: int, before: int = NO_LIMIT, deleted: bool = False) -> list[Document]:
        """Documents of a bank, the newest first, with an id below `before`."""
        return [Document(*row) for row in self._execute(_PAGE, (bank.id, before, deleted, limit))]

    def all(self, bank: Bank, after: int, limit: int) -> list[Document]:
        """Documents of a bank with an id above `after`, in the order they were made, deleted ones too."""
        return [Document(*row) for row in self._execute(_ALL, (bank.id, after, limit))]

    def count(self, bank: Bank) -> int:
        """Documents that aren't deleted."""
        return int(self._execute("SELECT count(*) FROM document WHERE bank = ? AND deleted IS NULL", (bank.id,)).fetchone()[0])

    def markdown(self, document: int, version: int) -> bytes | None:
        """A version's text, as it was given."""
        row = self._execute("SELECT markdown FROM version WHERE document = ? AND version = ?", (document, version)).fetchone()
        return None if row is None else bytes(row[0])

    def versions(self, document: int, limit: int, before: int = NO_LIMIT) -> list[VersionRow]:
        """Versions below a number, the newest first."""
        query = (
            "SELECT version, hash, at, author, made, length(markdown) FROM version WHERE document = ? AND version < ?"
            " ORDER BY version DESC LIMIT ?"
        )
        return [VersionRow(*row) for row in self._execute(query, (document, before, limit))]

    def after(self, document: int, version: int) -> VersionRow | None:
        """The next version above a number."""
        query = (
            "SELECT version, hash, at, author, made, length(markdown) FROM version WHERE document = ? AND version > ?"
            " ORDER BY version LIMIT 1"
        )
        row = self._execute(query, (document, version)).fetchone()
        return None if row is None else VersionRow(*row)

    def chunks(self, document: int) -> list[Held]:
        """The chunks that are indexed, in order."""
        return [Held(row[0], row[1], row[2], Place(*row[3:])) for row in self._execute(_CHUNKS, (document,))]

    def texts(self, document: int) -> list[tuple[int, bytes, str, str]]:
        """(unit, hash, breadcrumb, text) of its chunks, in order."""
        return self._execute(_TEXTS, (document,)).fetchall()

    def told(self, units: Iterable[int]) -> dict[int, Told]:
        """Where chunks stand, by unit."""
        rows = self._execute(_TOLD, (json.encode(list(units)).decode(),))
        return {row[0]: Told(*row) for row in rows}

    # writing -----------------------------------------------------------------------------------------------------------------------

    def add(self, bank: Bank, public_id: str, document: Document) -> int:
        """A new row with what the Struct says beside its ids; `put` gives it text."""
        values = (bank.id, public_id, document.title, document.titled, document.version, document.created, document.updated)
        query = "INSERT INTO document (bank, public_id, title, titled, version, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?)"
        id = self._execute(query, values).lastrowid
        assert id is not None
        document.id, document.bank, document.bank_name, document.public_id = id, bank.id, bank.name, public_id
        self.set(document)
        return id

    def set(self, document: Document) -> None:
        """Writes what may change of a row."""
        d = document
        gates = (d.draft, d.private, d.deleted, d.password, d.allowed, d.expires)
        self._execute(_SET, (d.title, d.titled, d.version, *gates, d.edit_token, d.source, d.updated, d.id))

    def put(self, document: int, row: VersionRow, markdown: bytes, again: bool = False) -> None:
        """Keeps a version; `again`: it may be there already."""
        fields = "(document, version, hash, at, author, made, markdown) VALUES (?, ?, ?, ?, ?, ?, ?)"
        query = f"INSERT {'OR IGNORE ' if again else ''}INTO version {fields}"
        self._execute(query, (document, row.version, row.hash, row.at, row.author, row.made, markdown))

    def copy_versions(self, source: int, document: int) -> None:
        """Gives a new document the versions of another one."""
        query = (
            "INSERT INTO version (document, version, hash, at, author, made, markdown)"
            " SELECT ?, version, hash, at, author, made, markdown FROM version WHERE document = ?"
        )
        self._execute(query, (document, source))

    def move(self, document: Document, bank: Bank) -> None:
        """Puts a document, which has no chunks now, into another bank."""
        document.bank, document.bank_name = bank.id, bank.name
        self._execute("UPDATE document SET bank = ? WHERE id = ?", (bank.id, document.id))
        self.set(document)

    def trim(self, document: int, upto: int) -> None:
        """Forgets versions up to a number."""
        self._execute("DELETE FROM version WHERE document = ? AND version <= ?", (document, upto))

    def add_chunks(self, document: int, version: int, chunks: Iterable[tuple[int, str, Place]]) -> None:
        """Makes units chunks: (unit, breadcrumb, place) of each."""
        rows = [(unit, document, version, p.ordinal, p.occurrence, crumb, *p.row()[2:]) for unit, crumb, p in chunks]
        self._many(_CHUNK, rows)

    def keep_chunks(self, document: int, version: int) -> None:
        """All that is there is of this version."""
        self._execute("UPDATE chunk SET version = ? WHERE document = ?", (version, document))

    def move_chunk(self, unit: int, place: Place) -> None:
        """Puts a chunk elsewhere in its document."""
        self._execute(_MOVE, (*place.row(), unit))

    def remove(self, document: int) -> None:
        """Removes a document for good; its chunks are gone already."""
        for statement in (
            "DELETE FROM bundle_member WHERE document = ?",
            "DELETE FROM link WHERE source_kind = 'document' AND source = ?",
            "DELETE FROM link WHERE target_kind = 'document' AND target = ?",
            "DELETE FROM version WHERE document = ?",
            "DELETE FROM gist WHERE document = ?",
            "DELETE FROM reading_link WHERE document = ?",
            "DELETE FROM kept_vector WHERE document = ?",
            "DELETE FROM embedded_document WHERE document = ?",
            "DELETE FROM document WHERE id = ?",
        ):
            self._execute(statement, (document,))
