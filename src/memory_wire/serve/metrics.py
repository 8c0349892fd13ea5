"""`/metrics`: what the server counts, in Prometheus' text form. Reads attributes only, never the storage."""

from __future__ import annotations

import os

from memory_wire.serve import reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory_wire.serve.reply import Reply

GAUGES = {
    "commits": ("counter", "commits_total", "Commits of the record store."),
    "acknowledged": ("counter", "acknowledged_total", "Writes answered after their commit."),
    "index_faults": ("counter", "index_faults_total", "Stored writes that the index takes up later, after a fault."),
    "open_banks": ("gauge", "open_banks", "Banks whose index is open."),
    "live_units": ("gauge", "live_units", "Memories in live parts of the index."),
}


def render(answered: Mapping[tuple[str, int], int], connections: int, gauges: Mapping[str, int]) -> Reply:
    """The whole page. `answered` counts requests by route name (empty: no route) and status."""
    lines = heading("counter", "requests_total", "Requests answered, by route and status.")
    for (route, status), count in sorted(answered.items()):
        lines.append(f'memory_wire_requests_total{{route="{route}",status="{status}"}} {count}')
    for key, (kind, name, text) in GAUGES.items():
        lines += [*heading(kind, name, text), f"memory_wire_{name} {gauges[key]}"]
    lines += [*heading("gauge", "connections", "Open connections."), f"memory_wire_connections {connections}"]
    resident = rss()
    if resident is not None:
        lines += ["# TYPE process_resident_memory_bytes gauge", f"process_resident_memory_bytes {resident}"]
    return 200, reply.PROMETHEUS, ("\n".join(lines) + "\n").encode(), b""


def heading(kind: str, name: str, text: str) -> list[str]:
    return [f"# HELP memory_wire_{name} {text}", f"# TYPE memory_wire_{name} {kind}"]


def rss() -> int | None:
    """Resident bytes of this process; None where /proc doesn't tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None
