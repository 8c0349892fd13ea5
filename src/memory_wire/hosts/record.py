"""What connect did on this machine: `<data dir>/connect.json`, changed under a lock by one connect at a time.

Losing it loses nothing but exactness: entries are recognised in the files themselves.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import msgspec
from msgspec import Struct, field

from memory_wire.hosts import files
from memory_wire.hosts.base import Trace


class Wired(Struct):
    """The entries of one host as (path, label), and the folders in which it was wired for a project."""

    slots: list[tuple[str, str]] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)


class Record(Struct):
    """All of it: traces by path, hosts by name. `data` is its folder."""

    data: str = ""
    files: dict[str, Trace] = field(default_factory=dict)
    hosts: dict[str, Wired] = field(default_factory=dict)

    def trace(self, path: str) -> Trace:
        """A copy of what is recorded of a file."""
        return msgspec.convert(msgspec.to_builtins(self.files.get(path, Trace())), Trace)

    def users(self, path: str, label: str, apart: Collection[str]) -> list[str]:
        """The hosts that need an entry, apart from some."""
        return [name for name, wired in self.hosts.items() if name not in apart and (path, label) in wired.slots]

    def save(self) -> None:
        """Replaces the file; removes it when nothing is connected."""
        path = os.path.join(self.data, "connect.json")
        before = files.read(path)
        if self.hosts or self.files:
            after = msgspec.json.format(msgspec.json.encode({"files": self.files, "hosts": self.hosts}), indent=2) + b"\n"
            if after != before:
                files.replace(path, before, after, 0o600)
        elif before is not None:
            os.unlink(path)


@contextmanager
def opened(data: str) -> Iterator[Record]:
    """The record while nobody else connects. One that can't be read counts as empty. Raises OSError where the folder can't be written."""
    files.make(data, 0o700)
    with open(os.open(os.path.join(data, "connect.lock"), os.O_RDWR | os.O_CREAT, 0o600), "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield seen(data)


def seen(data: str) -> Record:
    """The record as it is, without the lock: for looking only."""
    try:
        with open(os.path.join(data, "connect.json"), "rb") as file:
            record = msgspec.json.decode(file.read(), type=Record)
    except (OSError, msgspec.DecodeError):
        record = Record()
    record.data = data
    return record
