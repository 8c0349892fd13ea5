"""A store with projects, members and keys, and a server over it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db", sync="normal") as memory:
        yield memory
