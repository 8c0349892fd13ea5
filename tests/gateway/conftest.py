"""Somewhere to go, and a store whose agents may. No server outlives its module: others wait for any child that this process has."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory_wire import Memory
from tests.outside.server import Server

PATIENCE = 20.0


@pytest.fixture(scope="module")
def world() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db", sync="normal") as memory:
        yield memory


@contextmanager
def calculator(*how: str) -> Iterator[str]:
    """The URL of a server of the official package."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    script = Path(__file__).with_name("mcp_server.py")
    url = f"http://127.0.0.1:{port}/mcp"
    command = [sys.executable, str(script), str(port), *how]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            end = time.monotonic() + PATIENCE
            while not answers(url):
                assert process.poll() is None and time.monotonic() < end
                time.sleep(0.05)
            yield url
        finally:
            process.kill()


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


@pytest.fixture(scope="module")
def stateful() -> Iterator[str]:
    with calculator() as url:
        yield url


@pytest.fixture(scope="module")
def plain() -> Iterator[str]:
    with calculator("json", "stateless") as url:
        yield url
