"""Resident memory of a real server in named states, read from outside, with the mappings that hold it when a limit is broken."""

from __future__ import annotations

from pathlib import Path

from bench.footprint import load, probe
from bench.footprint.server import Server

MIB = 1024


def holds(server: Server, mib: float) -> None:
    """The server's RSS is within the limit; if not, the failure says where the memory is."""
    now = probe.reading(server.pid)
    assert now.rss <= mib * MIB, f"above {mib} MiB\n{probe.breakdown(server.pid)}"


def test_after_one_retain_and_after_thousands(tmp_path: Path) -> None:
    with Server(tmp_path, "--quiet", "1") as server:
        server.retain("b", {"content": "The harbour pilot sleeps in Rotterdam."})
        holds(server, 29)
        load.use(server, "c", 5_000, 200)
        holds(server, 35)
        assert server.stop() == 0
