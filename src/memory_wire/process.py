"""What the system says of a process: whether it runs, when it began, whether it is this user's. Light: hooks and the server ask it.

A pid alone is no identity, it counts with its start time.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PIDS = 1 << 31


def runs(pid: int) -> bool:
    """Whether there is a process of that id; one that has ended and waits to be collected, perhaps for ever, does not count."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return stat(pid)[:1] not in ([b"Z"], [b"X"])


def start_ticks(pid: int | None = None) -> int | None:
    """Start time of a process (ours) in clock ticks since boot; None where /proc doesn't tell. Tells a recycled pid from the one meant."""
    try:
        return int(stat(pid)[19])
    except (ValueError, IndexError):
        return None


def stat(pid: int | None) -> list[bytes]:
    """The fields of /proc/<pid>/stat from the third, the state letter, on; none where it can't be read."""
    try:
        with open(f"/proc/{pid or 'self'}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def of_this_user(pid: int) -> bool:
    """Whether a process is this user's: its owner in /proc, and where that is missing whether it could be signalled."""
    try:
        return os.stat(f"/proc/{pid}").st_uid == os.geteuid()
    except OSError:
        pass  # gone, or a system without /proc
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return not os.path.exists("/proc/self")


def proved(said: Mapping[str, object]) -> bool:
    """Whether the process that a state file names by `pid` and `start_ticks` is there, is the one meant, and is this user's."""
    pid = said.get("pid")
    if type(pid) is not int or not 0 < pid < PIDS:
        return False
    return runs(pid) and start_ticks(pid) == said.get("start_ticks") and of_this_user(pid)


def words_of(pid: int) -> list[str]:
    """The command line of a process, [] where it can't be seen."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
    except OSError:
        return []
