"""What is erased leaves the rows: a tombstone without content stays of a record, nothing of a memory. Reached through Tx and Reader.

Freed pages are overwritten (secure_delete). The log, the index files and copies are the service's business.
"""

from __future__ import annotations

from msgspec import Struct, json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from memory_wire.store.rows import Bank

_EMPTY = (
    "fact_key = NULL, fact = NULL, sameness = NULL, source = NULL, source_id = NULL, source_key = NULL, source_hash = NULL,"
    " source_revision = NULL, confidence = NULL, scope = NULL, aliases = NULL, kind = NULL, pinned = NULL, redactions = NULL, flags = NULL"
)
_TRACES = """
SELECT u.id, u.uid, u.kind, u.content, u.context, u.tags, u.speaker, s.shown, d.shown, r.fact, r.source, r.source_id, r.source_key, r.scope,
       r.aliases, r.fact_key, r.kind, r.source_revision, r.source_hash, ifnull(u.stored, u.created)
FROM unit u LEFT JOIN record r ON r.unit = u.id LEFT JOIN session s ON s.bank = u.bank AND s.ordinal = u.session
LEFT JOIN document_key d ON d.unit = u.id
WHERE u.bank = ? AND u.kind < 2 AND u.id > ? AND (r.unit IS NULL OR r.purged IS NULL) {of} ORDER BY u.id LIMIT ?
"""
_ITS_UID = "AND substr(u.uid, 1, 8) = substr(?, 1, 8) AND u.uid = ?"
_SHELVED = """
SELECT d.id, d.public_id, d.title, d.source, d.version, d.derived, (SELECT min(at) FROM version WHERE document = d.id)
FROM document d WHERE d.bank = ?1 AND (?2 IS NULL OR d.public_id = ?2) ORDER BY d.id
"""
_BUNDLES = """
SELECT id, public_id, title, description, intent, analysis, created
FROM bundle WHERE bank = ?1 AND (?2 IS NULL OR public_id = ?2) ORDER BY id
"""


class Trace(Struct):
    """A memory or record, live or forgotten, with all by which it may be meant."""

    unit: int
    uid: bytes
    kind: int
    content: str
    context: str | None
    tags: bytes | None
    speaker: str | None
    session: str | None
    document: str | None
    fact: bytes | None
    source: str | None
    source_id: str | None
    source_key: bytes | None
    scope: str | None
    aliases: str | None
    fact_key: str | None
    category: str | None
    source_revision: str | None
    source_hash: str | None
    since: int

    def names(self) -> dict[str, list[str]]:
        """What it is said by and kept under, by field."""
        found = {name: [value] for name in NAMED if (value := getattr(self, name)) is not None}
        if self.aliases:
            found["aliases"] = json.decode(self.aliases, type=list[str])
        if self.tags:
            found["tags"] = self.tags.decode().split("\0")
        return found

    def said(self) -> dict[str, list[str]]:
        """All its words beside its text, by field: a name may be one word of many there."""
        found = self.names()
        for name in ("source_revision", "source_hash"):
            if (value := getattr(self, name)) is not None:
                found[name] = [value]
        return found


class Shelved(Struct):
    """A document, also one that is deleted or whose import was cut off; `since`: of its oldest version."""

    document: int
    public_id: str
    title: str
    source: str | None
    version: int
    derived: str | None
    since: int


class BundleTrace(Struct):
    """A bundle with what it says itself."""

    bundle: int
    public_id: str
    title: str
    description: str | None
    intent: str | None
    analysis: str | None
    since: int

    def texts(self) -> list[str]:
        return [text for text in (self.title, self.description, self.intent) if text]


_MADE_OF = """
{text} IS NOT NULL AND bank = :bank AND EXISTS (
    SELECT 1 FROM json_each({text}, '$.sources') s
    WHERE json_extract(s.value, '$[0]') = :doc AND (:version IS NULL OR json_extract(s.value, '$[1]') = :version)
)
"""
NAMED = ("speaker", "session", "document", "source", "source_id", "scope", "fact_key", "category", "context")


