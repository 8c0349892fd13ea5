"""Where this user's own server is. A port proves nothing: whoever came first listens there, another user's server or a stranger.

Two things are believed, files of this user's that nobody else can write: `serve.json`, when the process it names is there, is the one
meant and is this user's; `service.json`, which `memory-wire service install` leaves, when the socket that listens there is this user's (the
service manager holds it while no server runs). Asked by hooks and the command line; plugins have the same rule in their own languages.
"""

from __future__ import annotations

import os
import stat
import sys

from memory_wire.hooks.files import READ_BYTES
from memory_wire.hooks.values import mapping, text_of
from memory_wire.process import proved

STATE, SERVICE = "serve.json", "service.json"
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}
LISTEN = "0A"  # state of a listening socket in /proc/net/tcp


def own(folder: str) -> str:
    """The URL of the server that this user's files in the data folder name and that proves to be theirs; "" when there is none."""
    said = told(os.path.join(folder, STATE))
    if said and proved(said):
        return url_of(text_of(said, "addr"))
    addr = text_of(told(os.path.join(folder, SERVICE)), "addr")
    return url_of(addr) if addr and held(addr) else ""


def told(path: str) -> dict[str, object]:
    """What a file of this user's says; empty when it is somebody else's, others may write it, or it can't be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError):
        return {}
    try:
        seen = os.fstat(descriptor)
        if not stat.S_ISREG(seen.st_mode) or seen.st_uid != os.geteuid() or seen.st_mode & 0o022:
            return {}
        return mapping(os.read(descriptor, READ_BYTES))
    except OSError:
        return {}
    finally:
        os.close(descriptor)


def url_of(addr: str) -> str:
    """The address of a state file as a client takes it, "" for none; one that stands for every interface is asked through the loopback."""
    if not addr or "://" in addr:
        return addr
    host, _, port = addr.rpartition(":")
    return f"http://{EVERYWHERE.get(host, host)}:{port}"


def held(addr: str) -> bool:
    """Whether the socket that listens at an address is this user's, as far as the system tells who made it."""
    if addr.startswith("unix://"):
        try:
            seen = os.lstat(addr.removeprefix("unix://"))
        except OSError:
            return False
        return stat.S_ISSOCK(seen.st_mode) and seen.st_uid == os.geteuid()
    port = addr.rpartition(":")[2]
    owners = listeners(int(port)) if port.isascii() and port.isdigit() else set()
    return owners == {os.geteuid()}


def listeners(port: int) -> set[int]:
    """The users whose sockets listen on a TCP port, whatever the interface; none where /proc is missing."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6") if sys.platform == "linux" else ():
        try:
            with open(table, encoding="ascii") as file:
                rows = [row.split() for row in file.readlines()[1:]]
        except OSError:
            continue
        found |= {int(row[7]) for row in rows if row[3] == LISTEN and int(row[1].rpartition(":")[2], 16) == port}
    return found
