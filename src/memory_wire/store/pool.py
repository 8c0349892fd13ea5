"""At most four readers, each a connection with a snapshot while it is taken. Last given back is first taken, so one thread uses one."""

from __future__ import annotations

from memory_wire.store.permits import Permits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from memory_wire.store.reader import Reader

READERS = 4


class Pool:
    """Readers of one store. `find` says which file the database is now and raises when it is gone; `open` makes a reader of it."""

    def __init__(self, find: Callable[[], tuple[int, int]], open: Callable[[], Reader]) -> None:
        self._find = find
        self._open = open
        self._free: list[Reader] = []
        self.permits = Permits(READERS)
        self.readers: list[Reader] = []  # free and taken
        self.closed = False

    def take(self) -> Reader:
        """A reader inside a new snapshot; waits while four are taken. Raises StorageError, StoreMissing."""
        self.permits.take()
        try:
            reader = self._pick()
            try:
                reader.begin()
            except BaseException:
                self._drop(reader)
                raise
            return reader
        except BaseException as error:
            self.permits.give()
            raise explained(error) from error

    def give(self, reader: Reader) -> None:
        """Ends a reader's snapshot."""
        try:
            reader.end()
            self._free.append(reader)
            if self.closed:
                self.close_free()
        except BaseException as error:
            self._drop(reader)
            raise explained(error) from error
        finally:
            self.permits.give()

    def close_free(self) -> None:
        """Closes the readers that aren't taken."""
        while True:
            try:
                reader = self._free.pop()
            except IndexError:
                return
            self._drop(reader)

    def _pick(self) -> Reader:
        file = self._find()
        while True:
            try:
                reader = self._free.pop()
            except IndexError:
                reader = self._open()
                self.readers.append(reader)
                return reader
            if reader.file == file and not reader.once:
                return reader
            self._drop(reader)

    def _drop(self, reader: Reader) -> None:
        self.readers.remove(reader)
        reader.connection.close()


class Reading:
    """`with store.read() as reader:` begins a snapshot and ends it; SQLite's errors inside come out as StorageError."""

    __slots__ = ("_pool", "_reader")

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._reader: Reader | None = None

    def __enter__(self) -> Reader:
        self._reader = self._pool.take()
        return self._reader

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        reader, self._reader = self._reader, None
        assert reader is not None
        self._pool.give(reader)
        if error is not None and (known := explained(error)) is not error:
            raise known from error


def explained(error: BaseException) -> BaseException:
    """SQLite's errors as StorageError, others as they are."""
    from _sqlite3 import Error

    if not isinstance(error, Error):
        return error
    from memory_wire.store.group import storage

    return storage(error)
