"""What hooks injected into which session and which turns they captured: the tables of schema version 2. Reached through Tx and Reader.

`session` is the 16 byte key of a host's session id. Times are milliseconds. Rows older than LEDGER_DAYS go when a session begins.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire.config import LEDGER_DAYS, LEDGER_SESSIONS
from memory_wire.store.reader import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from sqlite3 import Connection

    from memory_wire.store.rows import Bank, Found

DAY_MS = 86_400_000
_SESSION = "started, start_at, start_mark, prompt_at, prompt_mark, frozen, dropped"
_FIND = f"SELECT {_SESSION} FROM hook_session WHERE bank = ? AND key = ?"
_SAVE = f"""
INSERT INTO hook_session (bank, key, shown, touched, {_SESSION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET touched = excluded.touched, started = excluded.started, start_at = excluded.start_at,
    start_mark = excluded.start_mark, prompt_at = excluded.prompt_at, prompt_mark = excluded.prompt_mark,
    frozen = excluded.frozen, dropped = excluded.dropped
"""
_LOG = """
FROM injection i LEFT JOIN hook_session s ON s.bank = i.bank AND s.key = i.session
LEFT JOIN unit u ON u.id = i.unit AND u.bank = i.bank AND u.deleted IS NULL WHERE i.bank = :bank
"""
_ONE_SESSION = " AND s.shown = :session"
_ONE_UNIT = " AND i.unit = :unit"
_LINE = "SELECT u.uid, substr(u.content, 1, 1000), ifnull(s.shown, ''), i.host, i.event, i.at, i.relevance, i.held"


class HookSession(Struct):
    """State of one session. A mark is 16 bytes that stand for what a firing asked."""

    started: int | None = None
    start_at: int | None = None
    start_mark: bytes | None = None
    prompt_at: int | None = None
    prompt_mark: bytes | None = None
    frozen: int = 0
    dropped: int = 0
    known: bool = False


class Held(Struct):
    """A memory that the session has in its context, in order of injection. `capsule`: as a capsule."""

    unit: int
    capsule: int
    event: str


class Line(Struct):
    """One line of the log; `uid` and `content`, the text's beginning, are None for a memory that was deleted."""

    uid: bytes | None
    content: str | None
    session: str
    host: str | None
    event: str
    at: int
    relevance: float
    held: int


def nothing(connection: Connection) -> None:
    """Makes nothing durable: what reads within a write transaction waits for its commit."""


class Ledger:
    """The tables within one transaction."""

    __slots__ = ("_connection", "_execute")

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    # sessions ----------------------------------------------------------------------------------------------------------------------

    def session(self, bank: Bank, session: bytes) -> HookSession:
        """The state of a session, a fresh one when it isn't known."""
        row = self._execute(_FIND, (bank.id, session)).fetchone()
        state = HookSession(*(row or ()))
        state.known = row is not None
        return state

    def save(self, bank: Bank, session: bytes, shown: str, state: HookSession, at: int) -> None:
        """Keeps the state; a session that is new makes room first."""
        if not state.known:
            self.prune(bank, at)
            state.known = True
        values = (state.started, state.start_at, state.start_mark, state.prompt_at, state.prompt_mark, state.frozen, state.dropped)
        self._execute(_SAVE, (bank.id, session, shown, at, *values))

    def drop(self, bank: Bank, session: bytes, shown: str, state: HookSession, at: int) -> None:
        """The host dropped its context: its own turns may come back, and what was injected unless it keeps our block."""
        state.dropped = bank.newest
        if not state.frozen:
            self._execute("UPDATE injection SET held = 0 WHERE bank = ? AND session = ? AND held = 1", (bank.id, session))
            state.started = None
        self.save(bank, session, shown, state, at)

    def prune(self, bank: Bank, at: int) -> None:
        """Forgets what is old, and the oldest sessions of a bank that has too many."""
        oldest = at - LEDGER_DAYS * DAY_MS
        keys = self._execute(
            "SELECT key FROM hook_session WHERE bank = ?1 AND touched < ?2 UNION"
            " SELECT * FROM (SELECT key FROM hook_session WHERE bank = ?1 ORDER BY touched DESC LIMIT -1 OFFSET ?3)",
            (bank.id, oldest, LEDGER_SESSIONS - 1),
        ).fetchall()
        gone = [(bank.id, key) for (key,) in keys]
        self._connection.executemany("DELETE FROM injection WHERE bank = ? AND session = ?", gone)
        self._connection.executemany("DELETE FROM hook_session WHERE bank = ? AND key = ?", gone)
        self._execute("DELETE FROM captured_turn WHERE bank = ? AND at < ?", (bank.id, oldest))

    # injections --------------------------------------------------------------------------------------------------------------------

    def held(self, bank: Bank, session: bytes) -> list[Held]:
        """What the session has in its context, in order."""
        rows = self._execute(
            "SELECT unit, capsule, event FROM injection WHERE bank = ? AND session = ? AND held = 1 ORDER BY id", (bank.id, session)
        )
        return [Held(*row) for row in rows]

    def count(self, bank: Bank, session: bytes) -> int:
        """Memories ever injected into the session, as far as they are remembered."""
        (count,) = self._execute("SELECT count(*) FROM injection WHERE bank = ? AND session = ?", (bank.id, session)).fetchone()
        return int(count)

    def add(self, bank: Bank, session: bytes, event: str, host: str | None, at: int, entries: Iterable[tuple[int, float, bool]]) -> None:
        """Notes injected memories: (unit id, relevance, as a capsule), in order."""
        self._connection.executemany(
            "INSERT INTO injection (bank, session, unit, event, host, at, relevance, capsule, held) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)",
            [(bank.id, session, unit, event, host, at, relevance, capsule) for unit, relevance, capsule in entries],
        )

    def found(self, bank: Bank, ids: Sequence[int]) -> dict[int, Found]:
        """Live units of the bank, as a Reader of this transaction would give them."""
        return Reader(self._connection, 0, (0, 0), nothing).found(bank, ids)

    def log(self, bank: Bank, session: str | None, limit: int, offset: int) -> tuple[list[Line], int]:
        """(a page of the bank's log, newest first, or of one session's by its shown form; its length)."""
        where = _LOG if session is None else _LOG + _ONE_SESSION
        values = {"bank": bank.id, "session": session, "limit": limit, "offset": offset}
        (total,) = self._execute(f"SELECT count(*) {where}", values).fetchone()
        rows = self._execute(f"{_LINE} {where} ORDER BY i.id DESC LIMIT :limit OFFSET :offset", values)
        return [Line(*row) for row in rows], int(total)

    def of_unit(self, bank: Bank, unit: int, limit: int) -> list[Line]:
        """Where a memory was injected, newest first."""
        rows = self._execute(f"{_LINE} {_LOG}{_ONE_UNIT} ORDER BY i.id DESC LIMIT :limit", {"bank": bank.id, "unit": unit, "limit": limit})
        return [Line(*row) for row in rows]

    # captures ----------------------------------------------------------------------------------------------------------------------

    def captured(self, bank: Bank, key: bytes) -> bytes | None:
        """Hash of the content that was captured under a key, whether it is still there or was forgotten."""
        row = self._execute("SELECT hash FROM captured_turn WHERE bank = ? AND key = ?", (bank.id, key)).fetchone()
        return None if row is None else bytes(row[0])

    def note_turn(self, bank: Bank, key: bytes, hash: bytes, at: int) -> None:
        """Remembers what was captured under a key."""
        self._execute(
            "INSERT INTO captured_turn VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET hash = excluded.hash, at = excluded.at",
            (bank.id, key, hash, at),
        )

    def content(self, bank: Bank, unit: int) -> str:
        """Text of a live unit, empty for one that is gone."""
        row = self._execute("SELECT content FROM unit WHERE id = ? AND bank = ? AND deleted IS NULL", (unit, bank.id)).fetchone()
        return "" if row is None else str(row[0])

    # memories ----------------------------------------------------------------------------------------------------------------------

    def pinned(self, bank: Bank, limit: int) -> list[int]:
        """Records that are shown when a session starts, newest first."""
        query = "SELECT unit FROM record WHERE bank = ? AND pinned = 1 AND forgotten_how IS NULL ORDER BY unit DESC LIMIT ?"
        return [unit for (unit,) in self._execute(query, (bank.id, limit))]

    def latest(self, bank: Bank, limit: int) -> list[int]:
        """Unit ids of the memories written last, newest first."""
        rows = self._execute(
            "SELECT id FROM unit WHERE bank = ? AND kind < 2 AND deleted IS NULL ORDER BY id DESC LIMIT ?", (bank.id, limit)
        )
        return [id for (id,) in rows]

    def document(self, unit: int) -> str | None:
        """The document id a memory holds, as it may be shown."""
        row = self._execute("SELECT shown FROM document_key WHERE unit = ?", (unit,)).fetchone()
        return None if row is None else str(row[0])
