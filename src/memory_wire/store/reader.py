"""The read side: one snapshot of the store. Only `pool` makes a Reader; it is valid inside the `with store.read()` that returned it."""

from __future__ import annotations

from msgspec import json

from memory_wire.errors import Pruned
from memory_wire.store import banks
from memory_wire.store.nouns import Nouns
from memory_wire.store.rows import CHUNK, Bank, BankSummary, Exported, Found, IndexRow, Tally, Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from sqlite3 import Connection
    from typing import Any, TypeVar

    F = TypeVar("F", bound=Found)

_NO_LIMIT = (1 << 63) - 1
_FOUND = "u.id, u.uid, u.content, u.created, u.tags, s.shown, u.kind"  # the fields of rows.Found and rows.Unit, in order
_UNIT = f"{_FOUND}, u.context, u.stored, u.position, ifnull(u.role, 0), u.speaker"
_FROM = "FROM unit u LEFT JOIN session s ON s.bank = u.bank AND s.ordinal = u.session"
_LISTED = "u.kind < 2 AND u.deleted IS NULL"
_SIZES = (1, 10, 32, 100, 320)  # ids per statement: few texts, so that they stay prepared
_BY_IDS = {
    (kind, size): f"SELECT {columns} {_FROM} WHERE u.id IN ({', '.join('?' * size)}) AND u.bank = ? AND u.deleted IS NULL ORDER BY u.id"
    for kind, columns in ((Found, _FOUND), (Unit, _UNIT))
    for size in _SIZES
}
_BY_UID = f"SELECT {_UNIT} {_FROM} WHERE substr(u.uid, 1, 8) = substr(?, 1, 8) AND u.uid = ? AND u.bank = ? AND {_LISTED} LIMIT 1"
_PAGE = f"SELECT {_UNIT} {_FROM} WHERE u.bank = ? AND {_LISTED} ORDER BY u.id LIMIT ? OFFSET ?"
_WITHOUT = "AND u.id NOT IN (SELECT value FROM json_each(?))"
_PAGE_WITHOUT = f"SELECT {_UNIT} {_FROM} WHERE u.bank = ? AND {_LISTED} {_WITHOUT} ORDER BY u.id LIMIT ? OFFSET ?"
_SPAN = f"SELECT count(*), min(u.created), max(u.created) FROM unit u WHERE u.bank = ? AND {_LISTED} {_WITHOUT}"
_EXPORT = f"""
SELECT {_UNIT}, u.hash, d.key, d.shown, s.key {_FROM} LEFT JOIN document_key d ON d.unit = u.id
WHERE u.bank = ? AND u.id > ? AND {_LISTED} ORDER BY u.id LIMIT ?
"""
_ROWS = """
SELECT id, created, kind, role, session, position, tags, speaker, content,
       CASE kind WHEN 2 THEN (SELECT breadcrumb FROM chunk WHERE chunk.unit = unit.id) END,
       CASE kind WHEN 1 THEN (SELECT ifnull(scope, '') || char(0) || ifnull(aliases, '') FROM record WHERE record.unit = unit.id) END
FROM unit WHERE bank = ? AND id > ? AND id <= ? AND deleted IS NULL ORDER BY id LIMIT ?
"""


