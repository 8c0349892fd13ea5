"""Who listens on a port, from /proc: so that a taken one can be named. Finds nothing where /proc is missing or shows no other processes."""

from __future__ import annotations

import os

from memory_wire.cli.running import words_of

LISTEN = "0A"  # state of a listening socket in /proc/net/tcp
COMMAND_CHARS = 80


def holder(port: int) -> str | None:
    """`process 12 (python -m http.server)`, as far as it can be seen; None when nobody is seen to listen there."""
    inodes = listening(port)
    if not inodes:
        return None
    for name in os.listdir("/proc"):
        if name.isdecimal() and inodes & sockets(name):
            command = " ".join(words_of(int(name)))
            return f"process {name} ({command[:COMMAND_CHARS]})" if command else f"process {name}"
    return "a process of another user"


def listening(port: int) -> set[str]:
    """The inodes of the sockets that listen on a port."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(table, encoding="ascii") as file:
                rows = [row.split() for row in file.readlines()[1:]]
        except OSError:
            continue
        found |= {row[9] for row in rows if row[3] == LISTEN and int(row[1].rpartition(":")[2], 16) == port}
    return found


def sockets(pid: str) -> set[str]:
    """The inodes of a process's sockets."""
    found = set()
    try:
        for name in os.listdir(f"/proc/{pid}/fd"):
            target = os.readlink(f"/proc/{pid}/fd/{name}")
            if target.startswith("socket:["):
                found.add(target[8:-1])
    except OSError:  # not ours to see, or gone meanwhile
        return found
    return found
