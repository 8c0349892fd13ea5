"""What documents of hubs are about and how they hang together, within one transaction. Loaded with the first hub.

Every query goes through the views of one reader: `public` for everybody, `owner` for who has the hub's key. Gists are kept of documents,
whoever sees them; they are only ever read joined with a view.
"""

from __future__ import annotations

from msgspec import Struct, json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from sqlite3 import Connection

PUBLIC, OWNER = "public", "owner"
_HELD = "g.document = d.id AND g.version = d.version AND g.title = d.title AND g.rules = ?"
_DOCUMENTS = "SELECT d.id, d.public_id, d.title, d.version, d.created, d.updated, d.bank, d.slug, d.source FROM {view}_document d"
_BUNDLES = "SELECT b.id, b.public_id, b.title, b.created FROM {view}_bundle b WHERE b.bank = ? ORDER BY b.id"
_MEMBERS = """
SELECT m.bundle, m.document FROM {view}_bundle b JOIN {view}_bundle_member m ON m.bundle = b.id WHERE b.bank = ?
ORDER BY m.bundle, m.position
"""
_CHUNKS = """
SELECT c.part, c.content, u.tags FROM {view}_chunk c JOIN unit u ON u.id = c.unit WHERE c.document = ? ORDER BY c.ordinal
"""
_UNITS = "SELECT c.document, c.unit FROM {view}_chunk c WHERE c.document IN (SELECT value FROM json_each(?)) ORDER BY c.document, c.ordinal"
_ROWS = """
SELECT e.unit, e.row FROM embedding e WHERE e.space = (SELECT max(id) FROM space WHERE bank = ?)
AND e.unit IN (SELECT value FROM json_each(?)) ORDER BY e.unit, e.passage
"""
_LAPSE = """
SELECT min(expires) FROM (SELECT expires FROM {view}_document WHERE expires IS NOT NULL AND bank = ?1
UNION ALL SELECT expires FROM {view}_bundle WHERE expires IS NOT NULL AND bank = ?1)
"""
_HUBS = (
    "SELECT DISTINCT h.bank, h.slug, ifnull(h.display_name, h.slug) FROM hub h JOIN {view}_document d ON d.bank = h.bank ORDER BY h.slug"
)
_EVENTS = """
SELECT d.created, d.public_id, d.title, (SELECT made FROM version v WHERE v.document = d.id ORDER BY v.version LIMIT 1)
FROM {view}_document d WHERE d.bank = ? ORDER BY d.created DESC, d.id DESC LIMIT ?
"""


class Page(Struct, gc=False):
    """A document as its hub's graph knows it; times are milliseconds."""

    id: int
    public_id: str
    title: str
    version: int
    created: int
    updated: int
    bank: int
    slug: str
    source: str | None = None


class Binding(Struct):
    """A bundle as its hub's graph knows it, with the documents that are seen in it, in order."""

    id: int
    public_id: str
    title: str
    created: int
    members: list[int] = []


class Kept(Struct):
    """A gist as it is stored."""

    document: int
    version: int
    rules: int
    title: str
    links: str
    sketch: bytes
    terms: bytes
    lines: bytes


