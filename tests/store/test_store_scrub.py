"""What deleted rows leave in the pages of a database: found before, gone after, and nothing else changed."""

from __future__ import annotations

import os
import random
import re
import sqlite3
from pathlib import Path

import pytest

from memory_wire.store import scrub
from memory_wire.store.sqlite import Store

ROWS = 4_000
MARK = re.compile(rb"NEEDLE(\d{5})x")


def written(path: Path, seed: int) -> set[int]:
    """Rows of many sizes, some changed, a third deleted with secure_delete; the numbers of the deleted ones."""
    random.seed(seed)
    gone = set(random.sample(range(1, ROWS), ROWS // 3))
    with Store(str(path), create=True) as store:
        store.open()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT UNIQUE, text TEXT, more TEXT)")
    connection.execute("BEGIN")
    for number in range(1, ROWS):
        text = f"NEEDLE{number:05d}x " + "word " * random.choice((3, 10, 40, 100, 400, 2_000))
        connection.execute("INSERT INTO thing VALUES (?, ?, ?, NULL)", (number, f"{random.random()} NEEDLE{number:05d}x", text))
        if number > 50 and number % 5 == 0:
            connection.execute("UPDATE thing SET more = 'rather long a remark' WHERE id = ?", (random.randrange(1, number),))
    for number in sorted(gone):
        connection.execute("DELETE FROM thing WHERE id = ?", (number,))
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()
    return gone


def left(path: Path, gone: set[int]) -> set[int]:
    return gone & {int(number) for number in MARK.findall(path.read_bytes())}


def rows(path: Path) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return connection.execute("SELECT * FROM thing ORDER BY id").fetchall()
    finally:
        connection.close()


def test_secure_delete_alone_leaves_something(tmp_path: Path) -> None:
    found = [left(tmp_path / f"{seed}.db", written(tmp_path / f"{seed}.db", seed)) for seed in range(3)]
    assert any(found)


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_left_and_nothing_else_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr("memory_wire.store.sqlite.SCRUB_BYTES", 1 << 20)  # several slices
    path = tmp_path / "memory.db"
    gone = written(path, seed)
    before = rows(path)
    with Store(str(path)) as store:
        store.empty_log()
    assert left(path, gone) == set() and rows(path) == before


def test_pages_freed_without_care_are_cleared_too(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    gone = written(path, 0)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA secure_delete = OFF")
    connection.execute("DELETE FROM thing WHERE id % 2 = 0")
    connection.close()
    gone |= set(range(0, ROWS, 2))
    assert len(left(path, gone)) > 100
    before = rows(path)
    with Store(str(path)) as store:
        store.empty_log()
    assert left(path, gone) == set() and rows(path) == before


@pytest.mark.parametrize("page", [b"", b"\x0d", b"\x0d" + b"\xff" * 99, b"\x05\x00\x08" + b"\x00" * 97, os.urandom(4096), bytes(4096)])
def test_odd_pages_are_left_alone(page: bytes) -> None:
    for begin, end in scrub.unused(page):
        assert 0 <= begin <= end <= len(page)
