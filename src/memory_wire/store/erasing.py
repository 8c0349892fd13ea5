"""What is erased leaves the rows: a tombstone without content stays of a record, nothing of a memory. Reached through Tx and Reader.

Freed pages are overwritten (secure_delete). The log, the index files and copies are the service's business.
"""

from __future__ import annotations

from msgspec import Struct, json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from sqlite3 import Connection

    from memory_wire.store.rows import Bank

_EMPTY = (
    "fact_key = NULL, fact = NULL, sameness = NULL, source = NULL, source_id = NULL, source_key = NULL, source_hash = NULL,"
    " source_revision = NULL, confidence = NULL, scope = NULL, aliases = NULL, kind = NULL, pinned = NULL, redactions = NULL, flags = NULL"
)
_TRACES = """
SELECT u.id, u.uid, u.kind, u.content, u.context, u.tags, u.speaker, s.shown, d.shown, r.fact, r.source, r.source_id, r.source_key, r.scope,
       r.aliases, r.fact_key
FROM unit u LEFT JOIN record r ON r.unit = u.id LEFT JOIN session s ON s.bank = u.bank AND s.ordinal = u.session
LEFT JOIN document_key d ON d.unit = u.id
WHERE u.bank = ? AND u.kind < 2 AND u.id > ? AND (r.unit IS NULL OR r.purged IS NULL) ORDER BY u.id LIMIT ?
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

    def names(self) -> dict[str, list[str]]:
        """What it is said by and kept under, by field."""
        found = {name: [value] for name in NAMED if (value := getattr(self, name)) is not None}
        if self.aliases:
            found["aliases"] = json.decode(self.aliases, type=list[str])
        if self.tags:
            found["tags"] = self.tags.decode().split("\0")
        return found


NAMED = ("speaker", "session", "document", "source", "source_id", "scope", "fact_key", "context")


class Erasing:
    """The queries of one transaction."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    def traces(self, bank: Bank, after: int, limit: int) -> list[Trace]:
        """Those with after < unit, ascending; what was erased already is left out."""
        return [Trace(*row) for row in self._execute(_TRACES, (bank.id, after, limit))]

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

    def note_copy(self, path: str, at: int) -> None:
        """Remembers where a copy of the store was written."""
        self._execute("INSERT OR REPLACE INTO copy (path, at) VALUES (?, ?)", (path, at))

    def copies(self) -> Iterator[tuple[str, int]]:
        """(path, time) of the copies, the oldest first."""
        yield from self._execute("SELECT path, at FROM copy ORDER BY at, path")
