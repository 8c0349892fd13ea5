"""Hubs and the public projection: which chunks everybody may see, and the feed that the public index follows. Loaded with the first hub.

`published` is made equal to the view public_chunk in the transaction of whatever changes that: the view is what public means.
"""

from __future__ import annotations

from msgspec import Struct, json

from memory_wire.errors import Pruned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from sqlite3 import Connection


_PUBLIC_HUB = """
SELECT h.bank, b.name, p.name, h.slug, h.display_name, h.description, h.public, h.instructions, h.created
FROM hub h JOIN bank b ON b.id = h.bank JOIN project p ON p.id = b.project WHERE b.name IS NOT NULL AND h.slug = ? AND h.public = 1
"""
_HUB = """
SELECT h.bank, b.name, p.name, h.slug, h.display_name, h.description, h.public, h.instructions, h.created, h.keyless,
       (SELECT count(*) FROM document d WHERE d.bank = h.bank AND d.deleted IS NULL),
       (SELECT count(*) FROM public_document d WHERE d.bank = h.bank)
FROM hub h JOIN bank b ON b.id = h.bank JOIN project p ON p.id = b.project WHERE b.name IS NOT NULL AND
"""
_PUT = """
INSERT INTO hub (bank, slug, display_name, description, public, instructions, created, keyless) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (bank) DO UPDATE SET slug = excluded.slug, display_name = excluded.display_name, description = excluded.description,
public = excluded.public, instructions = excluded.instructions, keyless = excluded.keyless
"""
_KEYLESS = """
SELECT EXISTS (SELECT 1 FROM hub h JOIN bank b ON b.id = h.bank JOIN project p ON p.id = b.project
WHERE p.name = ? AND b.name IS NOT NULL AND coalesce(h.keyless, ?))
"""
_WITHDRAW = """
INSERT INTO withdrawn (bank, place, uid) SELECT bank, id, uid FROM published p
WHERE {of} AND NOT EXISTS (SELECT 1 FROM public_chunk c WHERE c.unit = p.unit) ORDER BY p.id
"""
_GONE = "DELETE FROM published WHERE {of} AND id IN (SELECT place FROM withdrawn WHERE seq > ?)"
_PUBLISH = """
INSERT INTO published (bank, document, unit, uid) SELECT c.bank, c.document, c.unit, randomblob(16) FROM public_chunk c
WHERE {of} AND NOT EXISTS (SELECT 1 FROM published p WHERE p.unit = c.unit) ORDER BY c.document, c.ordinal
"""
_CLOSED = """
UPDATE document SET opened = NULL
WHERE {of} AND opened IS NOT NULL AND NOT EXISTS (SELECT 1 FROM public_document p WHERE p.id = document.id)
"""
_OPENED = """
UPDATE document SET opened = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
WHERE {of} AND opened IS NULL AND EXISTS (SELECT 1 FROM public_document p WHERE p.id = document.id)
"""
_LAPSED = """
SELECT EXISTS (SELECT 1 FROM document d WHERE d.bank = ? AND d.expires <= strftime('%s', 'now') * 1000
AND EXISTS (SELECT 1 FROM published p WHERE p.document = d.id))
"""
_STATE = """
SELECT newest, max(pruned, coalesce((SELECT max(seq) FROM withdrawn WHERE bank = hub.bank), 0)), pruned FROM hub WHERE bank = ?
"""
_ROWS = """
SELECT p.id, u.created, u.tags, u.content, c.breadcrumb FROM published p JOIN unit u ON u.id = p.unit JOIN chunk c ON c.unit = p.unit
WHERE p.bank = ? AND p.id > ? AND p.id <= ? ORDER BY p.id LIMIT ?
"""
_FOUND = """
SELECT p.id, c.uid, c.content, c.updated, c.public_id, c.title, c.breadcrumb, c.anchor, c.ordinal, c.first_line, c.last_line
FROM published p JOIN public_chunk c ON c.unit = p.unit WHERE p.bank = ? AND p.id IN (SELECT value FROM json_each(?))
"""
_MARKDOWN = """
SELECT v.markdown FROM public_document d JOIN version v ON v.document = d.id AND v.version = d.version WHERE d.public_id = ?
"""
_BUNDLES = """
SELECT b.id, b.public_id, b.title, b.description, b.shown, d.title, d.updated FROM public_bundle b
LEFT JOIN public_bundle_member m ON m.bundle = b.id LEFT JOIN public_document d ON d.id = m.document
WHERE b.bank = ? ORDER BY b.id, m.position
"""
NO_LIMIT = (1 << 63) - 1


