"""The record store on SQLite: one writer connection, at most four readers, opened on first use. Used by the service only.

Thread-safe. Fork-safe: before a fork in this process the store waits (shortly) until no call is inside SQLite; the child never closes what
it inherited, closing would disturb the parent's locks, and opens connections of its own.
"""

from __future__ import annotations

import os
import sys
import weakref
from _queue import Empty, SimpleQueue
from _thread import allocate_lock

from memory_wire.errors import MemoryWireError, StorageError
from memory_wire.store import place
from memory_wire.store.gather import Gathering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from sqlite3 import Connection
    from types import TracebackType
    from typing import TypeVar

    from memory_wire.store.reader import Reader
    from memory_wire.store.tx import Tx

    T = TypeVar("T")

READERS = 4
FORK_SECONDS = 1.0  # how long a fork waits for calls in other threads


class Store:
    """The truth of one database file. See `protocol.Store` for the promises."""

    def __init__(self, path: str, *, sync: str = "full", create: bool = False, allow_network_fs: bool = False) -> None:
        """Raises StoreMissing, StoreRefused. An existing database isn't opened yet."""
        if sync not in ("full", "normal"):
            raise ValueError("sync is 'full' or 'normal'")
        self.path = os.path.abspath(path)
        self.sync = sync
        self.commits = 0
        self.acknowledged = 0
        self.closed = False
        self._serial = 0  # of reader connections
        self._meta: dict[str, bytes] = {}
        self._start_afresh()
        _stores.add(self)
        if place.settle(self.path, create, allow_network_fs):
            self.open()

    def _start_afresh(self) -> None:
        """No connections, no locks held: a new store, or one in a forked child."""
        self._gathering = Gathering(self.write)
        self._writing = allocate_lock()
        self._writer: Connection | None = None
        self._tx: Tx | None = None
        self._file: tuple[int, int] | None = None  # device and inode the writer belongs to
        self._connections: list[Connection] = []  # all that are open
        self._idle: list[Reader] = []  # last in, first out: one thread uses one connection
        self._permits: SimpleQueue[None] = SimpleQueue()
        for _ in range(READERS):
            self._permits.put(None)

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
                pass
        return self._meta[key]

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
        """Moves the write-ahead log into the database file as far as readers allow."""
        with self._writing:
            connection, _ = self._open_writer()
            try:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            except Exception as error:
                raise explained(error) from error

    def open(self) -> None:
        """Opens (and makes or migrates) the database now. Raises StoreMissing or StoreRefused."""
        with self._writing:
            self._open_writer()

    def _open_writer(self) -> tuple[Connection, Tx]:
        """The writer's connection to the file that is there now; called with `_writing` held."""
        file = self._find_file()
        if self._writer is not None and file != self._file:
            self._close_writer()
        if self._writer is None or self._tx is None:
            from memory_wire.store import connect
            from memory_wire.store.tx import Tx

            connect.require()
            self._writer = connect.writer(self.path, self.sync)
            self._connections.append(self._writer)
            self._tx = Tx(self._writer)
            self._file = file
            self._meta = connect.meta(self._writer)
            if self.sync == "normal" and "lax" not in self._meta:
                self._writer.execute("INSERT OR IGNORE INTO meta VALUES ('lax', x'01')")
        return self._writer, self._tx

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._connections.remove(self._writer)
            self._writer.close()
            self._writer = self._tx = self._file = None

    # reading -----------------------------------------------------------------------------------------------------------------------

    def read(self) -> Reading:
        """A read transaction, at most four at a time; keep it short. Raises StorageError, StoreMissing."""
        return Reading(self)

    def take(self) -> Reader:
        """A reader inside a new snapshot; to be given back. For `Reading`."""
        self._permits.get()
        try:
            reader = self._idle_reader() or self._open_reader()
            try:
                reader.begin()
            except BaseException:
                self._drop(reader)
                raise
            return reader
        except BaseException as error:
            self._permits.put(None)
            raise explained(error) from error

    def give(self, reader: Reader) -> None:
        """Ends a reader's snapshot. For `Reading`."""
        try:
            reader.end()
            self._idle.append(reader)
            if self.closed:
                self._close_idle()
        except BaseException as error:
            self._drop(reader)
            raise explained(error) from error
        finally:
            self._permits.put(None)

    def _idle_reader(self) -> Reader | None:
        file = self._find_file()
        while True:
            try:
                reader = self._idle.pop()
            except IndexError:
                return None
            if reader.file == file:
                return reader
            self._drop(reader)

    def _open_reader(self) -> Reader:
        from memory_wire.store import connect
        from memory_wire.store.reader import Reader

        connect.require()
        file = place.identity(self.path)
        connection = connect.reader(self.path)
        if connection is None:
            self.open()
            connection = connect.reader(self.path)
            if connection is None:
                raise StorageError(f"{self.path}: the schema is not there")
        self._connections.append(connection)
        self._meta = connect.meta(connection)
        self._serial += 1
        return Reader(connection, self._serial, file, self._make_durable)

    def _drop(self, reader: Reader) -> None:
        self._connections.remove(reader.connection)
        reader.connection.close()

    # the file ----------------------------------------------------------------------------------------------------------------------

    def _find_file(self) -> tuple[int, int]:
        """Device and inode of the database. One that was moved away or replaced must be noticed: what is written to it would be lost."""
        if self.closed:
            raise StorageError(f"{self.path}: the store is closed")
        return place.identity(self.path)

    def _make_durable(self, connection: Connection) -> None:
        """After this, everything the connection's snapshot shows has reached the disk.

        With full syncs a commit is visible only when it has; without, the log is synced here. (A log that is gone was moved into the
        database by a checkpoint, which syncs both.)
        """
        lax = connection.execute("SELECT 1 FROM meta WHERE key = 'lax'").fetchone()
        if lax is None:
            return
        try:
            log = os.open(self.path + "-wal", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            if sys.platform == "darwin":
                from fcntl import F_FULLFSYNC, fcntl

                fcntl(log, F_FULLFSYNC)
            else:
                os.fdatasync(log)
        finally:
            os.close(log)
        place.sync_folder(os.path.dirname(self.path))

    # giving back -------------------------------------------------------------------------------------------------------------------

    def idle(self) -> None:
        """Closes connections that are not in use; the next call opens them again."""
        self._close_idle()
        if self._writing.acquire(False):
            try:
                self._close_writer()
            finally:
                self._writing.release()

    def close(self) -> None:
        """Closes everything; the store can't be used afterwards. Waits for a commit that is running."""
        with self._writing:
            self.closed = True
            self._close_idle()
            self._close_writer()

    def _close_idle(self) -> None:
        while True:
            try:
                reader = self._idle.pop()
            except IndexError:
                return
            self._drop(reader)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if not getattr(self, "closed", True):
            self.close()

    # fork --------------------------------------------------------------------------------------------------------------------------

    def quiet(self) -> tuple[bool, int]:
        """Waits until no thread is inside SQLite, whose locks a child would inherit locked. (got the writer, reader permits held)."""
        writer = self._writing.acquire(True, FORK_SECONDS)
        permits = 0
        try:
            while permits < READERS:
                self._permits.get(True, FORK_SECONDS)
                permits += 1
        except Empty:
            pass  # a reader is kept open over the fork: its thread won't be in the child
        return writer, permits

    def resume(self, held: tuple[bool, int]) -> None:
        """In the parent: lets calls go on."""
        writer, permits = held
        for _ in range(permits):
            self._permits.put(None)
        if writer:
            self._writing.release()

    def disown(self) -> None:
        """In the child: leaks the parent's connections and begins afresh."""
        for connection in self._connections:
            _leak(connection)
        self._start_afresh()


class Reading:
    """`with store.read() as reader:` begins a snapshot and ends it; SQLite's errors inside come out as StorageError."""

    __slots__ = ("_reader", "_store")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reader: Reader | None = None

    def __enter__(self) -> Reader:
        self._reader = self._store.take()
        return self._reader

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        reader, self._reader = self._reader, None
        assert reader is not None
        self._store.give(reader)
        if error is not None and (known := explained(error)) is not error:
            raise known from error


def explained(error: BaseException) -> BaseException:
    """SQLite's errors as StorageError, others as they are."""
    from sqlite3 import Error

    if not isinstance(error, Error):
        return error
    from memory_wire.store.group import storage

    return storage(error)


_stores: weakref.WeakSet[Store] = weakref.WeakSet()
_held: list[tuple[Store, tuple[bool, int]]] = []


def _before_fork() -> None:
    for store in [store for store in _stores if not store.closed]:
        _held.append((store, store.quiet()))


def _after_in_parent() -> None:
    while _held:
        store, held = _held.pop()
        store.resume(held)


def _after_in_child() -> None:
    _held.clear()
    for store in list(_stores):
        store.disown()


def _leak(connection: Connection) -> None:
    """A reference nobody drops, not even the interpreter's end: closing the connection would take part in the parent's locks."""
    from _ctypes import Py_INCREF

    Py_INCREF(connection)


os.register_at_fork(before=_before_fork, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
