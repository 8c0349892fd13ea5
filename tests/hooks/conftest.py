"""A real server for the hooks that are run as hosts run them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bench.footprint.server import Server
from tests.hooks.place import Place


@pytest.fixture(name="server", scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(name="place")
def own_place(server: Server, tmp_path: Path) -> Place:
    """A machine whose hooks ask the server, in a bank of its own."""
    place = Place(tmp_path, f"http://127.0.0.1:{server.port}")
    place.env["MEMORY_WIRE_BANK"] = f"bank-{tmp_path.name}"
    return place


@pytest.fixture(name="away")
def without_server(tmp_path: Path) -> Place:
    """A machine on which nothing answers."""
    return Place(tmp_path, "http://127.0.0.1:9")


@pytest.fixture(name="name")
def names() -> Callable[[], str]:
    numbers = itertools.count()
    return lambda: f"s-{next(numbers)}"
