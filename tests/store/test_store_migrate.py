"""Upgrades from one schema version to the next."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire.errors import StoreRefused
from memory_wire.store import migrate
from memory_wire.store.sqlite import Store
from tests.store.make import contents, put, unit


def first(connection: sqlite3.Connection) -> None:
    migrate.run_script(connection, "CREATE TABLE old (a, b);\nINSERT INTO old VALUES (1, 'x;y'), (2, NULL); -- one; comment\n")


def second(connection: sqlite3.Connection) -> None:
    script = "CREATE TABLE new (a, b NOT NULL);\nINSERT INTO new SELECT a, coalesce(b, '')\nFROM old;\nDROP TABLE old;"
    migrate.run_script(connection, script)


def failing(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE old")
    connection.execute("SELECT * FROM nowhere")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    yield connection
    connection.close()


def test_an_older_store_is_upgraded_in_one_step(database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    assert migrate.upgrade(database, "a.db", {1: first}) == 0
    assert migrate.version(database, "a.db") == 1
    monkeypatch.setattr(migrate, "VERSION", 2)
    assert migrate.upgrade(database, "a.db", {1: first, 2: second}) == 1
    assert database.execute("SELECT * FROM new").fetchall() == [(1, "x;y"), (2, "")]
    assert migrate.upgrade(database, "a.db", {1: first, 2: second}) == 2
    assert database.execute("PRAGMA application_id").fetchone() == (migrate.APPLICATION_ID,)
    monkeypatch.setattr(migrate, "VERSION", 1)
    with pytest.raises(StoreRefused, match="format 2"):
        migrate.upgrade(database, "a.db", {1: first})


def test_a_failed_upgrade_leaves_the_old_store(database: sqlite3.Connection) -> None:
    migrate.upgrade(database, "a.db", {1: first})
    with pytest.raises(sqlite3.OperationalError):
        migrate.upgrade(database, "a.db", {1: first, 2: failing})
    assert not database.in_transaction
    assert migrate.version(database, "a.db") == 1
    assert database.execute("SELECT count(*) FROM old").fetchone() == (2,)


def test_a_store_of_an_older_program_opens(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program with one more step opens a store of today's: reading upgrades it too, data stays, and today's program then refuses."""
    next_version = migrate.VERSION + 1
    with Store(path, create=True) as store:
        store.submit(put(unit("x")))
    with monkeypatch.context() as newer:
        newer.setattr(migrate, "VERSION", next_version)
        newer.setattr("memory_wire.store.group.VERSION", next_version)
        steps = {**migrate.STEPS, next_version: lambda connection: connection.execute("ALTER TABLE unit ADD COLUMN colour")}
        newer.setattr(migrate.upgrade, "__defaults__", (steps,))
        with Store(path) as store:
            assert contents(store) == ["x"]
            store.submit(put(unit("y")))
            with store.read() as reader:
                assert reader.connection.execute("SELECT content, colour FROM unit").fetchall() == [("x", None), ("y", None)]
    with Store(path) as store, pytest.raises(StoreRefused, match=f"format {next_version}"):
        contents(store)


def test_an_unfinished_statement_is_a_mistake(database: sqlite3.Connection) -> None:
    with pytest.raises(ValueError, match="unfinished"):
        migrate.run_script(database, "CREATE TABLE a (b);\nCREATE TABLE")
