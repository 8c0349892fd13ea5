"""The log of a daemon: standard error is a file, and when it is full a fresh one takes its place. `daemon start` names it in FILE_VARIABLE.

The command line uses `rotate` too, before it starts a daemon.
"""

from __future__ import annotations

import os

from memory_wire.config import LOG_BYTES, LOG_FILES

FILE_VARIABLE = "MEMORY_WIRE_LOG_FILE"


class LogFile:
    """Counts what goes to descriptor 2 and renames the file behind it in time."""

    __slots__ = ("left", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self.left = LOG_BYTES - os.fstat(2).st_size

    def wrote(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            self.left = LOG_BYTES
            try:
                rotate(self.path)
                os.dup2(opened(self.path), 2)
            except OSError:
                return  # a full or read-only disk: the old file goes on, and the next try is as far away


def given() -> LogFile | None:
    """The file behind descriptor 2, when it is the one that the environment names."""
    path = os.environ.get(FILE_VARIABLE)
    try:
        return LogFile(path) if path and os.path.samestat(os.stat(path), os.fstat(2)) else None
    except OSError:
        return None


def rotate(path: str) -> None:
    """Moves a log out of the way: `serve.log` to `serve.log.1` and so on; the oldest goes."""
    for number in range(LOG_FILES - 1, 0, -1):
        older = path if number == 1 else f"{path}.{number - 1}"
        try:
            os.replace(older, f"{path}.{number}")
        except FileNotFoundError:
            continue


def opened(path: str) -> int:
    """A descriptor that appends to the log."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
