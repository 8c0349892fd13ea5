"""Small files of hooks under the store's folder: written whole or not at all, readable by nobody else.

Replaced by rename and not synced: a killed hook leaves the old file or the new one, a power cut may take the last ones along.
"""

from __future__ import annotations

import os

from memory_wire.config import default_db

FOLDER_MODE = 0o700
FILE_MODE = 0o600
READ_BYTES = 256 * 1024


def data_folder() -> str:
    """Where the default store and the files of hooks lie."""
    return os.path.dirname(default_db())


def put(path: str, data: bytes) -> None:
    """Replaces a file, its folder made when missing. Raises OSError."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    try:
        descriptor = os.open(temporary, flags, FILE_MODE)
    except FileNotFoundError:
        os.makedirs(folder, FOLDER_MODE, exist_ok=True)
        descriptor = os.open(temporary, flags, FILE_MODE)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        drop(temporary)
        raise


def sync(folder: str) -> None:
    """Has a folder's names reach the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def get(path: str, limit: int = READ_BYTES) -> bytes:
    """The first bytes of a regular file; empty when it can't be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError):
        return b""
    try:
        with open(descriptor, "rb") as file:
            return file.read(limit) or b""
    except OSError:
        return b""


def names(folder: str) -> list[str]:
    """The files of a folder in order of their names, temporary ones left out; empty when it isn't there."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []


def drop(path: str) -> None:
    """Removes a file; one that is gone already, or may not be removed, is left to the next time."""
    try:
        os.unlink(path)
    except OSError:
        return
