"""Writes that wait for the server: one file each, on the disk before they are answered for, delivered in order, by one process at a time.

What a server refuses for good is set aside, so that it holds nothing up. Nothing is ever dropped to make room: a full spool refuses.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock
from hashlib import sha256

from memory_wire import config
from memory_wire.errors import MemoryWireError
from memory_wire.hooks import files
from memory_wire.hooks.spool import STALE_NS, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PLACE, ASIDE, LOCK, TROUBLE = "spool", "aside", ".lock", ".trouble"


class SpoolFull(MemoryWireError):
    status = 507
    code = "spool_full"


class Spool:
    """The writes for one server."""

    def __init__(self, folder: str, target: str) -> None:
        self.place = os.path.join(folder, PLACE, sha256(target.encode("utf-8", "surrogateescape")).hexdigest()[:16])
        self.aside_place = os.path.join(self.place, f".{ASIDE}")

    def add(self, body: bytes) -> str:
        """Keeps a write; its name. It has reached the disk then. Raises SpoolFull, OSError."""
        waiting = self.names()
        held = sum(size(os.path.join(self.place, name)) for name in waiting)
        if len(waiting) >= config.AGENT_SPOOL_FILES or held + len(body) > config.AGENT_SPOOL_BYTES:
            raise SpoolFull(f"{len(waiting):,} writes wait for the server already, with {held:,} bytes")
        os.makedirs(self.place, files.FOLDER_MODE, exist_ok=True)
        name = f"{max(time.time_ns(), int(waiting[-1][:20]) + 1 if waiting else 0):020d}-{os.getpid()}-{os.urandom(3).hex()}"
        path = os.path.join(self.place, name)
        hidden = os.path.join(self.place, f".{name}")
        with open(os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, files.FILE_MODE), "wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        os.rename(hidden, path)
        files.sync(self.place)
        return name

    def sweep(self) -> None:
        """Removes what a killed writer left half-written: nobody was answered for that."""
        try:
            hidden = os.listdir(self.place)
        except OSError:
            return
        old = time.time_ns() - STALE_NS
        for name in hidden:
            if name.startswith(".") and name[1:21].isdigit() and int(name[1:21]) < old:
                files.drop(os.path.join(self.place, name))

    def names(self) -> list[str]:
        """Those that wait, oldest first."""
        return [name for name in files.names(self.place) if name[:20].isdigit()]

    def read(self, name: str) -> bytes:
        """What was kept; empty when somebody else has delivered it."""
        return files.get(os.path.join(self.place, name), config.AGENT_SPOOL_BYTES)

    def drop(self, name: str) -> None:
        """The server has it."""
        files.drop(os.path.join(self.place, name))

    def set_aside(self, name: str, why: str) -> None:
        """The server will never have it: it is kept where nothing waits for it, and why beside it."""
        os.makedirs(self.aside_place, files.FOLDER_MODE, exist_ok=True)
        files.put(os.path.join(self.aside_place, f"{name}.why"), why.encode("utf-8", "replace"))
        os.rename(os.path.join(self.place, name), os.path.join(self.aside_place, name))
        files.sync(self.place)

    def aside(self) -> list[str]:
        """Those that were set aside, oldest first."""
        return [name for name in files.names(self.aside_place) if not name.endswith(".why")]

    def why(self, name: str) -> str:
        """Why one was."""
        return files.get(os.path.join(self.aside_place, f"{name}.why")).decode("utf-8", "replace")

    @property
    def trouble(self) -> str:
        """Why the last attempt to deliver failed; empty when it didn't."""
        return files.get(os.path.join(self.place, TROUBLE)).decode("utf-8", "replace")

    @trouble.setter
    def trouble(self, text: str) -> None:
        if text == self.trouble:
            return
        try:
            files.put(os.path.join(self.place, TROUBLE), text.encode("utf-8", "replace"))
        except OSError:
            return  # it is for showing only

    @contextmanager
    def alone(self, until: float) -> Iterator[bool]:
        """Whether this process alone may deliver now; waits for others until a time of the monotonic clock."""
        os.makedirs(self.place, files.FOLDER_MODE, exist_ok=True)
        with locked(os.path.join(self.place, LOCK), until) as mine:
            yield mine


@contextmanager
def locked(path: str, until: float = 0.0) -> Iterator[bool]:
    """Whether the lock of a file could be had; it goes with the process, whatever becomes of that."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, files.FILE_MODE)
    try:
        while True:
            try:
                flock(descriptor, LOCK_EX | LOCK_NB)
                break
            except OSError:
                if time.monotonic() >= until:
                    yield False
                    return
                time.sleep(0.02)
        yield True
        flock(descriptor, LOCK_UN)
    finally:
        os.close(descriptor)
