"""The surfaces: the embedded store, and a real server over TCP and over a Unix socket."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory_wire import Client, Memory
from memory_wire.client import Surface
from memory_wire.wire import alive

pytest.register_assert_rewrite("tests.surfaces.scenarios")


@contextmanager
def served(folder: Path, *options: str) -> Iterator[Path]:
    """A running server over a store in the folder; gives the store's path."""
    db = folder / "memory.db"
    command = [sys.executable, "-m", "memory_wire", "serve", "--db", str(db), "--sync", "normal", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as server:
        try:
            limit = time.monotonic() + 20
            while not (folder / "serve.json").exists() or not alive(address(folder)):
                assert server.poll() is None and time.monotonic() < limit, server.stderr and server.stderr.read()
                time.sleep(0.02)
            yield db
        finally:
            server.terminate()
            assert server.wait(20) == 0


def address(folder: Path) -> str:
    """Where the server of this folder listens."""
    addr = json.loads((folder / "serve.json").read_text())["addr"]
    return addr if addr.startswith("unix://") else f"http://{addr}"


@pytest.fixture(scope="session", params=["memory", "http", "unix"])
def surface(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surface]:
    """A surface over a store of its own, for the whole session."""
    folder: Path = tmp_path_factory.mktemp(request.param)
    with Memory(folder / "memory.db", sync="normal") as memory:
        key = memory.create_key("surfaces", rights="admin").key  # the same everywhere; over TCP nothing goes without
    if request.param == "memory":
        with Memory(folder / "memory.db", sync="normal") as memory:
            yield memory
            assert memory.service.gauges()["index_faults"] == 0
        return
    where = ("--addr", "127.0.0.1:0") if request.param == "http" else ("--addr", "none", "--socket", str(folder / "s"))
    with served(folder, *where) as db, Client(address(folder), key=key, db=db) as client:
        yield client
        assert b"memory_wire_index_faults_total 0\n" in client.wire.request("GET", "/metrics").body
