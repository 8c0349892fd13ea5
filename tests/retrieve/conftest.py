"""One embedded store for the recall tests; every test makes banks of its own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest

from memory_wire import Memory


@pytest.fixture(scope="session")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory(tmp_path_factory.mktemp("recall") / "memory.db", sync="normal") as store:
        yield store
        assert store.service.gauges()["index_faults"] == 0


@pytest.fixture(scope="session")
def fresh() -> Callable[[], str]:
    """Names of banks that don't exist yet."""
    numbers = itertools.count()
    return lambda: f"bank-{next(numbers)}"
