"""Where a store lives on disk: is it there, may it be made, is it on a file system that can hold it. Opens no database.

The database file itself is never opened here except to make it: closing any descriptor of it would drop SQLite's locks of this process.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock

from memory_wire.config import state_file
from memory_wire.errors import StoreMissing, StoreRefused
from memory_wire.store.mounts import network_type

_making = allocate_lock()


def index_folder(path: str) -> str:
    """The folder of the postings that belong to a database."""
    return path + ".index"


def absent(path: str) -> bool:
    """True when there is no database and nothing says that there was one: whoever only reads may answer as for an empty store."""
    return not _there(path) and not _left_behind(path)


def settle(path: str, create: bool, allow_network_fs: bool) -> bool:
    """Makes sure that there is a database file to open; True when it is an empty one that must be filled at once.

    Raises StoreMissing when there is none and none may be made, or when something beside it shows that there was one; StoreRefused for a
    network file system, a folder that can't be written and the like.
    """
    if not allow_network_fs and (kind := network_type(path)) is not None:
        raise StoreRefused(f"store refused: {path} is on a network file system ({kind}); --allow-network-fs uses it all the same")
    try:
        if _there(path):
            return False
        if not create or _left_behind(path):
            raise StoreMissing(path)
        with _making:
            _make(path)
        return True
    except OSError as error:
        raise StoreRefused(f"store refused: {path}: {error.strerror or error}") from error


def identity(path: str) -> tuple[int, int]:
    """(device, inode) of the database file. Raises StoreMissing when it has vanished, StoreRefused when it can't be looked at."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        raise StoreMissing(path) from None
    except OSError as error:
        raise StoreRefused(f"store refused: {path}: {error.strerror or error}") from error
    return status.st_dev, status.st_ino


def frozen(path: str) -> bool:
    """Whether nobody here can change the database: its file system is mounted read-only and nothing waits in a log beside it."""
    try:
        return bool(os.statvfs(os.path.dirname(path)).f_flag & os.ST_RDONLY) and not os.path.exists(path + "-wal")
    except FileNotFoundError:
        return False


def _there(path: str) -> bool:
    """A file of no length is what a creation leaves that was cut off before its first commit."""
    try:
        return os.stat(path).st_size > 0
    except FileNotFoundError:
        return False


def _left_behind(path: str) -> bool:
    """Whether a log, an index or a running server's note says that a database was here."""
    return os.path.exists(path + "-wal") or os.path.isdir(index_folder(path)) or _served(path)


def _served(path: str) -> bool:
    from msgspec import DecodeError, json

    try:
        with open(state_file(path), "rb") as file:
            note = json.decode(file.read())
    except (OSError, DecodeError, RecursionError):
        return False
    if not isinstance(note, dict) or note.get("pid") == os.getpid():  # `daemon start` may write it before this process makes the store
        return False
    named = note.get("db")
    return isinstance(named, str) and os.path.realpath(named) == os.path.realpath(path)


def _make(path: str) -> None:
    folder = os.path.dirname(path)
    changed = [folder]  # folders that get a new entry
    while not os.path.isdir(changed[-1]):
        changed.append(os.path.dirname(changed[-1]))
    os.makedirs(folder, mode=0o700, exist_ok=True)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return  # another process makes it, or an empty file was there: whoever gets SQLite's lock first fills it
    for entry in changed:
        sync_folder(entry)


def sync_folder(folder: str) -> None:
    """Makes names created or changed in a folder survive a power loss."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_log(log: str) -> None:
    """Makes the write-ahead log as it is now survive a power loss. It carries none of SQLite's locks, so it may be opened."""
    descriptor = os.open(log, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if sys.platform == "darwin":
            from fcntl import F_FULLFSYNC, fcntl

            fcntl(descriptor, F_FULLFSYNC)
        else:
            os.fdatasync(descriptor)
    finally:
        os.close(descriptor)
    sync_folder(os.path.dirname(log))
