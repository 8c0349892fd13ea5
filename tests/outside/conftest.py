"""A way out and somewhere to go."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memory_wire.outside import Outside
from tests.outside.server import Server


@pytest.fixture
def outside() -> Iterator[Outside]:
    way = Outside()
    yield way
    way.close()


@pytest.fixture(scope="module")
def world() -> Iterator[Server]:
    with Server() as server:
        yield server
