"""A store with its records, and a clock that tests move."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire.client import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db", sync="normal") as found:
        yield found
        assert found.service.gauges()["index_faults"] == 0
