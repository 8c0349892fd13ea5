"""Stores written by released versions are opened, upgraded in place, and lose nothing.

`store-v<n>.db.gz` was written by the program of schema version n: bank `atlas` with four memories, one forgotten, and a configuration; from
version 2 on something was injected in session `s0`; from version 3 on bank `facts` holds two records that
conflict and a summary of the newer.
"""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

import pytest

from memory_wire import Memory
from memory_wire import types as t
from memory_wire.store import migrate

STORES = sorted(Path(__file__).parent.glob("store-v*.db.gz"))


@pytest.fixture(params=STORES, ids=lambda path: path.name)
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder = tmp_path / request.param.name.partition(".")[0]
    folder.mkdir()
    path = folder / "memory.db"
    path.write_bytes(gzip.decompress(request.param.read_bytes()))
    return path


def shape(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Columns of every table, by name."""
    with sqlite3.connect(path) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: connection.execute(f"PRAGMA table_xinfo({name})").fetchall() for name in names}


def test_there_is_one_of_each_older_version() -> None:
    assert {path.name for path in STORES} >= {f"store-v{version}.db.gz" for version in range(1, migrate.VERSION)}


def test_it_is_upgraded_in_place(db: Path, tmp_path: Path) -> None:
    with Memory(db, bank="atlas") as memory:
        page = memory.memories()
        assert [item.content for item in page.items] == [
            "The importer retries three times because the vendor's API drops connections.",
            "[user] why retries?\n[assistant] The vendor drops connections at night.",
            "Release 1.2 ships on Thursdays.",
            "The release moved to Fridays.",
        ]
        assert memory.get_config() == b'{"retainTags":["kept"],"injectionFormat":"summary"}'
        hit = memory.recall("why does the importer retry?", k=1)[0]
        assert (hit.session, hit.tags, hit.created_at) == ("s1", ["decision"], "2026-03-01T00:00:00.000Z")
        assert memory.retain("Release 1.3 ships on Fridays.", document_id="release").id != page.items[2].id
        first = memory.inject(t.Inject(event="prompt", session="now", prompt="which day do we ship the release?"))
        assert first.entries and memory.injections(session="now").total == len(first.entries)
        assert bool(memory.injections(session="s0").total) == (db.parent.name != "store-v1")
        assert memory.history(hit.id).session == "s1"
    with Memory(db, bank="facts") as memory:
        found = memory.search("staging deploys release branch").results
        assert len(found) == (3 if db.parent.name not in ("store-v1", "store-v2") else 0)
        assert all("conflict" in record.statuses for record in found)
    with Memory(tmp_path / "new.db") as fresh:
        fresh.retain("x")
    assert shape(db) == shape(tmp_path / "new.db")


def test_reading_alone_upgrades_too(db: Path) -> None:
    with Memory(db, bank="atlas") as memory:
        assert memory.stats().memories == 4
    with sqlite3.connect(db) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (migrate.VERSION,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