class Graph:
    """The queries of one transaction."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    # the hub -----------------------------------------------------------------------------------------------------------------------

    def is_hub(self, bank: int) -> bool:
        """Whether a bank has a slug."""
        return bool(self._execute("SELECT EXISTS (SELECT 1 FROM hub WHERE bank = ?)", (bank,)).fetchone()[0])

    def documents(self, view: str, bank: int) -> list[Page]:
        """The hub's documents in the order they were made."""
        return [Page(*row) for row in self._execute(f"{_DOCUMENTS.format(view=view)} WHERE d.bank = ? ORDER BY d.id", (bank,))]

    def every(self, view: str) -> list[Page]:
        """The documents of all hubs in the order they were made."""
        return [Page(*row) for row in self._execute(f"{_DOCUMENTS.format(view=view)} ORDER BY d.id")]

    def some(self, view: str, documents: Sequence[int]) -> list[Page]:
        """Those of the documents that are seen, in the order they were made."""
        query = f"{_DOCUMENTS.format(view=view)} WHERE d.id IN (SELECT value FROM json_each(?)) ORDER BY d.id"
        return [Page(*row) for row in self._execute(query, (json.encode(list(documents)).decode(),))]

    def bundles(self, view: str, bank: int) -> list[Binding]:
        """The hub's bundles in the order they were made."""
        found = [Binding(*row) for row in self._execute(_BUNDLES.format(view=view), (bank,))]
        by_id = {bundle.id: bundle for bundle in found}
        for bundle, document in self._execute(_MEMBERS.format(view=view), (bank,)):
            if bundle in by_id:
                by_id[bundle].members = [*by_id[bundle].members, document]
        return found

    def hubs(self, view: str) -> list[tuple[int, str, str]]:
        """(bank, slug, name) of the hubs that show a document."""
        return self._execute(_HUBS.format(view=view)).fetchall()

    def all_bundles(self, view: str) -> list[tuple[str, str]]:
        """(public id, title) of the bundles of all hubs."""
        return self._execute(f"SELECT b.public_id, b.title FROM {view}_bundle b ORDER BY b.id").fetchall()

    def lapse(self, view: str, bank: int) -> int | None:
        """When the next of what is seen expires."""
        row = self._execute(_LAPSE.format(view=view), (bank,)).fetchone()
        return None if row[0] is None else int(row[0])

    def events(self, view: str, bank: int, limit: int) -> list[tuple[int, str, str, str | None]]:
        """(time, public id, title, how its oldest kept version came) of the documents, the newest first."""
        return self._execute(_EVENTS.format(view=view), (bank, limit)).fetchall()

    # texts -------------------------------------------------------------------------------------------------------------------------

    def chunks(self, view: str, document: int) -> list[tuple[int, str, bytes | None]]:
        """(part, text, tags) of a document's chunks in order."""
        return self._execute(_CHUNKS.format(view=view), (document,)).fetchall()

    def units(self, view: str, documents: Sequence[int]) -> list[tuple[int, int]]:
        """(document, unit) of the chunks of documents, in order."""
        return self._execute(_UNITS.format(view=view), (json.encode(list(documents)).decode(),)).fetchall()

    def rows(self, bank: int, units: Sequence[int]) -> list[tuple[int, bytes]]:
        """(unit, row of a vector) of units by the bank's newest model, by unit and passage."""
        return self._execute(_ROWS, (bank, json.encode(list(units)).decode())).fetchall()

    # gists -------------------------------------------------------------------------------------------------------------------------

    def missing(self, view: str, bank: int | None, rules: int) -> list[Page]:
        """Documents of a hub, or of all, whose gist isn't there or is of an older text."""
        of = "" if bank is None else "AND d.bank = ?"
        query = f"{_DOCUMENTS.format(view=view)} WHERE NOT EXISTS (SELECT 1 FROM gist g WHERE {_HELD}) {of} ORDER BY d.id"
        return [Page(*row) for row in self._execute(query, (rules,) if bank is None else (rules, bank))]

    def terms(self, view: str, bank: int, rules: int) -> list[tuple[int, bytes | None, str]]:
        """(document, what it is about, references a line each) of a hub's documents; None where the gist isn't there."""
        of = f"FROM {view}_document d LEFT JOIN gist g ON {_HELD} WHERE d.bank = ? ORDER BY d.id"
        query = f"SELECT d.id, g.terms, ifnull(g.links, '') {of}"
        return self._execute(query, (rules, bank)).fetchall()

    def links(self, view: str, rules: int, bank: int | None = None) -> list[tuple[int, str]]:
        """(document, references a line each) of the documents that have some, of a hub or of all."""
        of = "" if bank is None else "AND d.bank = ?"
        query = f"SELECT d.id, g.links FROM {view}_document d JOIN gist g ON {_HELD} WHERE g.links <> '' {of} ORDER BY d.id"
        return self._execute(query, (rules,) if bank is None else (rules, bank)).fetchall()

    def sketches(self, view: str, bank: int, rules: int) -> list[tuple[int, bytes]]:
        """(document, sketch) of a hub's documents."""
        query = f"SELECT d.id, g.sketch FROM {view}_document d JOIN gist g ON {_HELD} WHERE d.bank = ? ORDER BY d.id"
        return self._execute(query, (rules, bank)).fetchall()

    def kept(self, view: str, documents: Sequence[int], rules: int) -> list[Kept]:
        """The gists of some documents that are seen."""
        columns = "g.document, g.version, g.rules, g.title, g.links, g.sketch, g.terms, g.lines"
        query = (
            f"SELECT {columns} FROM {view}_document d JOIN gist g ON {_HELD} WHERE d.id IN (SELECT value FROM json_each(?)) ORDER BY d.id"
        )
        return [Kept(*row) for row in self._execute(query, (rules, json.encode(list(documents)).decode()))]

    def keep(self, gist: Kept) -> None:
        """Keeps a gist, unless its document has another text by now or is gone."""
        self._execute(
            "INSERT OR REPLACE INTO gist (document, version, rules, title, links, sketch, terms, lines)"
            " SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM document WHERE id = ? AND version = ? AND title = ?)",
            (
                gist.document, gist.version, gist.rules, gist.title, gist.links, gist.sketch, gist.terms, gist.lines,
                gist.document, gist.version, gist.title,
            ),
        )  # fmt: skip

    # suggestions -------------------------------------------------------------------------------------------------------------------

    def decided(self, bank: int) -> list[tuple[bytes, int, str]]:
        """(name, 1 when accepted, documents) of the suggestions that were decided about."""
        query = "SELECT name, accepted, documents FROM suggestion WHERE bank = ? ORDER BY name"
        return self._execute(query, (bank,)).fetchall()

    def decide(self, bank: int, name: bytes, accepted: bool, documents: Sequence[str], at: int) -> None:
        """Keeps what became of a suggestion."""
        row = (bank, name, int(accepted), json.encode(list(documents)).decode(), at)
        self._execute("INSERT OR REPLACE INTO suggestion (bank, name, accepted, documents, at) VALUES (?, ?, ?, ?, ?)", row)
