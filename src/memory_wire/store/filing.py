"""Documents by where they come from, within one transaction. Loaded with the first that is brought in."""

from __future__ import annotations

from msgspec import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

_KNOWN = """
SELECT d.id, d.source, d.deleted IS NOT NULL, d.origin, v.hash
FROM document d JOIN version v ON v.document = d.id AND v.version = d.version WHERE d.bank = ? AND
"""
_ONE = f"{_KNOWN} d.source = ? ORDER BY d.deleted IS NOT NULL, d.deleted DESC, d.id LIMIT 1"
_BELOW = f"{_KNOWN} d.source >= ? AND d.source < ? ORDER BY d.source, d.deleted IS NULL, d.deleted, d.id DESC"


class Known(Struct):
    """A document that came from somewhere: hash of its newest text, and a hash of the place if one was told."""

    id: int
    source: str
    deleted: int
    origin: bytes | None
    hash: bytes


class Filing:
    """The queries of one transaction."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    def known(self, bank: int, source: str) -> Known | None:
        """The document of a source; where there are several, the first that isn't deleted, else the one deleted last."""
        row = self._execute(_ONE, (bank, source)).fetchone()
        return None if row is None else Known(*row)

    def folder(self, bank: int, folder: str) -> dict[str, Known]:
        """The documents below a folder by their paths in it, as `known` has them."""
        start = len(folder) + 1
        rows = self._execute(_BELOW, (bank, f"{folder}/", f"{folder}0"))  # 0 comes next to the slash
        return {row[1][start:]: Known(*row) for row in rows}

    def put(self, document: int, source: str, origin: bytes | None) -> None:
        """Says where a document comes from; an origin that isn't told stays."""
        self._execute("UPDATE document SET source = ?, origin = coalesce(?, origin) WHERE id = ?", (source, origin, document))
