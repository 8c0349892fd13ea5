"""A service's open spaces: which vectors of which bank are mapped, and the files that are made of them. Used by near.py, and by who embeds.

Loaded by banks whose vectors are searched only. Files are made in a thread of their own after a recall, or by whoever has just embedded;
until then a recall goes by what it can read at once.
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock, start_new_thread

from memory_wire import config
from memory_wire.errors import MemoryWireError, StorageError
from memory_wire.index.cache import VECTORS, name_of
from memory_wire.index.vector_file import listed
from memory_wire.index.vectors import Vectors
from memory_wire.store.place import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.kernels.vec import Piece
    from memory_wire.service.graphs import Graphs
    from memory_wire.service.service import Service
    from memory_wire.store.embeddings import Space
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank

PAUSE_SECONDS = 10.0  # after files couldn't be written


class Rows:
    """One space's rows within a read transaction, as index/vector_file.py's Source."""

    def __init__(self, store_id: bytes, reader: Reader, space: Space, going: Callable[[], bool] = lambda: True) -> None:
        self.store_id, self.space, self.model, self.dimension = store_id, space.id, space.model, space.dimension
        self._reader, self._space, self._going = reader, space, going

    def newest(self) -> int:
        return self._reader.embeddings.newest(self._space)

    def given(self) -> int:
        return self._reader.embeddings.given()

    def count(self, after: int) -> int:
        return self._reader.embeddings.behind(self._space, after)

    def after(self, id: int, limit: int) -> list[tuple[int, int, bytes, bytes]]:
        return [(id, row.unit, row.key, row.row) for id, row in self._reader.embeddings.after(self._space, id, limit)]

    def keys(self, ids: list[int]) -> dict[int, bytes]:
        return self._reader.embeddings.keys(self._space, ids)

    def renew(self) -> None:
        """Raises StorageError when the work is to end."""
        if not self._going():
            raise StorageError("the store is being closed")
        self._reader.end()
        self._reader.begin()


def of(service: Service) -> Spaces:
    """The service's, made when first asked for; anew in a child, because its locks may be held by threads that the child doesn't have."""
    spaces = service.recalls.spaces
    if spaces is None or spaces.pid != os.getpid():
        spaces = service.recalls.spaces = Spaces(service)
    return spaces


class Spaces:
    """The vectors of a service's banks, mapped when first asked for; at most so many spaces, the least recently used one goes."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._spaces: dict[tuple[object, int, int], Vectors] = {}
        self._large: dict[tuple[int, bytes], list[tuple[str, int]]] = {}  # bank, model -> files that are worth a graph
        self._graphs: Graphs | None = None
        self.pid = os.getpid()
        self._lock = allocate_lock()
        self._building = allocate_lock()
        self._pause_until = 0.0
        self._going = True

    def pieces(self, reader: Reader, bank: Bank, space: Space) -> list[Piece] | None:
        """All vectors of a space that the transaction sees, perhaps with some that are gone; None while there is too much to read."""
        vectors = self.of(reader, bank, space)
        found = vectors.pieces(Rows(self.service.store.id, reader, space))
        if vectors.due:
            self._settle_aside(bank, space.model)
        large = [(piece.path, piece.stamp) for piece in found or () if piece.path and piece.n_rows >= config.GRAPH_ROWS]
        if large or self._large:
            self._large[bank.id, space.model] = large
        return found

    def leads(self, bank: int, model: bytes, vector: bytes, k: int) -> dict[str, list[int]]:
        """By file some of its rows that are near to a vector, of files that are worth it; outside any transaction."""
        files = self._large.get((bank, model))
        if not files:
            return {}
        if self._graphs is None:
            from memory_wire.service.graphs import Graphs

            self._graphs = Graphs(self.service)
        return {path: self._graphs.near(path, stamp, vector, config.GRAPH_WIDEN * k) for path, stamp in files}

    def of(self, reader: Reader, bank: Bank, space: Space) -> Vectors:
        key = (reader.file, bank.id, space.id)
        with self._lock:
            found = self._spaces.pop(key, None)
            if found is None:
                folder = os.path.join(self.service.index.cache.folder, name_of(bank.id, VECTORS))
                found = Vectors(folder, space.id)
            self._spaces[key] = found
            while len(self._spaces) > config.VECTORS_OPEN:
                del self._spaces[next(iter(self._spaces))]
            return found

    def settle(self, bank: Bank, model: bytes, due: bool = False) -> None:
        """Makes the files of a space, when it is due or much has come; failing costs time later, nothing else."""
        try:
            with self.service.read() as reader:
                found = reader.bank(bank.project, bank.name)
                space = reader.embeddings.space(found, model) if found is not None else None
                if found is not None and space is not None:
                    vectors, rows = self.of(reader, found, space), Rows(self.service.store.id, reader, space, lambda: self._going)
                    upto = max((end for _, end in listed(vectors.folder, space.id)), default=0)
                    if due or rows.count(upto) > config.VECTORS_LOOSE:
                        vectors.build(rows)
        except (MemoryWireError, OSError):
            self._pause_until = time.monotonic() + PAUSE_SECONDS

    def expunge(self, bank: Bank) -> None:
        """Makes a bank's files anew from what the store has, so that nothing of what is gone is in them. Raises StorageError."""
        with self.service.read() as reader:
            for space in reader.embeddings.spaces(bank):
                vectors = self.of(reader, bank, space)
                if os.path.isdir(vectors.folder):
                    try:
                        vectors.build(Rows(self.service.store.id, reader, space), whole=True)
                    except OSError as error:
                        raise StorageError(f"{error.filename or vectors.folder}: {error.strerror or error}") from error

    def _settle_aside(self, bank: Bank, model: bytes) -> None:
        if time.monotonic() >= self._pause_until and not frozen(self.service.path) and self._building.acquire(blocking=False):
            start_new_thread(self._aside, (bank, model))

    def _aside(self, bank: Bank, model: bytes) -> None:
        try:
            self.settle(bank, model, due=True)
        finally:
            self._building.release()

    def idle(self) -> None:
        """Lets the maps go."""
        if self.pid == os.getpid():
            with self._lock:
                self._spaces.clear()
                self._large.clear()

    def close(self) -> None:
        """The same for good, after a thread that writes files has ended."""
        self._going = False
        if self.pid == os.getpid():
            with self._building:
                self.idle()