class Reader(Nouns):
    """One read transaction: everything it returns is of one moment."""

    __slots__ = ("_execute", "_make_durable", "file", "once", "serial", "version")

    def __init__(
        self, connection: Connection, serial: int, file: tuple[int, int], make_durable: Callable[[Connection], None], once: bool = False
    ) -> None:
        self.connection = connection  # for backup and check, which read the database as a whole
        self._execute = connection.execute
        self._make_durable = make_durable
        self.serial = serial
        self.file = file  # device and inode of the database it reads
        self.once = once  # good for one transaction: it wouldn't notice what another mount of the file system lets somebody write
        self.version = (serial, 0)  # equal pairs mean that nothing was committed in between, by whatever process

    # the transaction ---------------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Starts a snapshot: reading data_version takes it."""
        self._execute("BEGIN")
        self.version = (self.serial, self._execute("PRAGMA data_version").fetchone()[0])

    def end(self) -> None:
        if self.connection.in_transaction:
            self._execute("COMMIT")

    @property
    def keyed(self) -> bool:
        """Whether there ever was a key; revoked ones count, or revoking the last would open the store to everybody."""
        return bool(self._execute("SELECT EXISTS (SELECT 1 FROM api_key)").fetchone()[0])

    @property
    def has_jobs(self) -> bool:
        """Whether there is any work that waits or was given up."""
        return bool(self._execute("SELECT EXISTS (SELECT 1 FROM job)").fetchone()[0])

    # banks -------------------------------------------------------------------------------------------------------------------------

    def bank(self, project: str, name: str) -> Bank | None:
        return banks.find(self.connection, project, name)

    def banks(self, project: str | None = None) -> list[BankSummary]:
        """All banks (of one project), by project and name."""
        found = self._execute(
            "SELECT b.id, p.name, b.name FROM bank b JOIN project p ON p.id = b.project"
            " WHERE b.name IS NOT NULL AND (:project IS NULL OR p.name = :project) ORDER BY p.name, b.name",
            {"project": project},
        ).fetchall()
        summaries = []
        for id, owner, name in found:
            memories, _, newest = banks.tally(self.connection, id)
            summaries.append(BankSummary(id, owner, name, memories, newest))
        return summaries

    def bank_ids(self) -> list[int]:
        """Ids of the banks that aren't deleted, of all projects."""
        return [id for (id,) in self._execute("SELECT id FROM bank WHERE name IS NOT NULL")]

    def holds_library(self, bank: int) -> bool:
        """Whether a bank has documents, bundles or a hub."""
        query = "SELECT EXISTS (SELECT 1 FROM document WHERE bank = ?1) OR EXISTS (SELECT 1 FROM hub WHERE bank = ?1)"
        query += " OR EXISTS (SELECT 1 FROM bundle WHERE bank = ?1)"
        return bool(self._execute(query, (bank,)).fetchone()[0])

    def config(self, bank: Bank) -> bytes | None:
        """The configuration as it was put."""
        row = self._execute("SELECT config FROM bank WHERE id = ?", (bank.id,)).fetchone()
        return None if row is None else row[0]

    def tally(self, bank: Bank) -> Tally:
        memories, oldest, newest = banks.tally(self.connection, bank.id)
        (tags,) = self._execute("SELECT count(*) FROM tag WHERE bank = ?", (bank.id,)).fetchone()
        return Tally(memories, tags, oldest, newest)

    def span(self, bank: Bank, without: Collection[int]) -> tuple[int, int | None, int | None]:
        """(count, oldest, newest) of what the bank lists without some units, counted now."""
        found: tuple[int, int | None, int | None] = self._execute(_SPAN, (bank.id, json.encode(list(without)).decode())).fetchone()
        return found

    def count(self, bank: Bank) -> int:
        """Live memories and records of the bank."""
        return banks.tally(self.connection, bank.id)[0]

    def session(self, bank: Bank, key: bytes) -> int | None:
        """Ordinal of a session if the bank has it."""
        row = self._execute("SELECT ordinal FROM session WHERE bank = ? AND key = ?", (bank.id, key)).fetchone()
        return None if row is None else int(row[0])

    # units -------------------------------------------------------------------------------------------------------------------------

    def found(self, bank: Bank, ids: Sequence[int]) -> dict[int, Found]:
        """`units` with what a recall needs of each: a third cheaper."""
        return self._by_ids(Found, bank, ids)

    def units(self, bank: Bank, ids: Sequence[int]) -> dict[int, Unit]:
        """Live units of the bank by id, in id order; ids that are gone or another bank's are missing."""
        return self._by_ids(Unit, bank, ids)

    def _by_ids(self, kind: type[F], bank: Bank, ids: Sequence[int]) -> dict[int, F]:
        wanted = sorted(ids)
        found: dict[int, F] = {}
        for start in range(0, len(wanted), _SIZES[-1]):
            part = wanted[start : start + _SIZES[-1]]
            size = next(size for size in _SIZES if size >= len(part))
            part += part[-1:] * (size - len(part))
            for row in self._execute(_BY_IDS[kind, size], (*part, bank.id)):
                found[row[0]] = _made(kind, row)
        return found

    def by_uid(self, bank: Bank, uid: bytes) -> Unit | None:
        """A live memory or record of this bank."""
        row = self._execute(_BY_UID, (uid, uid, bank.id)).fetchone()
        return None if row is None else _made(Unit, row)

    def page(self, bank: Bank, limit: int, offset: int = 0, without: Collection[int] = ()) -> list[Unit]:
        """Memories and records in order of writing."""
        least = min(offset, _NO_LIMIT)
        if without:
            rows = self._execute(_PAGE_WITHOUT, (bank.id, json.encode(list(without)).decode(), limit, least))
            return [_made(Unit, row) for row in rows]
        return [_made(Unit, row) for row in self._execute(_PAGE, (bank.id, limit, least))]

    def export(self, bank: Bank, after: int, limit: int) -> list[Exported]:
        """Live memories and records with after < id, ascending: pages of an export, each in a transaction of its own."""
        return exported(self.connection, bank.id, after, limit)

    # what the index follows --------------------------------------------------------------------------------------------------------

    def identity(self, bank: Bank, unit_id: int) -> bytes | None:
        """16 bytes that no other row has had, also for a deleted row whose removal is still kept; None for a row the store doesn't know.

        It is the row's uid: after a lost log tail the same text may come again under the same id, so its hash would not tell.
        """
        for query in (
            "SELECT uid FROM unit WHERE bank = ? AND id = ?",
            "SELECT kept_uid FROM bank WHERE id = ? AND kept = ?",
            "SELECT uid FROM removed WHERE bank = ? AND unit = ? LIMIT 1",
        ):
            row = self._execute(query, (bank.id, unit_id)).fetchone()
            if row is not None and row[0] is not None:
                return bytes(row[0])
        return None

    def rows(self, bank: Bank, after: int, upto: int | None, limit: int) -> list[IndexRow]:
        """Live units with after < id <= upto, ascending."""
        return [_index_row(*row) for row in self._execute(_ROWS, (bank.id, after, _NO_LIMIT if upto is None else upto, limit))]

    def removed(self, bank: Bank, after_seq: int) -> tuple[list[tuple[int, int]], int]:
        """[(seq, unit id)] after that seq, and the newest seq. Raises Pruned when older ones are no longer kept."""
        if after_seq < bank.pruned:
            raise Pruned(f"removals up to {bank.pruned} are no longer kept")
        rows: Iterable[tuple[int, int]] = self._execute(
            "SELECT seq, unit FROM removed WHERE bank = ? AND seq > ? ORDER BY seq", (bank.id, after_seq)
        )
        return list(rows), bank.removed

    def removal(self, bank: Bank, seq: int) -> bytes | None:
        """16 bytes that tell this removal from any other that may have had its seq before a loss; None for an unknown one."""
        row = self._execute("SELECT uid FROM removed WHERE seq = ? AND bank = ?", (seq, bank.id)).fetchone()
        return None if row is None else bytes(row[0])

    def synced(self, bank: Bank) -> int:
        """Newest unit id of this snapshot, after making sure that its commit has reached the disk."""
        self._make_durable(self.connection)
        return bank.newest

    def n_sessions(self, bank: Bank) -> int:
        (count,) = self._execute("SELECT coalesce(max(ordinal) + 1, 0) FROM session WHERE bank = ?", (bank.id,)).fetchone()
        return int(count)


