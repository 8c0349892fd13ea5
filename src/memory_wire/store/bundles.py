"""Bundles within one transaction: ordered documents with annotations. Loaded with the first bundle."""

from __future__ import annotations

from msgspec import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from memory_wire.store.rows import Bank

_FIELDS = """
id, public_id, title, description, intent, draft, deleted, password, allowed, expires, discoverable, analysis, analysed, created, updated
""".strip()
_MEMBERS = """
SELECT d.public_id, m.annotation FROM bundle_member m JOIN document d ON d.id = m.document WHERE m.bundle = ? ORDER BY m.position
"""


class Bundle(Struct):
    """A bundle's row. Times are milliseconds; `allowed` is a JSON list of addresses."""

    id: int
    public_id: str
    title: str
    description: str | None
    intent: str | None
    draft: int
    deleted: int | None
    password: bytes | None
    allowed: str | None
    expires: int | None
    discoverable: int
    analysis: str | None
    analysed: int | None
    created: int
    updated: int


class Bundles:
    """The queries of one transaction."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    def all(self, bank: Bank) -> list[Bundle]:
        """The bank's bundles in the order they were made, deleted ones too."""
        return [Bundle(*row) for row in self._execute(f"SELECT {_FIELDS} FROM bundle WHERE bank = ? ORDER BY id", (bank.id,))]

    def members(self, bundle: int) -> list[tuple[str, str | None]]:
        """(public id of a document, annotation) in order."""
        return self._execute(_MEMBERS, (bundle,)).fetchall()

    def holds(self, public_id: str) -> int | None:
        """The bank that has a bundle of that id."""
        row = self._execute("SELECT bank FROM bundle WHERE public_id = ?", (public_id,)).fetchone()
        return None if row is None else int(row[0])

    def add(self, bank: Bank, b: Bundle) -> int:
        """A new bundle, still without members."""
        gates = (b.draft, b.deleted, b.password, b.allowed, b.expires, b.discoverable)
        values = (bank.id, b.public_id, b.title, b.description, b.intent, *gates, b.analysis, b.analysed, b.created, b.updated)
        marks = ", ".join("?" * len(values))
        id = self._execute(f"INSERT INTO bundle (bank, {_FIELDS.removeprefix('id, ')}) VALUES ({marks})", values).lastrowid
        assert id is not None
        return id

    def add_member(self, bundle: int, position: int, document: int, annotation: str | None) -> None:
        """Puts a document at a position; one that is in the bundle already stays where it is."""
        self._execute("INSERT OR IGNORE INTO bundle_member VALUES (?, ?, ?, ?)", (bundle, position, document, annotation))

    def move(self, source: Bank, target: Bank, hidden: bool) -> None:
        """Puts a bank's bundles into another; `hidden`: as drafts."""
        self._execute("UPDATE bundle SET bank = ?, draft = max(draft, ?) WHERE bank = ?", (target.id, hidden, source.id))
