"""The index is derived: whatever happens to its files, nothing is lost and no answer is wrong; only a rebuild may show."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from memory_wire import Memory, config
from memory_wire.types import Hit

ASKED = ["what did Ann say about the boat", "kite in March", "lamp 7", "the door"]
Answers = list[list[tuple[str, float, float]]]


def plain(hits: list[Hit]) -> list[tuple[str, float, float]]:
    return [(hit.id, hit.score, hit.relevance) for hit in hits]


def ask(store: Memory) -> Answers:
    return [plain(store.recall(query, k=20)) for query in ASKED]


def fill(db: Path, count: int) -> Answers:
    """A store with a sealed index, tombstones and a tail; what it answers."""
    names, things = ("Ann", "Bob", "Cid"), ("boat", "kite", "lamp", "door")
    with Memory(db) as store:
        rows = [
            {
                "content": f"{names[i % 3]}: note {i} about the {things[i % 4]}",
                "session": f"s{i % 7}" if i % 2 else None,
                "tags": [things[i % 4]],
                "created_at": f"2026-{1 + i % 12:02}-11",
            }
            for i in range(count)
        ]
        ids = [one.id for one in store.retain_batch(rows).results]  # type: ignore[union-attr]
        store.service.idle()
        for id in ids[::9]:
            store.forget(id)
        store.service.idle()
        for i in range(3):
            store.retain(f"a late note {i} about the boat")
        return ask(store)


def files(db: Path) -> list[Path]:
    return sorted(path for path in db.with_name("memory.db.index").rglob("*") if path.is_file() and path.name != "LOCK")


@pytest.mark.parametrize("damage", ["deleted", "emptied", "manifests gone", "a file in its place"])
def test_folder(tmp_path: Path, damage: str) -> None:
    db = tmp_path / "memory.db"
    before = fill(db, 400)
    folder = db.with_name("memory.db.index")
    assert len(files(db)) >= 2
    if damage in ("deleted", "a file in its place"):
        shutil.rmtree(folder)
    else:
        for path in files(db):
            if damage == "emptied" or path.name.startswith("manifest"):
                path.unlink()
    if damage == "a file in its place":
        folder.touch()
    for _ in range(2):
        with Memory(db) as store:
            assert ask(store) == before
            store.retain("one more about the harbour")
            assert store.recall("harbour")[0].content == "one more about the harbour"
            store.forget(store.recall("harbour")[0].id)


@pytest.mark.parametrize("seed", range(4))
def test_flipped_bits(tmp_path: Path, seed: int) -> None:
    db = tmp_path / "memory.db"
    before = fill(db, 300)
    sound, folder = tmp_path / "sound", db.with_name("memory.db.index")
    shutil.copytree(folder, sound)
    chance = random.Random(seed)
    for path in files(db) * 6:
        shutil.rmtree(folder)
        shutil.copytree(sound, folder)
        hurt = bytearray(path.read_bytes())
        at = chance.randrange(len(hurt))
        hurt[at] ^= 1 << chance.randrange(8)
        path.write_bytes(hurt[:at] if chance.random() < 0.2 else hurt)
        with Memory(db) as store:
            assert ask(store) == before, (path.name, at)


def test_a_long_rebuild_shows_and_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    db = tmp_path / "memory.db"
    before = fill(db, 400)
    shutil.rmtree(db.with_name("memory.db.index"))
    monkeypatch.setattr(config, "REBUILD_INLINE", 100)
    monkeypatch.setattr(config, "STEP_UNITS", 50)
    with Memory(db) as store:
        first = store.recall("note", k=5)
        assert first.rebuilding is not None and first.rebuilding.startswith("rebuilding ") and first.rebuilding.endswith("%")
        store.retain("written meanwhile about the harbour")
        seen = [first.rebuilding]
        while (hits := store.recall("note", k=5)).rebuilding is not None:
            seen.append(hits.rebuilding)
            assert len(seen) < 50
        shares = [int(said.removeprefix("rebuilding ").removesuffix("%")) for said in seen]
        assert shares == sorted(shares) and len(set(shares)) > 3
        harbour = store.recall("harbour")
        assert [hit.content for hit in harbour] == ["written meanwhile about the harbour"] and store.forget(harbour[0].id)
        assert ask(store) == before
    with Memory(db) as store:
        assert ask(store) == before
        assert store.service.gauges()["index_faults"] == 0


def test_rows_of_another_process_are_sealed_by_a_reader(tmp_path: Path) -> None:
    db = tmp_path / "memory.db"
    with Memory(db) as reader, Memory(db) as writer:
        writer.retain("first")
        reader.recall("first")
        for start in range(0, 5_000, 500):
            writer.retain_batch([{"content": f"row {i}"} for i in range(start, start + 500)])
            assert reader.recall(f"row {start + 499}")[0].content == f"row {start + 499}"
        assert reader.service.gauges()["live_units"] <= 3 * config.LIVE_UNITS