class Hub(Struct):
    """A bank that has a slug. `documents` aren't deleted, `visible` are public. `keyless`: whether documents are made without a key; None:
    over a loopback address.
    """

    bank: int
    bank_name: str
    project: str
    slug: str
    display_name: str | None
    description: str | None
    public: int
    instructions: str | None
    created: int
    keyless: int | None = None
    documents: int = 0
    visible: int = 0

    def admits(self, exposed: bool) -> bool:
        """Whether documents may be made in it without a key, over an address that others can reach or another."""
        return bool(self.keyless) if self.keyless is not None else not exposed


class PublicFound(Struct):
    """A public chunk as a recall serves it; `id` is its place in the public index, `created` when its document was changed last."""

    id: int
    uid: bytes
    content: str
    created: int
    document: str
    title: str
    breadcrumb: str
    anchor: str | None
    ordinal: int
    first_line: int
    last_line: int
    tags: list[str] = []
    session: str | None = None
    kind: int = 2


class PublicBundle(Struct):
    """A bundle as it is found: `text` is its title, its description and the titles of the `documents` that everybody may see."""

    id: int
    public_id: str
    title: str
    description: str | None
    updated: int
    text: str
    documents: int = 0


class Hubs:
    """The queries of one transaction."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    # hubs --------------------------------------------------------------------------------------------------------------------------

    def by_slug(self, slug: str) -> Hub | None:
        """Whoever's it is, public or not."""
        row = self._execute(f"{_HUB} h.slug = ?", (slug,)).fetchone()
        return None if row is None else Hub(*row)

    def public(self, slug: str) -> Hub | None:
        """A hub that is public, without its counts."""
        row = self._execute(_PUBLIC_HUB, (slug,)).fetchone()
        return None if row is None else Hub(*row)

    def of_bank(self, bank: int) -> Hub | None:
        row = self._execute(f"{_HUB} h.bank = ?", (bank,)).fetchone()
        return None if row is None else Hub(*row)

    def all(self, project: str) -> list[Hub]:
        """The project's hubs by slug."""
        return [Hub(*row) for row in self._execute(f"{_HUB} p.name = ? ORDER BY h.slug", (project,))]

    def put(self, hub: Hub) -> None:
        """Makes the hub of a bank, or changes it; its slug is free or its own."""
        row = (hub.bank, hub.slug, hub.display_name, hub.description, hub.public, hub.instructions, hub.created, hub.keyless)
        self._execute(_PUT, row)

    def keyless(self, project: str, exposed: bool) -> bool:
        """Whether documents may be made without a key in any of a project's hubs."""
        return bool(self._execute(_KEYLESS, (project, not exposed)).fetchone()[0])

    # the public projection ---------------------------------------------------------------------------------------------------------

    def reconcile(self, bank: int, document: int | None = None) -> bool:
        """Makes `published` what the view shows, of one document or of the whole bank; whether anything changed."""
        of, key = ("{}bank = ?", bank) if document is None else ("{}document = ?", document)
        for query in (_CLOSED, _OPENED):
            self._execute(query.format(of="bank = ?" if document is None else "id = ?"), (key,))
        (seq,) = self._execute("SELECT coalesce(max(seq), 0) FROM withdrawn").fetchone()
        gone = self._execute(_WITHDRAW.format(of=of.format("p.")), (key,)).rowcount
        if gone:
            self._execute(_GONE.format(of=of.format("")), (key, seq))
        come = self._execute(_PUBLISH.format(of=of.format("c.")), (key,)).rowcount
        if come:
            self._execute("UPDATE hub SET newest = (SELECT max(id) FROM published WHERE bank = ?) WHERE bank = ?", (bank, bank))
        return bool(gone or come)

    def lapsed(self, bank: int) -> bool:
        """Whether something is published that has expired since."""
        return bool(self._execute(_LAPSED, (bank,)).fetchone()[0])

    def found(self, bank: int, places: Sequence[int]) -> dict[int, PublicFound]:
        """Public chunks by their places in the index; what may not be seen any more is missing."""
        rows = self._execute(_FOUND, (bank, json.encode(list(places)).decode()))
        return {row[0]: PublicFound(*row) for row in rows}

    def markdown(self, public_id: str) -> bytes | None:
        """The text of a public document."""
        row = self._execute(_MARKDOWN, (public_id,)).fetchone()
        return None if row is None else bytes(row[0])

    def bundles(self, bank: int) -> list[PublicBundle]:
        """The bank's public bundles in the order they were made."""
        found: dict[int, PublicBundle] = {}
        for id, public_id, title, description, shown, member, updated in self._execute(_BUNDLES, (bank,)):
            bundle = found.get(id)
            if bundle is None:
                text = "\n".join(filter(None, (title, description)))
                bundle = found[id] = PublicBundle(id, public_id, title, description, shown, text)
            if member is not None:
                bundle.text += f"\n{member}" if member else ""
                bundle.documents += 1
                bundle.updated = max(bundle.updated, updated)
        return list(found.values())

    # what its index follows --------------------------------------------------------------------------------------------------------

    def state(self, bank: int) -> tuple[int, int, int]:
        """(highest place so far, newest withdrawal, withdrawals that aren't kept any more)."""
        row = self._execute(_STATE, (bank,)).fetchone()
        return (0, 0, 0) if row is None else row

    def rows(self, bank: int, after: int, upto: int | None, limit: int) -> list[tuple[int, int, bytes | None, str, str]]:
        """(place, time, tags, text, breadcrumb) with after < place <= upto, ascending."""
        return self._execute(_ROWS, (bank, after, NO_LIMIT if upto is None else upto, limit)).fetchall()

    def places(self, bank: int) -> list[tuple[int, int]]:
        """(unit, place) of all that is published, by ascending unit."""
        return self._execute("SELECT unit, id FROM published WHERE bank = ? ORDER BY unit", (bank,)).fetchall()

    def identity(self, bank: int, place: int) -> bytes | None:
        """16 bytes that no other row had; None for a place that isn't known."""
        for query in ("SELECT uid FROM published WHERE id = ? AND bank = ?", "SELECT uid FROM withdrawn WHERE place = ? AND bank = ?"):
            row = self._execute(query, (place, bank)).fetchone()
            if row is not None:
                return bytes(row[0])
        return None

    def removed(self, bank: int, after_seq: int, pruned: int) -> list[tuple[int, int]]:
        """[(seq, place)] after that seq. Raises Pruned when older ones are no longer kept."""
        if after_seq < pruned:
            raise Pruned(f"withdrawals up to {pruned} are no longer kept")
        return self._execute("SELECT seq, place FROM withdrawn WHERE bank = ? AND seq > ? ORDER BY seq", (bank, after_seq)).fetchall()

    def removal(self, bank: int, seq: int) -> bytes | None:
        """16 bytes that tell this withdrawal from any other; None for an unknown one."""
        row = self._execute("SELECT uid FROM withdrawn WHERE seq = ? AND bank = ?", (seq, bank)).fetchone()
        return None if row is None else bytes(row[0])

    def prune(self, bank: int, seq: int, keep: Sequence[int]) -> None:
        """Forgets withdrawals below `seq`, except those of the places in `keep`."""
        kept = json.encode(list(keep)).decode()
        query = "DELETE FROM withdrawn WHERE bank = ? AND seq < ? AND place NOT IN (SELECT value FROM json_each(?))"
        self._execute(query, (bank, seq, kept))
        self._execute("UPDATE hub SET pruned = max(pruned, ?) WHERE bank = ?", (seq - 1, bank))
