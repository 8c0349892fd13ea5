"""Captures that no server took, one file each, until a later hook or `daemon start` delivers them.

A file appears by rename and goes when the server has answered for it, so a kill at any moment loses nothing and at worst sends one twice,
which the server recognises. Bounded in number and size: the oldest give way. Secrets are redacted by the server, so they are in these
files; nobody else may read them.
"""

from __future__ import annotations

import os
import time

from memory_wire.config import SPOOL_BYTES, SPOOL_DELIVER, SPOOL_FILES
from memory_wire.hooks import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = "spool"
STALE_NS = 60 * 10**9  # what a killed hook left half-written


def add(folder: str, target: str, path: str, body: bytes) -> None:
    """Keeps one request. `target` says whom it is for: MEMORY_WIRE_URL, or "" for this machine's own server. Raises OSError."""
    place = os.path.join(folder, FOLDER)
    name = f"{time.time_ns():020d}-{os.getpid()}-{os.urandom(3).hex()}"
    data = f"{target}\n{path}\n".encode("utf-8", "surrogateescape") + body
    make_room(place, len(data))
    files.put(os.path.join(place, name), data)


def make_room(place: str, coming: int) -> None:
    """Drops the oldest until one more of so many bytes fits, and what was left half-written."""
    kept = [(name, size(os.path.join(place, name))) for name in files.names(place)]
    total = sum(each for _, each in kept) + coming
    while kept and (len(kept) >= SPOOL_FILES or total > SPOOL_BYTES):
        name, gone = kept.pop(0)
        files.drop(os.path.join(place, name))
        total -= gone
    for name in leftovers(place):
        files.drop(os.path.join(place, name))


def leftovers(place: str) -> list[str]:
    """Temporary files of writers that can't be at it any more."""
    try:
        hidden = [name for name in os.listdir(place) if name.startswith(".")]
    except OSError:
        return []
    return [name for name in hidden if not name[1:21].isdigit() or int(name[1:21]) < time.time_ns() - STALE_NS]


def deliver(folder: str, target: str, send: Callable[[str, bytes], bool], until: float, most: int = SPOOL_DELIVER) -> int:
    """How many were delivered: oldest first, until `send(path, body)` says False, the time (monotonic) is up or `most` are done.

    `send` returns True when the server has taken the request or refused it for good; it may raise, and the file stays.
    """
    place = os.path.join(folder, FOLDER)
    done = 0
    for name in files.names(place):
        if done >= most or time.monotonic() >= until:
            break
        path = os.path.join(place, name)
        whom, _, rest = files.get(path, SPOOL_BYTES).partition(b"\n")
        where, newline, body = rest.partition(b"\n")
        if not newline:
            files.drop(path)  # not ours, or cut by a power failure
            continue
        if whom.decode("utf-8", "surrogateescape") != target:
            continue
        if not send(where.decode("utf-8", "surrogateescape"), body):
            break
        files.drop(path)
        done += 1
    return done


def pending(folder: str) -> tuple[int, int]:
    """(files, bytes) that wait."""
    place = os.path.join(folder, FOLDER)
    kept = files.names(place)
    return len(kept), sum(size(os.path.join(place, name)) for name in kept)


def size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
