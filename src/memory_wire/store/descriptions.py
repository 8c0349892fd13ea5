"""What models made of documents, within one transaction. Loaded with the first description; those of bundles are in their rows."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection


class Descriptions:
    """The queries of one transaction. A description is JSON, `descriptions.Description`."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    def get(self, document: int) -> str | None:
        row = self._execute("SELECT derived FROM document WHERE id = ?", (document,)).fetchone()
        return None if row is None else row[0]

    def put(self, document: int, text: str | None) -> None:
        self._execute("UPDATE document SET derived = ? WHERE id = ?", (text, document))

    def hash(self, document: int, version: int) -> bytes | None:
        """The hash of a version's text."""
        row = self._execute("SELECT hash FROM version WHERE document = ? AND version = ?", (document, version)).fetchone()
        return None if row is None else bytes(row[0])
