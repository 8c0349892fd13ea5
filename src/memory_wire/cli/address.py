"""The address that this user's daemon was started at last, `daemon.json` beside the default store: the next start takes it again.

So a port that was chosen once lasts, whoever starts the daemon: the user, `connect`, or the start of a session.
"""

from __future__ import annotations

import os

from memory_wire.cli.running import data_folder
from memory_wire.config import DEFAULT_ADDR
from memory_wire.errors import MemoryWireError

NAME = "daemon.json"


def remember(addr: str) -> None:
    """Notes the address for the next start; the default one, and none at all, need no note."""
    from memory_wire.hooks import files
    from memory_wire.hooks.values import dumps

    path = os.path.join(data_folder(), NAME)
    if addr in (DEFAULT_ADDR, "none"):
        files.drop(path)
    elif addr != remembered():
        files.put(path, dumps({"addr": addr}).encode() + b"\n")


def remembered() -> str:
    """The address of the last start that named one; the default one without."""
    from memory_wire.hooks import endpoint
    from memory_wire.hooks.values import text_of
    from memory_wire.serve import listen

    try:
        found = text_of(endpoint.told(os.path.join(data_folder(), NAME)), "addr")
        listen.split(found)
    except MemoryWireError:
        return DEFAULT_ADDR
    return found


def mend_named(url: str) -> str:
    """What mends a MEMORY_WIRE_URL where nothing answers."""
    from memory_wire.wire import is_local

    try:
        here = url.startswith("http://") and is_local(url)
    except MemoryWireError:
        here = False
    addr = url.removeprefix("http://").partition("/")[0]
    start = f", or `memory-wire daemon start --addr {addr}` to start one there" if here and ":" in addr else ""
    return f"unset MEMORY_WIRE_URL{start}"