class Erasing:
    """The queries of one transaction."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    # what there is -----------------------------------------------------------------------------------------------------------------

    def traces(self, bank: Bank, after: int, limit: int, uid: bytes | None = None) -> list[Trace]:
        """Those with after < unit, ascending, or only one; what was erased already is left out."""
        of, one = ("", ()) if uid is None else (_ITS_UID, (uid, uid))
        return [Trace(*row) for row in self._execute(_TRACES.replace("{of}", of), (bank.id, after, *one, limit))]

    def shelved(self, bank: Bank, public_id: str | None = None) -> list[Shelved]:
        """The documents of a bank, or only one."""
        return [Shelved(*row) for row in self._execute(_SHELVED, (bank.id, public_id))]

    def versions(self, document: int) -> list[tuple[int, int]]:
        """(number, time) of a document's versions."""
        return self._execute("SELECT version, at FROM version WHERE document = ? ORDER BY version", (document,)).fetchall()

    def text(self, document: int, version: int) -> str:
        """The text of a version, empty if it isn't there."""
        row = self._execute("SELECT markdown FROM version WHERE document = ? AND version = ?", (document, version)).fetchone()
        return "" if row is None else bytes(row[0]).decode()

    def bundles(self, bank: Bank, public_id: str | None = None) -> list[BundleTrace]:
        """The bundles of a bank, also deleted ones, or only one."""
        return [BundleTrace(*row) for row in self._execute(_BUNDLES, (bank.id, public_id))]

    def annotations(self, bundle: int) -> list[tuple[int, str]]:
        """(document, what is noted at it) in a bundle."""
        query = "SELECT document, annotation FROM bundle_member WHERE bundle = ? AND annotation IS NOT NULL ORDER BY position"
        return self._execute(query, (bundle,)).fetchall()

    # taking it away ----------------------------------------------------------------------------------------------------------------

    def drop_version(self, document: int, version: int) -> None:
        """Removes a version that isn't the newest."""
        query = "DELETE FROM version WHERE document = ?1 AND version = ?2 AND version < (SELECT version FROM document WHERE id = ?1)"
        self._execute(query, (document, version))

    def drop_described(self, bank: Bank, public_id: str, version: int | None, at: int) -> None:
        """Removes what models made of a document's text, of one version or of all."""
        values = {"bank": bank.id, "doc": public_id, "version": version, "at": at}
        self._execute("UPDATE document SET derived = NULL WHERE " + _MADE_OF.format(text="derived"), values)
        made = _MADE_OF.format(text="analysis")
        self._execute(f"UPDATE bundle SET analysis = NULL, analysed = NULL, updated = :at WHERE {made}", values)

    def drop_description(self, document: int) -> None:
        """Removes what a model made of a document."""
        self._execute("UPDATE document SET derived = NULL WHERE id = ?", (document,))

    def drop_analysis(self, bundle: int, at: int) -> None:
        """Removes what a model made of a bundle."""
        self._execute("UPDATE bundle SET analysis = NULL, analysed = NULL, updated = ?1 WHERE id = ?2", (at, bundle))

    def drop_annotation(self, bundle: int, document: int, at: int) -> None:
        """Removes what a bundle notes at a document."""
        self._execute("UPDATE bundle_member SET annotation = NULL WHERE bundle = ? AND document = ?", (bundle, document))
        self._execute("UPDATE bundle SET updated = ?1 WHERE id = ?2", (at, bundle))

    def wipe(self, bank: Bank, unit: int, how: str, by: int | None, at: int) -> None:
        """Empties what a deletion left of one unit: the record's columns, links, log entries, waiting work."""
        self._execute(
            "UPDATE unit SET content = '', context = NULL, tags = NULL, speaker = NULL, role = NULL, session = NULL, position = NULL,"
            " hash = zeroblob(16) WHERE id = ? AND bank = ?",
            (unit, bank.id),
        )
        source = self._execute("SELECT source_key FROM record WHERE unit = ?", (unit,)).fetchone()
        mark = "forgotten_how = ?, forgotten_by = ifnull(?, forgotten_by), purged = ?"
        self._execute(f"UPDATE record SET {_EMPTY}, {mark} WHERE unit = ?", (how, by, at, unit))
        self._execute("DELETE FROM derived WHERE unit = ?", (unit,))
        self._execute("DELETE FROM embedding WHERE unit = ?2 AND space IN (SELECT id FROM space WHERE bank = ?1)", (bank.id, unit))
        self._execute("DELETE FROM injection WHERE bank = ? AND unit = ?", (bank.id, unit))
        self._execute("DELETE FROM job WHERE kind IN ('advise', 'archive') AND bank = ? AND subject = ?", (bank.id, unit))
        if source is not None and source[0] is not None:
            self._execute(
                "DELETE FROM observation WHERE bank = ?1 AND source_key = ?2"
                " AND NOT EXISTS (SELECT 1 FROM record WHERE bank = ?1 AND source_key = ?2)",
                (bank.id, source[0]),
            )

    def unname(self, bank: Bank, ordinal: int) -> None:
        """A session without a unit loses its name, also where hooks keep it; its number stays taken."""
        row = self._execute(
            "SELECT key FROM session WHERE bank = ?1 AND ordinal = ?2 AND NOT EXISTS (SELECT 1 FROM unit WHERE bank = ?1 AND session = ?2)",
            (bank.id, ordinal),
        ).fetchone()
        if row is not None:
            self._execute("UPDATE session SET key = randomblob(16), shown = '' WHERE bank = ? AND ordinal = ?", (bank.id, ordinal))
            self._execute("DELETE FROM injection WHERE bank = ? AND session = ?", (bank.id, row[0]))
            self._execute("DELETE FROM hook_session WHERE bank = ? AND key = ?", (bank.id, row[0]))

    def uncapture(self, bank: Bank, unit: int) -> None:
        """Before a captured turn is deleted: of its text not even a hash stays, only that it isn't captured again."""
        self._execute(
            "UPDATE captured_turn SET hash = x'' WHERE bank = ? AND key = (SELECT key FROM document_key WHERE unit = ?)", (bank.id, unit)
        )

    def session_of(self, unit: int) -> int | None:
        """The session of a unit."""
        row = self._execute("SELECT session FROM unit WHERE id = ?", (unit,)).fetchone()
        return None if row is None else row[0]

    # copies ------------------------------------------------------------------------------------------------------------------------

    def note_copy(self, path: str, at: int, bank: int | None = None) -> None:
        """Remembers where a copy of the store, or of one bank of it, was written."""
        self._execute("INSERT OR REPLACE INTO copy (path, at, bank) VALUES (?, ?, ?)", (path, at, bank))

    def copies(self) -> list[tuple[str, int, int | None]]:
        """(path, time, bank if it has only one) of the copies, the oldest first."""
        return self._execute("SELECT path, at, bank FROM copy ORDER BY at, path").fetchall()
