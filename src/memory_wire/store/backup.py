"""A copy of the database while it is in use: SQLite's online backup of one snapshot, so writers go on and the copy is of one moment."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable

from memory_wire.errors import StorageError, StoreRefused
from memory_wire.store.place import sync_folder
from memory_wire.store.sqlite import Store

PAGES = 256  # copied between two progress calls: 1 MiB


def backup(store: Store, target: str, progress: Callable[[int, int], None] | None = None) -> int:
    """Writes a whole store to `target` (0600, one file, no log beside it); returns its bytes. `progress` gets (pages done, pages in all).

    Raises StoreRefused when the target exists or can't be written, StorageError when the disk fails; then no file is left.
    """
    target = os.path.abspath(target)
    partial = f"{target}.partial-{os.getpid()}"
    if os.path.lexists(target):
        raise StoreRefused(f"backup refused: {target} exists")
    try:
        os.close(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        try:
            _copy(store, partial, progress)
            _publish(partial, target)
        finally:
            for left in (partial, partial + "-journal", partial + "-wal", partial + "-shm"):
                if os.path.lexists(left):
                    os.unlink(left)
    except OSError as error:
        raise StoreRefused(f"backup refused: {target}: {error.strerror or error}") from error
    return os.stat(target).st_size


def _copy(store: Store, partial: str, progress: Callable[[int, int], None] | None) -> None:
    def report(_: int, remaining: int, total: int) -> None:
        if progress is not None:
            progress(total - remaining, total)

    # The reader's transaction is open: without it every commit made meanwhile would start the copy again.
    with store.read() as reader:
        copy = sqlite3.connect(partial, isolation_level=None)
        try:
            reader.connection.backup(copy, pages=PAGES, progress=report)
            # Out of write-ahead mode, so that the copy is one file that also opens on read-only media; this syncs it as well.
            copy.execute("PRAGMA journal_mode = DELETE").fetchall()
            if copy.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise StorageError(f"{partial}: the copy is damaged")
        finally:
            copy.close()


def _publish(partial: str, target: str) -> None:
    descriptor = os.open(partial, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.rename(partial, target)
    sync_folder(os.path.dirname(target))
