"""Opens SQLite connections the one way we use them. Owns the settings; knows nothing of pools or threads.

Loading this module loads SQLite, so `sqlite.Store` does it on first use.
"""

from __future__ import annotations

import os
import sys
import time

from memory_wire.config import BUSY_MS, CACHE_KIB, JOURNAL_BYTES
from memory_wire.errors import MemoryWireError, StorageError, StoreMissing, StoreRefused
from memory_wire.store import migrate, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
else:
    import _sqlite3 as sqlite3  # all of SQLite; the package of that name adds converters that cost memory and are never used here

OLDEST_SQLITE = (3, 35, 0)  # RETURNING
STATEMENTS = 64  # kept prepared per connection

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")


def require(found: tuple[int, ...] = tuple(map(int, sqlite3.sqlite_version.split(".")))) -> None:
    """Raises StoreRefused when SQLite is too old."""
    if found < OLDEST_SQLITE:
        needed, is_ = (".".join(map(str, version)) for version in (OLDEST_SQLITE, found))
        raise StoreRefused(f"store refused: SQLite {needed} or newer is needed, this Python has {is_}")


def writer(path: str, sync: str) -> tuple[sqlite3.Connection, dict[str, bytes]]:
    """The connection that writes, and what the store knows of itself; makes or upgrades the schema.

    Raises StoreMissing, StoreRefused, StorageError.
    """
    connection = _connect(path)
    try:
        found = migrate.version(connection, path)  # before anything is changed: it may be another program's
        _use_wal(connection)
        _set(connection, f"synchronous = {'NORMAL' if sync == 'normal' else 'FULL'}", f"journal_size_limit = {JOURNAL_BYTES}")
        _set(connection, "foreign_keys = ON", "secure_delete = ON")
        if sys.platform == "darwin":
            _set(connection, "fullfsync = ON", "checkpoint_fullfsync = ON")
        if found < migrate.VERSION:
            migrate.upgrade(connection, path)
        known = _meta(connection)
        if sync == "normal" and "lax" not in known:
            connection.execute("INSERT OR IGNORE INTO meta VALUES ('lax', x'01')")
        return connection, known
    except BaseException as error:
        connection.close()
        raise explained(error, path) from error


def reader(path: str, frozen: bool = False) -> tuple[sqlite3.Connection, dict[str, bytes]] | None:
    """A connection that only reads, and what the store knows of itself; None when the store must be made or upgraded first.

    `frozen`: nobody can write the file now. SQLite then needs no lock and no log, which it couldn't make; it doesn't notice changes either.
    """
    connection = _connect(path, "mode=ro&immutable=1" if frozen else "mode=rw")
    try:
        if migrate.version(connection, path) < migrate.VERSION:
            connection.close()
            return None
        # Closing the last connection moves the log into the database, whichever connection it is: with the writer's durability.
        _set(connection, f"journal_size_limit = {JOURNAL_BYTES}", "query_only = ON")
        if sys.platform == "darwin":
            _set(connection, "checkpoint_fullfsync = ON")
        return connection, _meta(connection)
    except BaseException as error:
        connection.close()
        raise explained(error, path) from error


def explained(error: BaseException, path: str) -> BaseException:
    """The error to raise for one that SQLite met while a store was opened."""
    if isinstance(error, MemoryWireError) or not isinstance(error, sqlite3.Error):
        return error
    if isinstance(error, sqlite3.OperationalError):
        if not os.path.exists(path):
            return StoreMissing(path)
        if "locked" in str(error):
            return StorageError(f"{path}: {error}")
        if place.frozen(path):
            return StoreRefused(f"store refused: {os.path.dirname(path)} is on a file system mounted read-only")
        if not os.access(os.path.dirname(path), os.W_OK):
            return StoreRefused(f"store refused: {os.path.dirname(path)} can't be written, which even reading needs")
        return StoreRefused(f"store refused: {path}: {error}")
    if "not a database" in str(error):
        return StoreRefused(f"store refused: {path} is not a database")
    return StorageError(f"{path}: {error}")


def _meta(connection: sqlite3.Connection) -> dict[str, bytes]:
    """`store` (16 bytes), `secret` (32 bytes), `lax` if it ever had a writer without full syncs."""
    return dict(connection.execute("SELECT key, value FROM meta"))


def _connect(path: str, how: str = "mode=rw") -> sqlite3.Connection:
    """`mode=rw`: SQLite must never make a file, a store that has vanished is an error."""
    name = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in os.fsencode(path))
    try:
        connection = sqlite3.connect(
            f"file:{name}?{how}",
            uri=True,
            timeout=BUSY_MS / 1000,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=STATEMENTS,
        )
    except sqlite3.Error as error:
        raise explained(error, path) from error
    try:
        _set(connection, f"cache_size = -{CACHE_KIB}", "temp_store = MEMORY", "trusted_schema = OFF", "mmap_size = 0")
    except sqlite3.Error as error:
        connection.close()
        raise explained(error, path) from error
    return connection


def _set(connection: sqlite3.Connection, *settings: str) -> None:
    for setting in settings:
        connection.execute(f"PRAGMA {setting}").fetchall()


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switching needs a moment alone, and SQLite doesn't wait for it: two processes that make one store at once meet here."""
    deadline = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
        else:
            if mode == "wal":
                return
            if time.monotonic() > deadline:
                raise StoreRefused(f"store refused: the write-ahead log can't be used (journal mode {mode})")
        time.sleep(0.005)
