"""What moves, sweeps and overviews read and change of whole banks, within one transaction. Few processes ever load it."""

from __future__ import annotations

from memory_wire.store import banks
from memory_wire.store.reader import exported
from memory_wire.store.rows import MEMORY, RECORD, Exported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from memory_wire.store.rows import Bank

_NAMES = """
SELECT b.name FROM bank b JOIN project p ON p.id = b.project WHERE p.name = ? AND b.name IS NOT NULL ORDER BY b.id
"""


class Bulk:
    """The queries of one transaction."""

    __slots__ = ("_connection", "_execute")

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def names(self, project: str) -> list[str]:
        """The project's banks in the order they were made."""
        return [name for (name,) in self._execute(_NAMES, (project,))]

    def count(self, bank: Bank) -> int:
        """Live memories and records of the bank."""
        return banks.tally(self._connection, bank.id)[0]

    def top_tags(self, bank: Bank, limit: int) -> list[tuple[str, int]]:
        """The tags that most memories carry, with how many."""
        rows = self._execute("SELECT tag, units FROM tag WHERE bank = ? ORDER BY units DESC, tag LIMIT ?", (bank.id, limit))
        return [(tag, units) for tag, units in rows]

    def has_documents(self, bank: Bank) -> bool:
        """Whether the bank holds documents."""
        return bool(self._execute("SELECT EXISTS (SELECT 1 FROM document WHERE bank = ?)", (bank.id,)).fetchone()[0])

    def has_records(self, bank: Bank) -> bool:
        """Whether the bank holds live records."""
        query = "SELECT EXISTS (SELECT 1 FROM record WHERE bank = ? AND forgotten_how IS NULL)"
        return bool(self._execute(query, (bank.id,)).fetchone()[0])

    def page(self, bank: Bank, after: int, limit: int) -> list[Exported]:
        """Live memories with after < id, ascending, as an export reads them."""
        return exported(self._connection, bank.id, after, limit)

    def expired(self, bank: Bank, before: int) -> list[int]:
        """Ids of the memories created before that time. Records stay: they are deleted by rules of their own."""
        rows = self._execute("SELECT id FROM unit WHERE bank = ? AND kind = ? AND created < ? ORDER BY id", (bank.id, MEMORY, before))
        return [id for (id,) in rows]

    def kept(self, bank: Bank, before: int) -> int:
        """How many live records are as old."""
        query = "SELECT count(*) FROM unit WHERE bank = ? AND kind = ? AND created < ? AND deleted IS NULL"
        return int(self._execute(query, (bank.id, RECORD, before)).fetchone()[0])

    def forgotten(self, bank: Bank, before: int) -> list[tuple[int, bytes]]:
        """(id, public id) of the records forgotten before that time whose texts are still there."""
        query = (
            "SELECT u.id, u.uid FROM unit u JOIN record r ON r.unit = u.id"
            " WHERE u.bank = ? AND u.deleted < ? AND r.purged IS NULL ORDER BY u.id"
        )
        return self._execute(query, (bank.id, before)).fetchall()

    def free_position(self, bank: Bank, session: int) -> int:
        """The next free position of a session, not taken."""
        return int(self._execute("SELECT next FROM session WHERE bank = ? AND ordinal = ?", (bank.id, session)).fetchone()[0])

    def take_turns(self, source: Bank, target: Bank) -> None:
        """Hands over which turns were captured, so that none is captured again in the bank that has their memories now."""
        self._execute("UPDATE OR IGNORE captured_turn SET bank = ? WHERE bank = ?", (target.id, source.id))
