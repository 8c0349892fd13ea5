"""What a process holds, read from outside: /proc/PID/smaps_rollup for the sums, smaps for the mappings, status for peaks and wake-ups.

Linux only. Sizes are KiB. Used by tests/footprint and the benches beside this file.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Reading(NamedTuple):
    """Sums over all mappings. `anonymous` is what no file backs: it can't be dropped and read again."""

    rss: int
    pss: int
    anonymous: int

    def __str__(self) -> str:
        return f"RSS {self.rss / 1024:.2f} MiB, PSS {self.pss / 1024:.2f}, anonymous {self.anonymous / 1024:.2f}"


class Mapping(NamedTuple):
    """One file with one protection, or one kind of memory without a file."""

    name: str
    rss: int
    anonymous: int


def reading(pid: int) -> Reading:
    """The process now. Raises OSError when it is gone."""
    sums = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        key, value = line.split()[:2]
        sums[key.rstrip(":")] = int(value)
    return Reading(sums["Rss"], sums["Pss"], sums["Anonymous"])


def status(pid: int, key: str) -> int:
    """A number from /proc/PID/status: VmHWM (peak RSS), Threads, …"""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1])
    raise KeyError(key)


def wakeups(pid: int) -> int:
    """How often the scheduler has put any thread of the process on a processor: a sleeping process keeps this number."""
    count = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            lines = (task / "status").read_text().splitlines()
        except FileNotFoundError:  # a thread that has just ended
            continue
        count += sum(int(line.split()[1]) for line in lines if "ctxt_switches:" in line)
    return count


def mappings(pid: int) -> list[Mapping]:
    """The process's memory by file and protection, largest first."""
    found: dict[str, list[int]] = {}
    sums: list[int] = []
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        words = line.split()
        if not words[0].endswith(":"):
            path = words[5] if len(words) > 5 else "(anonymous)"
            name = f"{Path(path).name} {words[1]}" if path.startswith("/") else path
            sums = found.setdefault(name, [0, 0])
        elif words[0] == "Rss:":
            sums[0] += int(words[1])
        elif words[0] == "Anonymous:":
            sums[1] += int(words[1])
    rows = [Mapping(name, *sums) for name, sums in found.items() if sums[0]]
    return sorted(rows, key=lambda row: -row.rss)


def libraries(pid: int) -> list[str]:
    """Shared libraries that are mapped, by file name."""
    lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return sorted({Path(line.split()[5]).name for line in lines if ".so" in line})


def files(pid: int) -> list[str]:
    """What the open descriptors are of, by name."""
    found = []
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found.append(link.readlink().name)
        except FileNotFoundError:  # closed meanwhile
            continue
    return found


def breakdown(pid: int) -> str:
    """The mappings as lines for a failure's message."""
    rows = mappings(pid)
    lines = [f"{row.rss:>7} {row.anonymous:>9}  {row.name}" for row in rows if row.rss >= 8]
    return "\n".join([f"{reading(pid)}", "    RSS anonymous  mapping (KiB)", *lines])
