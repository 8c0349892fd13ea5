"""Vectors by what they are of, beside those of units: of chunks that a document has or had lately, so that a revert finds them, and of
bundles. Reached through Tx and Reader; a key says model and text, so a vector is of exactly that text or isn't found.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from sqlite3 import Connection

PIECE = 200  # keys of one query


class KeptVectors:
    """The queries of one transaction."""

    __slots__ = ("_connection", "_execute")

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def known(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Rows by key, whatever they are of."""
        wanted: list[bytes] = sorted(set(keys))
        found: dict[bytes, bytes] = {}
        for start in range(0, len(wanted), PIECE):
            part = wanted[start : start + PIECE]
            rows = self._execute(f"SELECT key, row FROM kept_vector WHERE key IN ({', '.join('?' * len(part))})", part)
            found.update((bytes(key), bytes(row)) for key, row in rows)
        return found

    def chunks(self, document: int) -> tuple[bytes, bytes]:
        """(model, the chunks' hashes in order) of when the document was embedded last; empty for one that never was."""
        row = self._execute("SELECT model, chunks FROM embedded_document WHERE document = ?", (document,)).fetchone()
        return (b"", b"") if row is None else (bytes(row[0]), bytes(row[1]))

    def keep_document(self, document: int, version: int, oldest: int, model: bytes, chunks: bytes, rows: Mapping[bytes, bytes]) -> None:
        """Keeps what a document's newest version has, forgets what no version from `oldest` on had."""
        query = (
            "INSERT INTO kept_vector (document, bundle, key, version, row) VALUES (?, 0, ?, ?, ?)"
            " ON CONFLICT (document, bundle, key) DO UPDATE SET version = excluded.version"
        )
        self._connection.executemany(query, [(document, key, version, row) for key, row in rows.items()])
        self._execute("DELETE FROM kept_vector WHERE document = ? AND bundle = 0 AND version < ?", (document, oldest))
        self._execute("INSERT OR REPLACE INTO embedded_document VALUES (?, ?, ?)", (document, model, chunks))

    def keep_bundle(self, bundle: int, key: bytes, row: bytes) -> None:
        """Makes this a bundle's one vector."""
        self._execute("DELETE FROM kept_vector WHERE document = 0 AND bundle = ?", (bundle,))
        self._execute("INSERT INTO kept_vector (document, bundle, key, version, row) VALUES (0, ?, ?, 0, ?)", (bundle, key, row))
