"""The record store on SQLite: one writer connection, at most four readers, opened on first use. Used by the service only.

Thread-safe and fork-safe (`fork.py`). SQLite is loaded with the first use, not with this module.
"""

from __future__ import annotations

import os
from time import monotonic, sleep

from memory_wire.errors import MemoryWireError, StorageError
from memory_wire.store import fork, place
from memory_wire.store.gather import Gathering
from memory_wire.store.permits import Permits
from memory_wire.store.pool import Pool, Reading, explained

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from sqlite3 import Connection
    from typing import TypeVar

    from memory_wire.store.reader import Reader
    from memory_wire.store.tx import Tx

    T = TypeVar("T")

LOG_SECONDS = 10.0  # how long emptying the log waits for readers
SCRUB_BYTES = 64 * 1024 * 1024  # of the database that are looked at without a writer in between
FORK_SECONDS = 1.0  # how long a fork waits for calls in other threads


class Store:
    """The truth of one database file. See `protocol.Store` for the promises."""

    def __init__(self, path: str, *, sync: str = "full", create: bool = False, allow_network_fs: bool = False) -> None:
        """Raises StoreMissing, StoreRefused. An existing database isn't opened yet."""
        self.closed = True
        if sync not in ("full", "normal"):
            raise ValueError("sync is 'full' or 'normal'")
        self.path = os.path.abspath(path)
        self.sync = sync
        self.commits = 0
        self.acknowledged = 0
        self._serial = 0  # of reader connections
        self._meta: dict[str, bytes] = {}
        self.file: tuple[int, int] | None = None  # device and inode of the database as last seen: another one means another truth
        fresh = place.settle(self.path, create, allow_network_fs)
        self._start_afresh()
        self.closed = False
        fork.stores.add(self)
        if fresh:
            self.open()

    def _start_afresh(self) -> None:
        """No connections, no locks held: a new store, or one in a forked child."""
        self._gathering = Gathering(self.write)
        self._writing = Permits(1)
        self._writer: Connection | None = None
        self._tx: Tx | None = None
        self._file: tuple[int, int] | None = None  # device and inode the writer belongs to
        self._pool = Pool(self._find_file, self._open_reader)

    # identity ----------------------------------------------------------------------------------------------------------------------

    @property
    def id(self) -> bytes:
        """16 random bytes made with the store: what a manifest names."""
        return self._known("store")

    @property
    def secret(self) -> bytes:
        """32 random bytes made with the store: key of the hashes of ids."""
        return self._known("secret")

    def _known(self, key: str) -> bytes:
        if key not in self._meta:
            with self.read():
                pass  # opening a connection reads them
        return self._meta[key]

    def _find_file(self) -> tuple[int, int]:
        """Device and inode of the database. One that was moved away or replaced must be noticed: what is written to it would be lost."""
        if self.closed:
            raise StorageError(f"{self.path}: the store is closed")
        self.file = place.identity(self.path)
        return self.file

    # writing -----------------------------------------------------------------------------------------------------------------------

    def submit(self, work: Callable[[Tx], T]) -> T:
        """Runs one work in the next group commit; returns when it is durable, raises what the work raised or StorageError."""
        result = self._gathering.submit(work)
        if isinstance(result, Exception):
            raise result
        return result  # type: ignore[return-value]

    def write(self, works: Sequence[Callable[[Tx], object]]) -> list[object]:
        """One group commit: per work its result, or the exception it met (a MemoryWireError, or what the work raised)."""
        from memory_wire.store import group

        with self._writing:
            try:
                connection, tx = self._open_writer()
            except MemoryWireError as error:
                return [error] * len(works)
            results, commits = group.run(connection, tx, works)
            self.commits += commits
            self.acknowledged += sum(not isinstance(result, Exception) for result in results)
        return results

    def purge(self, limit: int = 2_000) -> bool:
        """Empties a slice of deleted banks in its own commit; True while there is more to do."""
        return self.submit(lambda tx: tx.empty_deleted(limit))

    def checkpoint(self) -> None:
        """Moves the write-ahead log into the database file as far as readers allow. Raises StorageError."""
        with self._writing:
            connection, _ = self._open_writer()
            try:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            except Exception as error:
                raise explained(error) from error

    def empty_log(self) -> None:
        """The same, waiting for readers; then clears what deleted rows left in the database. Raises StorageError.

        Afterwards neither file holds anything that was deleted before.
        """
        from memory_wire.store import scrub

        limit, page = monotonic() + LOG_SECONDS, 0
        while True:
            with self._writing:
                self._close_writer()  # no page that it keeps may come back
                connection, _ = self._open_writer()
                assert self._file is not None
                try:
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                    connection.execute("BEGIN IMMEDIATE")
                    alone = os.stat(self.path + "-wal").st_size == 0
                    if alone:
                        page = scrub.scrub(self.path, self._file, page, SCRUB_BYTES)
                        connection.execute("INSERT OR REPLACE INTO meta VALUES ('scrubbed', randomblob(8))")  # others drop their pages
                    connection.execute("COMMIT" if alone else "ROLLBACK")
                except Exception as error:
                    self._close_writer()
                    raise StorageError(f"{self.path}: {error}") if isinstance(error, OSError) else explained(error) from error
                self._close_writer()
            if alone and not page:
                return
            if not alone and monotonic() > limit:
                raise StorageError(f"{self.path}: readers keep the log from being emptied; it is emptied later")
            sleep(0 if alone else 0.01)

    def open(self) -> None:
        """Opens (and makes or migrates) the database now. Raises StoreMissing or StoreRefused."""
        with self._writing:
            self._open_writer()

    def _open_writer(self) -> tuple[Connection, Tx]:
        """The writer's connection to the file that is there now; called with `_writing` held."""
        file = self._find_file()
        if file != self._file:
            self._close_writer()
        if self._writer is None or self._tx is None:
            from memory_wire.store import connect
            from memory_wire.store.tx import Tx

            connect.require()
            self._writer, self._meta = connect.writer(self.path, self.sync)
            self._tx = Tx(self._writer)
            self._file = file
        return self._writer, self._tx

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = self._tx = self._file = None

    # reading -----------------------------------------------------------------------------------------------------------------------

    def read(self) -> Reading:
        """A read transaction, at most four at a time; keep it short. Raises StorageError, StoreMissing."""
        return Reading(self._pool)

    def _open_reader(self) -> Reader:
        from memory_wire.store import connect
        from memory_wire.store.reader import Reader

        connect.require()
        file = place.identity(self.path)
        frozen = place.frozen(self.path)
        opened = connect.reader(self.path, frozen)
        if opened is None:  # the schema must be made or upgraded first
            self.open()
            opened = connect.reader(self.path)
            if opened is None:
                raise StorageError(f"{self.path}: the schema is not there")
        connection, self._meta = opened
        self._serial += 1
        return Reader(connection, self._serial, file, self._make_durable, once=frozen)

    def _make_durable(self, connection: Connection) -> None:
        """After this, everything the connection's snapshot shows has reached the disk. Raises StorageError.

        With full syncs a commit is visible only when it has. Without, the log is synced here; what is not in the log any more was moved
        into the database by a checkpoint, which syncs both.
        """
        if connection.execute("SELECT 1 FROM meta WHERE key = 'lax'").fetchone() is not None:
            try:
                place.sync_log(self.path + "-wal")
            except OSError as error:
                raise StorageError(f"{self.path}-wal: {error.strerror or error}") from error

    # giving back -------------------------------------------------------------------------------------------------------------------

    def idle(self) -> None:
        """Closes connections that are not in use; the next call opens them again."""
        self._pool.close_free()
        if self._writing.take_now():
            try:
                self._close_writer()
            finally:
                self._writing.give()

    def close(self) -> None:
        """Closes everything; the store can't be used afterwards. Waits for a commit that is running."""
        with self._writing:
            self.closed = self._pool.closed = True
            self._pool.close_free()
            self._close_writer()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if not self.closed:
            self.close()

    # fork --------------------------------------------------------------------------------------------------------------------------

    def quiet(self) -> None:
        """Waits until no thread is inside SQLite, whose locks a child would inherit locked; lets none in until `resume`."""
        self._writing.halt(FORK_SECONDS)
        self._pool.permits.halt(FORK_SECONDS)

    def resume(self) -> None:
        """In the parent: lets calls go on."""
        self._writing.resume()
        self._pool.permits.resume()

    def disown(self) -> None:
        """In the child: leaks the parent's connections and begins afresh."""
        for connection in [self._writer, *(reader.connection for reader in self._pool.readers)]:
            if connection is not None:
                fork.leak(connection)
        self._start_afresh()
