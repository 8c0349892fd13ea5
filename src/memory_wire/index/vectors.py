"""One space's vectors for search: mapped files, and in memory what the store has beyond them. Thread-safe; the store is the truth.

Everything here is derived: a file that is missing, damaged or of another store is read from the store again, never embedded again. What a
search finds are candidates; who asks takes their scores from the store's rows.
"""

from __future__ import annotations

import os
from _thread import allocate_lock

from memory_wire import config
from memory_wire.errors import StorageError
from memory_wire.index.manifest import FolderLock
from memory_wire.index.vector_file import ENDING, name_of, opened, write
from memory_wire.kernels.vec import Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.index.vector_file import Source

    Range = tuple[int, int, Piece]


class Vectors:
    """The vectors of one space of one bank. `behind`: there is more to read than a call should wait for; `build` brings it."""

    def __init__(self, folder: str, space: int) -> None:
        self.folder, self.space = folder, space
        self.behind = False
        self._held: list[Range] | None = None  # by ascending, disjoint ranges of row ids
        self._lock = allocate_lock()

    def pieces(self, source: Source) -> list[Piece] | None:
        """All that the source's transaction sees, perhaps with rows that are gone; None while it is behind."""
        with self._lock:
            if self._held is None:
                self._held = [(piece.after, piece.upto, piece) for piece in opened(self.folder, source)]
                self.behind = False
            if not self.behind:
                self._follow(self._held, source)
            return None if self.behind else [piece for _, _, piece in self._held if piece.n_rows]

    @property
    def loose(self) -> int:
        """Rows in memory only."""
        return sum(piece.n_rows for _, _, piece in self._held or () if not piece.path)

    @property
    def due(self) -> bool:
        """Whether `build` should be called."""
        return self.behind or self.loose > config.VECTORS_LOOSE

    def _follow(self, held: list[Range], source: Source) -> None:
        """Reads what lies between the pieces and beyond them."""
        newest, room = source.newest(), config.VECTORS_INLINE - self.loose
        for after, upto in holes(held, newest):
            rows: list[tuple[int, bytes]] = []
            at = after
            while at < upto and (page := source.after(at, config.INDEX_PAGE)):
                rows += [(unit, row) for id, unit, _, row in page if id <= upto]
                at = page[-1][0]
                if len(rows) > room:
                    self.behind = True
                    held[:] = [found for found in held if found[2].path]
                    return
            room -= len(rows)
            held.append((after, upto, Piece.of(rows, source.dimension)))
        held.sort(key=lambda found: found[0])
        join(held, source.dimension)

    def build(self, source: Source, whole: bool = False) -> bool:
        """Writes what is in no file into one, together with files before it that are no larger, or all anew; then removes the others.

        False when LOCK is taken or there is nothing to write. Raises OSError, and with `whole` StorageError when LOCK is taken; what was
        there is then still there.
        """
        with FolderLock(self.folder, config.LOCK_SECONDS if whole else 0.0) as lock:
            if not lock.held and whole:
                raise StorageError(f"{self.folder} is being written by another process")
            if not lock.held:
                return False
            pieces, upto = opened(self.folder, source), source.newest()
            kept = [] if whole else whole_until(pieces)
            if sum(piece.n_rows for piece in pieces) > source.count(0) + config.VECTORS_INLINE + source.count(0) // config.DEAD_SHARE:
                kept = []  # too much of it is gone
            after = kept[-1].upto if kept else 0
            n = source.count(after)
            while n and kept and kept[-1].n_rows <= config.VECTORS_GROWTH * n:
                n += kept.pop().n_rows
                after = kept[-1].upto if kept else 0
            written = bool(n) and write(self.folder, source, after, upto)
            self._clean(
                {name_of(self.space, piece.after, piece.upto) for piece in kept}, name_of(self.space, after, upto) if written else ""
            )
        with self._lock:
            self._held, self.behind = None, False
        return written

    def _clean(self, kept: set[str], written: str) -> None:
        """Removes every file but those that were kept, with their graphs, and what was written.

        LOCK is held: nobody is writing one; others may go on using what they have mapped.
        """
        for name in os.listdir(self.folder):
            stem, ending, _ = name.partition(ENDING)
            if name.endswith(f"{ENDING}.tmp") or (ending and stem + ending not in kept and name != written):
                os.unlink(os.path.join(self.folder, name))


def holes(held: list[Range], newest: int) -> list[tuple[int, int]]:
    """The ranges up to `newest` that none of the pieces has."""
    found, at = [], 0
    for after, upto, _ in held:
        if after > at:
            found.append((at, after))
        at = max(at, upto)
    return [*found, (at, newest)] if newest > at else found


def whole_until(pieces: list[Piece]) -> list[Piece]:
    """The first of the pieces, as far as nothing is missing between them."""
    found: list[Piece] = []
    for piece in pieces:
        if piece.after != (found[-1].upto if found else 0):
            break
        found.append(piece)
    return found


def join(held: list[Range], dimension: int) -> None:
    """Puts the pieces in memory at the end into one, when there are many: each call may have brought one."""
    first = len(held)
    while first and not held[first - 1][2].path:
        first -= 1
    if len(held) - first > config.VECTORS_PIECES:
        rows = [row for _, _, piece in held[first:] for row in piece.rows()]
        held[first:] = [(held[first][0], held[-1][1], Piece.of(rows, dimension))]
