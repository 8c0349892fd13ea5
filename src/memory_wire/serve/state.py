"""`serve.json` beside the database: tells the command line and hosts which process serves it and where. Written by loop.py alone."""

from __future__ import annotations

import fcntl
import os
import time

from msgspec import DecodeError
from msgspec.json import decode, encode, format

from memory_wire.config import state_file
from memory_wire.process import runs, start_ticks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def publish(db: str, names: Sequence[str], public: str | None = None) -> dict[str, object] | None:
    """Writes the file atomically. The first name is the address; a Unix socket beside a TCP address, and an address that serves only what
    is public, have keys of their own.

    Writes nothing when a server that still lives is named there for this database: gives what the file says of it.
    """
    path = state_file(db)
    folder = os.open(os.path.dirname(path) or os.curdir, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # of several that start at once one looks and writes at a time
        other = read(path)
        if other is not None and other.get("db") == os.path.abspath(db) and lives(other):
            return other
        write(path, db, names, public)
    finally:
        os.close(folder)
    return None


def write(path: str, db: str, names: Sequence[str], public: str | None) -> None:
    """The file, at once whole."""
    found: dict[str, object] = {
        "pid": os.getpid(),
        "addr": names[0],
        "db": os.path.abspath(db),
        "started_at": int(time.time()),
        "start_ticks": start_ticks(),
    }
    if len(names) > 1:
        found["socket"] = names[1].removeprefix("unix://")
    if public is not None:
        found["public"] = public
    fresh = f"{path}.{os.getpid()}"
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, format(encode(found), indent=2) + b"\n")
    finally:
        os.close(descriptor)
    os.replace(fresh, path)


def withdraw(db: str) -> None:
    """Removes the file if it is still this process's own."""
    path = state_file(db)
    found = read(path)
    if found is None or found.get("pid") != os.getpid():
        return
    try:
        os.unlink(path)
    except OSError:
        return  # another process's business meanwhile


def read(path: str) -> dict[str, object] | None:
    """What the file says, or None when there is none to be read."""
    try:
        with open(path, "rb") as file:
            return decode(file.read(), type=dict[str, object])
    except (OSError, DecodeError, RecursionError):
        return None


def lives(found: dict[str, object]) -> bool:
    """Whether the process that the file names is there and began when the file says."""
    pid = found.get("pid")
    if not isinstance(pid, int) or pid <= 0 or pid == os.getpid():
        return False
    return runs(pid) and start_ticks(pid) == found.get("start_ticks")
