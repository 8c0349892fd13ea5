"""Memories that strain the index, or that a damaged database makes unfit for it: the bank goes on answering with all others."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from memory_wire import Memory
from tests.crash.asking import errors

WORDS = [a + b for a in "abcdefghijklmnopqrstuvwxyz" for b in "abcdefghijklmnopqrstuvwxyz"]
HARD: dict[str, dict[str, object]] = {
    "a speaker of many words": {"content": "a boat", "speaker": " ".join(WORDS[:340])},
    "a speaker named in the text": {"content": " ".join(WORDS[:300]) + ": a boat"},
    "every field full": {
        "content": "a boat",
        "tags": [f"é{n}" * 80 for n in range(20)],
        "speaker": "".join(chr(0x4E00 + n) for n in range(1_000)),
        "context": "x y " * 200_000,
        "session": "s" * 1_024,
    },
    "one word": {"content": "x" * 900_000 + " a boat"},
    "marks without end": {"content": "a" + "\u0301" * 200_000 + " a boat"},
    "many words": {"content": " ".join(map(str, range(100_000))) + " a boat"},
    "no spaces": {"content": "".join(chr(0x4E00 + n % 20_000) for n in range(200_000)) + " a boat"},
    "all of Unicode": {"content": "".join(chr(n) for n in range(1, 0x30000) if not 0xD800 <= n < 0xE000) + " a boat"},
    "the first day": {"content": "a boat", "created_at": "0001-01-01T00:00:00Z"},
    "the last day": {"content": "a boat", "created_at": "9999-12-31"},
}


@pytest.mark.parametrize("name", HARD)
def test_memories_at_the_limits(tmp_path: Path, name: str) -> None:
    """Found at once, from a sealed segment and in an index made anew."""
    db = tmp_path / "memory.db"
    with Memory(db, sync="normal") as store:
        store.retain("the plain boat")
        ids = {store.retain(**HARD[name]).id, store.recall("plain")[0].id}  # type: ignore[arg-type]
        for count in (0, 150):
            store.retain_batch([{"content": f"filling {n}"} for n in range(count)])
            assert {hit.id for hit in store.recall("boat", budget=10**7)} == ids
            store.service.idle()
            assert {hit.id for hit in store.recall("boat", budget=10**7)} == ids
        assert store.service.gauges()["index_faults"] == 0
    assert errors(db) == []


def test_a_row_that_cannot_be_indexed(tmp_path: Path) -> None:
    """Whoever wrote it: the others are found, `check` names it, a rebuild doesn't fail."""
    db = tmp_path / "memory.db"
    with Memory(db) as store:
        store.retain_batch([{"content": f"boat {n}", "session": "s"} for n in range(200)])
    with sqlite3.connect(db) as connection:
        connection.execute("UPDATE unit SET position = -5 WHERE content = 'boat 7'")
    connection.close()
    with Memory(db) as store:
        assert len(store.recall("boat", k=100)) == 100
        index = store.service.index.cache.opened()[0]
        with store.service.read() as reader:
            bank = reader.bank("default", "default")
            assert bank is not None
            index.rebuild(store.service.index.rows(reader, bank, 1))
        store.service.idle()
        assert [hit.content for hit in store.recall("boat 8", k=1)] == ["boat 8"]
        store.retain("boat 200")
        assert store.recall("boat 200", k=1)[0].content == "boat 200"
    assert any("is not indexed as it is stored" in line for line in errors(db))
