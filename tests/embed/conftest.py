"""An endpoint that counts, and a store with a bank that embeds by it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from memory_wire.client import Memory
from memory_wire.outside import Outside
from tests.embed.endpoint import Endpoint

collect_ignore = [] if find_spec("hnswlib") else ["test_graph.py"]  # has to be compiled, in C++: `.ci/run` does where it can


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as server:
        yield server


@pytest.fixture
def outside() -> Iterator[Outside]:
    way = Outside()
    yield way
    way.close()


@pytest.fixture
def memory(tmp_path: Path, endpoint: Endpoint) -> Iterator[Memory]:
    with Memory(str(tmp_path / "memory.db"), bank="b") as found:
        found.retain("the first of all memories")
        found.put_config({"embedder": endpoint.model()})
        found.run_jobs()
        endpoint.calls, endpoint.texts = 0, []
        yield found
