"""Resident memory of a real server in named states, read from outside, with the mappings that hold it when a limit is broken.

The limits are what the README promises; where more than one library build is about, the larger one has to hold them too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bench.footprint import load, probe
from bench.footprint.server import Server
from memory_wire.store.pool import READERS

MIB = 1024
QUIET = ("--quiet", "1")
PATIENCE = 20.0


def holds(server: Server, mib: float, anonymous: float = 99.0) -> None:
    """The server's RSS and the part of it that no file backs are within the limits; if not, the failure says where the memory is."""
    now = probe.reading(server.pid)
    assert now.rss <= mib * MIB and now.anonymous <= anonymous * MIB, f"above {mib} MiB\n{probe.breakdown(server.pid)}"


def idle(server: Server) -> None:
    """Waits until the server has given its memory back: its helper thread is gone and RSS has stopped falling."""
    time.sleep(1.0)
    end = time.monotonic() + PATIENCE
    before = 0
    while probe.status(server.pid, "Threads") > 1 or probe.reading(server.pid).rss != before:
        assert time.monotonic() < end, "the server doesn't come to rest"
        before = probe.reading(server.pid).rss
        time.sleep(0.5)


@pytest.fixture(name="server")
def fresh(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path, *QUIET) as server:
        yield server
        assert server.stop() == 0
        assert "warning" not in server.log.read_text()


def test_one_memory(server: Server) -> None:
    holds(server, 13)  # ready
    server.retain("b", {"content": "The harbour pilot sleeps in Rotterdam."})
    holds(server, 14)
    idle(server)
    holds(server, 10.7, anonymous=8.5)
    assert server.recall("b", "harbour pilot") == ["The harbour pilot sleeps in Rotterdam."]
    holds(server, 13)
    assert server.recall("b", "harbour pilot", exclude_tags=["absent"])
    idle(server)
    holds(server, 10.7, anonymous=8.5)


def test_thousands_of_requests(server: Server) -> None:
    load.use(server, "b", 5_000, 200)
    holds(server, 18)
    idle(server)
    holds(server, 13)


def test_a_bank_of_ten_thousand(tmp_path: Path) -> None:
    with Server(tmp_path, *QUIET) as server:
        load.fill(server, "b", 10_000)
        assert server.stop() == 0
    (tmp_path / "serve.json").unlink(missing_ok=True)
    with Server(tmp_path, *QUIET) as server:
        assert server.recall("b", next(load.questions(1)))
        idle(server)
        holds(server, 11)
        assert server.recall("b", next(load.questions(1)))
        holds(server, 14)  # 13 as for a small bank, and pages of the segment


def test_many_banks(server: Server) -> None:
    with closing(server.dial()) as connection:  # one for all, so that none that is just being closed is counted
        for number in range(300):
            server.retain(f"bank{number}", {"content": f"what bank {number} remembers"}, connection)
        assert server.recall("bank0", "remembers", connection)
        before = len(probe.files(server.pid))
        for number in range(300):
            assert server.recall(f"bank{number}", "remembers", connection)
        assert len(probe.files(server.pid)) <= before + 2 * (READERS - 1)  # readers wanted at once, whatever the number of banks
    idle(server)
    assert "memory.db" not in probe.files(server.pid)
    holds(server, 14)


def test_without_the_slim_start_it_is_larger_and_works(tmp_path: Path) -> None:
    with Server(tmp_path, *QUIET, "--no-trim", env={"MEMORY_WIRE_SLIM": "0"}) as server:
        server.retain("b", {"content": "all modules are loaded"})
        assert server.recall("b", "modules loaded")
        assert probe.reading(server.pid).rss > 20 * MIB
        assert any("_ssl" in name for name in probe.libraries(server.pid))
        assert server.stop() == 0


def test_pages_of_a_hub(tmp_path: Path) -> None:
    with Server(tmp_path, *QUIET) as server:
        pages, raw = load.publish(server)
        idle(server)
        assert server.stop() == 0
    (tmp_path / "serve.json").unlink(missing_ok=True)
    with Server(tmp_path, *QUIET) as server:
        server.retain("b", {"content": "The harbour pilot sleeps in Rotterdam."})
        idle(server)
        before = probe.reading(server.pid).rss / MIB
        for paths, most in ((pages, before + 2), (raw, 10.7)):
            for path in paths:
                assert server.ask("GET", path)[0] == 200, path
            idle(server)
            holds(server, most)
