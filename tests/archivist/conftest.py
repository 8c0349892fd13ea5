"""A store whose clock tests move, and its work in the background done at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_wire.client import Memory

Links = Callable[[str], list[tuple[str, str]]]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db", sync="normal") as found:
        yield found
        assert found.service.gauges()["index_faults"] == 0


@pytest.fixture
def links(memory: Memory) -> Links:
    """(type, other's id) of a record's links once nothing is due any more."""

    def found(id: str) -> list[tuple[str, str]]:
        memory.run_jobs()
        return [(link.type, link.id) for link in memory.get_record(id).graph_relations]

    return found
