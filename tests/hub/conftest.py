"""A store for documents, with a word for every piece of it, and what everybody may see of a hub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_wire.client import Memory
from memory_wire.index.cache import PUBLIC
from memory_wire.retrieve.pipeline import Ask
from memory_wire.service.projection import Public
from tests.hub.library import Library, Seen


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db", bank="notes", sync="normal") as found:
        found.service.store.submit(lambda tx: tx.bank("default", "notes", create=True))
        yield found
        assert found.service.gauges()["index_faults"] == 0, found.service.index.last_fault


@pytest.fixture
def library(memory: Memory) -> Library:
    return Library(memory)


@pytest.fixture
def public(memory: Memory) -> Callable[[str], list[Seen]]:
    """What the hub `notes` shows everybody for a query."""

    def ask(query: str) -> list[Seen]:
        with Public(memory.service, "notes") as found:
            served, _ = memory.service.recalls.found(
                found.reader, found.bank, Ask(query=query, budget=1 << 20, k=50), lambda rows: rows, PUBLIC
            )
            return [Seen(one.unit.document, one.unit.breadcrumb, one.content, one.score) for one in served]

    return ask
