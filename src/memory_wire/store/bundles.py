"""Bundles within one transaction: ordered documents with annotations. Loaded with the first bundle.

These are the owner's queries; what everybody may see of a bundle is store/public.py.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire.store.documents import NO_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from sqlite3 import Connection

    from memory_wire.store.rows import Bank

_OWN = """
public_id, title, description, intent, draft, deleted, password, allowed, expires, discoverable, analysis, analysed, created, updated, shown
""".strip()
_FIELDS = f"""
v.id, {", ".join(f"v.{name.strip()}" for name in _OWN.split(","))}, v.bank, b.name, EXISTS (SELECT 1 FROM public_bundle p WHERE p.id = v.id)
""".strip()
_FROM = "FROM bundle v JOIN bank b ON b.id = v.bank"
_BY_ID = f"SELECT {_FIELDS} {_FROM} JOIN project o ON o.id = b.project WHERE v.public_id = ? AND o.name = ? AND b.name IS NOT NULL"
_OF = "EXISTS (SELECT 1 FROM bundle_member m WHERE m.bundle = v.id AND m.document = ?)"
_PAGE = f"SELECT {_FIELDS} {_FROM} WHERE v.bank = ? AND v.id < ? AND (v.deleted IS NOT NULL) = ? {{of}} ORDER BY v.id DESC LIMIT ?"
_MEMBERS = """
SELECT d.public_id, m.annotation FROM bundle_member m JOIN document d ON d.id = m.document WHERE m.bundle = ? ORDER BY m.position
"""
_VISIBLE = """
SELECT m.document, m.annotation FROM bundle_member m JOIN public_document d ON d.id = m.document WHERE m.bundle = ? ORDER BY m.position
"""
_COUNTS = """
SELECT count(*), count(d.id) FROM bundle_member m LEFT JOIN public_document d ON d.id = m.document WHERE m.bundle = ?
"""
_SET = """
UPDATE bundle SET title = ?, description = ?, intent = ?, draft = ?, deleted = ?, password = ?, allowed = ?, expires = ?, discoverable = ?,
analysis = ?, analysed = ?, updated = ?, shown = ? WHERE id = ?
"""

Members = list[tuple[int, "str | None"]]


class Bundle(Struct):
    """A bundle's row. Times are milliseconds; `allowed` is a JSON list of addresses; `public` is what the view says now.

    `shown` is when something changed last that everybody sees, `updated` when anything did.
    """

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
    shown: int = 0
    bank: int = 0
    bank_name: str = ""
    public: int = 0


class Bundles:
    """The queries of one transaction."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    # reading -----------------------------------------------------------------------------------------------------------------------

    def by_id(self, project: str, public_id: str) -> Bundle | None:
        """A bundle of the project, deleted or not, by its public id."""
        row = self._execute(_BY_ID, (public_id, project)).fetchone()
        return None if row is None else Bundle(*row)

    def page(self, bank: Bank, limit: int, before: int = NO_LIMIT, deleted: bool = False, document: int | None = None) -> list[Bundle]:
        """Bundles of a bank, the newest first, with an id below `before`; those that hold a document, if one is named."""
        of, more = ("", ()) if document is None else (f"AND {_OF}", (document,))
        return [Bundle(*row) for row in self._execute(_PAGE.format(of=of), (bank.id, before, deleted, *more, limit))]

    def all(self, bank: Bank) -> list[Bundle]:
        """The bank's bundles in the order they were made, deleted ones too."""
        return [Bundle(*row) for row in self._execute(f"SELECT {_FIELDS} {_FROM} WHERE v.bank = ? ORDER BY v.id", (bank.id,))]

    def count(self, bank: Bank) -> int:
        """Bundles that aren't deleted."""
        return int(self._execute("SELECT count(*) FROM bundle WHERE bank = ? AND deleted IS NULL", (bank.id,)).fetchone()[0])

    def counts(self, bundle: int) -> tuple[int, int]:
        """(members, those that everybody may see)"""
        found: tuple[int, int] = self._execute(_COUNTS, (bundle,)).fetchone()
        return found

    def members(self, bundle: int) -> list[tuple[str, str | None]]:
        """(public id of a document, annotation) in order."""
        return self._execute(_MEMBERS, (bundle,)).fetchall()

    def held(self, bundle: int) -> Members:
        """(document, annotation) in order."""
        return self._execute("SELECT document, annotation FROM bundle_member WHERE bundle = ? ORDER BY position", (bundle,)).fetchall()

    def visible(self, bundle: int) -> Members:
        """Of `held`, what everybody may see, whether or not the bundle is public."""
        return self._execute(_VISIBLE, (bundle,)).fetchall()

    def holds(self, public_id: str) -> int | None:
        """The bank that has a bundle of that id."""
        row = self._execute("SELECT bank FROM bundle WHERE public_id = ?", (public_id,)).fetchone()
        return None if row is None else int(row[0])

    # writing -----------------------------------------------------------------------------------------------------------------------

    def add(self, bank: Bank, b: Bundle) -> int:
        """A new bundle, still without members."""
        gates = (b.draft, b.deleted, b.password, b.allowed, b.expires, b.discoverable)
        values = (bank.id, b.public_id, b.title, b.description, b.intent, *gates, b.analysis, b.analysed, b.created, b.updated, b.shown)
        id = self._execute(f"INSERT INTO bundle (bank, {_OWN}) VALUES ({', '.join('?' * len(values))})", values).lastrowid
        assert id is not None
        b.id, b.bank, b.bank_name = id, bank.id, bank.name
        return id

    def set(self, b: Bundle) -> None:
        """Writes what may change of a row."""
        gates = (b.draft, b.deleted, b.password, b.allowed, b.expires, b.discoverable)
        self._execute(_SET, (b.title, b.description, b.intent, *gates, b.analysis, b.analysed, b.updated, b.shown, b.id))

    def add_member(self, bundle: int, position: int, document: int, annotation: str | None) -> None:
        """Puts a document at a position; one that is in the bundle already stays where it is."""
        self._execute("INSERT OR IGNORE INTO bundle_member VALUES (?, ?, ?, ?)", (bundle, position, document, annotation))

    def put_members(self, bundle: int, members: Sequence[tuple[int, str | None]]) -> None:
        """Makes these its members, in this order."""
        self._execute("DELETE FROM bundle_member WHERE bundle = ?", (bundle,))
        for position, (document, annotation) in enumerate(members):
            self.add_member(bundle, position, document, annotation)

    def move(self, source: Bank, target: Bank, hidden: bool) -> None:
        """Puts a bank's bundles into another; `hidden`: as drafts."""
        query = "UPDATE bundle SET bank = ?, draft = max(draft, ?), discoverable = min(discoverable, ?) WHERE bank = ?"
        self._execute(query, (target.id, hidden, not hidden, source.id))

    def remove(self, bundle: int) -> None:
        """Removes a bundle for good."""
        for statement in (
            "DELETE FROM bundle_member WHERE bundle = ?",
            "DELETE FROM link WHERE source_kind = 'bundle' AND source = ?",
            "DELETE FROM link WHERE target_kind = 'bundle' AND target = ?",
            "DELETE FROM kept_vector WHERE bundle = ?",
            "DELETE FROM bundle WHERE id = ?",
        ):
            self._execute(statement, (bundle,))
