"""After the quiet time the process sleeps: nothing wakes it, and asking for its health doesn't count as use."""

from __future__ import annotations

import os
import time
from pathlib import Path

from bench.footprint import probe
from bench.footprint.server import Server
from tests.footprint.test_footprint import QUIET, idle

ASLEEP = float(os.environ.get("MEMORY_WIRE_ASLEEP", "5"))  # seconds that are watched; the long tier watches 60


def test_nothing_wakes_it(tmp_path: Path) -> None:
    with Server(tmp_path, *QUIET) as server:
        server.retain("b", {"content": "one memory"})
        idle(server)
        before = probe.wakeups(server.pid)
        time.sleep(ASLEEP)
        assert probe.wakeups(server.pid) == before
        assert server.recall("b", "memory")


def test_health_and_metrics_leave_storage_and_timer_alone(tmp_path: Path) -> None:
    with Server(tmp_path, *QUIET) as server:
        server.retain("b", {"content": "one memory"})
        idle(server)
        before = probe.wakeups(server.pid)
        for path in ("/health", "/metrics"):
            assert server.ask("GET", path)[0] == 200
        assert "memory.db" not in probe.files(server.pid)
        assert probe.wakeups(server.pid) > before
        time.sleep(2.5)  # the look at deadlines that a connection starts has run out; a re-armed quiet time would have too
        before = probe.wakeups(server.pid)
        time.sleep(1.5)
        assert probe.wakeups(server.pid) == before


def test_the_file_pages_come_back_and_go_again(tmp_path: Path) -> None:
    with Server(tmp_path, *QUIET) as server:
        server.retain("b", {"content": "one memory"})
        idle(server)
        asleep = probe.reading(server.pid)
        for _ in range(3):
            assert server.recall("b", "memory") == ["one memory"]
            assert probe.reading(server.pid).rss > asleep.rss + 1024
            idle(server)
            assert probe.reading(server.pid).rss < asleep.rss + 1024


def test_a_server_told_to_keep_its_memory_does(tmp_path: Path) -> None:
    with Server(tmp_path, *QUIET, "--no-trim") as server:
        server.retain("b", {"content": "one memory"})
        used = probe.reading(server.pid)
        idle(server)
        assert probe.reading(server.pid).rss > used.rss - 1024
