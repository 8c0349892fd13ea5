"""A server whose files may not grow any more: a clear error for each write, nothing acknowledged is lost, and it goes on with space."""

from __future__ import annotations

from pathlib import Path

from memory_wire import Client
from tests.crash.disks import limit
from tests.crash.writers import ENOUGH, KIB, Writers, holds, sound, url
from tests.serve.serving import Serving


def test_server_whose_files_may_not_grow(tmp_path: Path) -> None:
    with Serving(tmp_path) as server, Client(url(server)) as store:
        writers = [Writers(store, name) for name in ("before", "during", "after")]
        writers[0].run(12)
        for size in (300 * KIB, 0):
            limit(server.process.pid, size)
            writers[1].run(200)
            assert writers[1].refusals >= ENOUGH
            holds(store, writers)
        limit(server.process.pid, None)
        writers[2].run(6)
        assert writers[2].refusals == 0
        assert server.stop() == 0
    sound(tmp_path / "memory.db", writers)
