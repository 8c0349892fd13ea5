"""`serve.json` beside the database: tells the command line and hosts which process serves it and where. Written by loop.py alone."""

from __future__ import annotations

import os
import time

from msgspec import DecodeError
from msgspec.json import decode, encode, format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def path_of(db: str) -> str:
    return os.path.join(os.path.dirname(os.path.abspath(db)), "serve.json")


def publish(db: str, names: Sequence[str]) -> None:
    """Writes the file atomically. The first name is the address; a Unix socket beside a TCP address has a key of its own."""
    path = path_of(db)
    found: dict[str, object] = {
        "pid": os.getpid(),
        "addr": names[0],
        "db": os.path.abspath(db),
        "started_at": int(time.time()),
        "start_ticks": start_ticks(),
    }
    if len(names) > 1:
        found["socket"] = names[1].removeprefix("unix://")
    fresh = f"{path}.{os.getpid()}"
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, format(encode(found), indent=2) + b"\n")
    finally:
        os.close(descriptor)
    os.replace(fresh, path)


def withdraw(db: str) -> None:
    """Removes the file if it is still this process's own."""
    path = path_of(db)
    try:
        with open(path, "rb") as file:
            found = decode(file.read(), type=dict[str, object])
        if found.get("pid") == os.getpid():
            os.unlink(path)
    except (OSError, DecodeError):
        return  # gone, or another process's business


def start_ticks() -> int | None:
    """Start time of this process in clock ticks since boot; None where /proc doesn't tell. Tells a recycled pid from ours."""
    try:
        with open("/proc/self/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None
