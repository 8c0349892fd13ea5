"""A public hub in a memory, and questions to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire.client import Memory

pytest.register_assert_rewrite("tests.public.asking")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db", bank="notes", sync="normal") as found:
        found.service.store.submit(lambda tx: tx.bank("default", "notes", create=True))
        found.put_hub("notes", public=True, display_name="Notes")
        yield found
        assert found.service.gauges()["index_faults"] == 0, found.service.index.last_fault
