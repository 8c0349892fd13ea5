"""A scratch user, and a real server for the hooks that are run as hosts run them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.footprint.server import Server
from tests.hosts.machine import Machine


@pytest.fixture(name="server", scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(name="machine")
def scratch(tmp_path: Path) -> Machine:
    return Machine(tmp_path)
