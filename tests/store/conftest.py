"""A store in a fresh folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire.store.check import check
from memory_wire.store.sqlite import Store


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "data" / "memory.db")


@pytest.fixture
def store(path: str) -> Iterator[Store]:
    """An open store; after each test it must still agree with itself."""
    with Store(path, create=True) as made:
        yield made
        assert [finding.text for finding in check(made)] == []
