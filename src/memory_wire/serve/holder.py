"""Who listens on a port, from /proc: so that a taken one can be named. Finds nothing where /proc is missing or shows no other processes.

Loaded by a server that can't have its address, and by the command line.
"""

from __future__ import annotations

import os

from memory_wire.process import words_of

LISTEN = "0A"  # state of a listening socket in /proc/net/tcp
COMMAND_CHARS = 80
OTHER_PORT = "--addr HOST:PORT takes another port"


def holder(port: int) -> str | None:
    """`process 12 (python -m http.server)`, as far as it can be seen, and whose when it is another user's; None when nobody listens."""
    found = listening(port)
    if not found:
        return None
    for name in os.listdir("/proc"):
        if name.isdecimal() and found.keys() & sockets(name):
            command = shown(words_of(int(name)))
            return f"process {name}{f' ({command})' if command else ''}{of(owner(name))}"
    return f"a process{of(min(found.values()))}" if os.geteuid() not in found.values() else "a process that can't be seen from here"


def shown(words: list[str]) -> str:
    """A command line as one short line; it is whatever its process wants it to be, so nothing in it reaches a terminal as an order."""
    text = " ".join(" ".join(words).split())
    return "".join(char if char.isprintable() else "?" for char in text)[:COMMAND_CHARS]


def of(user: int | None) -> str:
    """` of user NAME`, when that is somebody else."""
    if user is None or user == os.geteuid():
        return ""
    import pwd

    try:
        return f" of user {pwd.getpwuid(user).pw_name}"
    except KeyError:
        return f" of user {user}"


def owner(pid: str) -> int | None:
    try:
        return os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return None


def taken(addr: str, text: str) -> str:
    """What is said of an address that can't be had: when it is in use by whom, and what to do."""
    port = addr.rpartition(":")[2]
    who = holder(int(port)) if "in use" in text and port.isdigit() else None
    return f"{text} by {who}; {OTHER_PORT}" if who else text


def listening(port: int) -> dict[str, int]:
    """The inodes of the sockets that listen on a port, with the users who made them."""
    found: dict[str, int] = {}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(table, encoding="ascii") as file:
                rows = [row.split() for row in file.readlines()[1:]]
        except OSError:
            continue
        found |= {row[9]: int(row[7]) for row in rows if row[3] == LISTEN and int(row[1].rpartition(":")[2], 16) == port}
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