def exported(connection: Connection, bank_id: int, after: int, limit: int) -> list[Exported]:
    """Live memories and records of a bank with after < id, ascending."""
    return [
        Exported(unit=_made(Unit, row[:-4]), hash=row[-4], document_key=row[-3], document=row[-2], session_key=row[-1])
        for row in connection.execute(_EXPORT, (bank_id, after, limit))
    ]


def _made(kind: type[F], row: Sequence[Any]) -> F:
    """A row of _FOUND's or _UNIT's columns as the Struct; only the tags have another form in the table."""
    made = kind(*row)
    tags = row[4]
    made.tags = tags.decode().split("\0") if tags else []
    return made


def _index_row(
    id: int,
    created: int,
    kind: int,
    role: int | None,
    session: int | None,
    position: int | None,
    tags: bytes | None,
    speaker: str | None,
    content: str,
    header: str | None,
    record: str | None,
) -> IndexRow:
    flags = (role or 0) | (4 if kind == CHUNK else 0)
    if session is None or position is None:
        session, position = -1, 0
    row = IndexRow(id, created, flags, session, position, _tags(tags), speaker, header or "", content)
    if record is not None:
        row.scope, _, aliases = record.partition("\0")
        row.aliases = json.decode(aliases) if aliases else []
    return row


def _tags(stored: bytes | None) -> list[str]:
    return stored.decode().split("\0") if stored else []
