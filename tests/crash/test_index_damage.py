"""Whatever happens to the files of an index, answers are those of an intact store; `check` says what is wrong until `reindex` was run.

MEMORY_WIRE_LONG=1 tries many more places.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire import Client, Memory
from memory_wire.index.manifest import read_newest
from tests.crash.asking import Answers, ask, copy, errors, index_of, questions, reindex
from tests.crash.load import BANKS, fields_of, text_of
from tests.serve.serving import Serving

LONG = os.environ.get("MEMORY_WIRE_LONG") == "1"
PLACES = 400 if LONG else 6  # of one file
ASKED = questions("damage", 7)


def fill(db: Path) -> Answers:
    """Three banks: one of two segments with tombstones and a tail, one of one segment, one that was never sealed; what they answer."""

    def items(bank: str, start: int, count: int) -> list[dict[str, object]]:
        return [{"content": text_of(bank, place), **fields_of(bank, place)} for place in range(start, start + count)]

    with Memory(db) as store:
        ids: list[tuple[str, str]] = []
        for bank, start, count in (("alpha", 0, 700), ("alpha", 700, 450), ("beta", 0, 150), ("gamma", 0, 30)):
            results = store.retain_batch(items(bank, start, count), bank=bank).results
            ids += [(bank, one.id) for one in results[: 140 if bank == "alpha" else 20 : 2]]  # type: ignore[union-attr]
            store.service.idle()
        for bank, id in ids:
            store.forget(id, bank=bank)
        store.service.idle()
        store.forget(store.retain_batch(items("alpha", 1150, 20), bank="alpha").results[3].id, bank="alpha")  # type: ignore[union-attr]
        return ask(store, BANKS, ASKED)


class Intact:
    """A closed store and what it answers."""

    def __init__(self, folder: Path) -> None:
        self.db = folder / "memory.db"
        self.answers = fill(self.db)
        assert errors(self.db) == []

    def copied(self, folder: Path) -> Path:
        return copy(self.db, folder)

    def same(self, db: Path) -> None:
        """Asserts that a store answers as the intact one, twice, also after it was closed, and takes a write."""
        for _ in range(2):
            with Memory(db) as store:
                for _ in range(2):
                    assert ask(store, BANKS, ASKED) == self.answers
                written = store.retain("a quartz lantern", bank="alpha")
                assert [hit.id for hit in store.recall("quartz", bank="alpha")] == [written.id]
                assert store.forget(written.id, bank="alpha")
                assert store.service.gauges()["index_faults"] == 0


@pytest.fixture(scope="module")
def intact(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Intact]:
    yield Intact(tmp_path_factory.mktemp("intact"))


def files_of(db: Path) -> dict[str, Path]:
    """The index files by what they are."""
    folders = {bank: index_of(db) / str(id) for bank, id in banks_of(db).items()}
    newest = read_newest(str(folders["alpha"]))
    assert newest is not None and len(newest.segments) == 2 and all(entry.n_dead for entry in newest.segments)
    found = {f"segment {place}": folders["alpha"] / entry.file for place, entry in enumerate(newest.segments)}
    manifests = sorted(path for path in folders["alpha"].iterdir() if path.name.startswith("manifest"))
    found |= {"older manifest": manifests[0], "newest manifest": manifests[1]}
    other = read_newest(str(folders["beta"]))
    assert other is not None
    found["segment of beta"] = folders["beta"] / other.segments[0].file
    assert not folders["gamma"].exists()
    return found


def banks_of(db: Path) -> dict[str, int]:
    with Memory(db) as store, store.service.read() as reader:
        return {row.name: row.id for row in reader.banks()}


KINDS = ("segment 0", "segment 1", "segment of beta", "newest manifest", "older manifest")


@pytest.mark.parametrize("kind", KINDS)
def test_flipped_bits(intact: Intact, tmp_path: Path, kind: str) -> None:
    size = files_of(intact.db)[kind].stat().st_size
    chance = random.Random(kind)
    places = {
        0,
        size - 1,
        *(chance.randrange(min(size, 1024)) for _ in range(PLACES // 3)),
        *(chance.randrange(size) for _ in range(PLACES)),
    }
    for number, at in enumerate(sorted(places)):
        db = intact.copied(tmp_path / "hurt")
        path = files_of(db)[kind]
        hurt = bytearray(path.read_bytes())
        hurt[at] ^= 1 << chance.randrange(8)
        path.write_bytes(hurt)
        damaged(intact, db, f"{kind} at {at} of {size}", kind != "older manifest", rebuild=number % 4 == 0)


def damaged(intact: Intact, db: Path, what: str, found: bool, rebuild: bool = True) -> None:
    """Asserts that damage is found (or needs not be), harms no answer and is gone after a rebuild."""
    assert bool(errors(db)) == found, (what, errors(db))
    hurt = copy(db, db.parent / "again") if rebuild else None
    intact.same(db)
    if hurt is None:
        return
    reindex(hurt)
    assert errors(hurt) == [], what
    with Memory(hurt) as store:
        assert ask(store, BANKS, ASKED) == intact.answers, what


@pytest.mark.parametrize("kind", KINDS)
def test_files_cut_off_or_replaced(intact: Intact, tmp_path: Path, kind: str) -> None:
    whole = files_of(intact.db)[kind].read_bytes()
    other = files_of(intact.db)["segment 1" if kind == "segment 0" else "segment 0"].read_bytes()
    garbage = random.Random(kind).randbytes(len(whole))
    cuts = [whole[:size] for size in ((0, 1, 63, 64, len(whole) // 2, len(whole) - 1) if LONG else (0, len(whole) - 1))]
    more = [whole + b"\0", bytes(len(whole))] if LONG else []
    for number, data in enumerate([*cuts, *more, garbage, other, None]):
        db = intact.copied(tmp_path / "hurt")
        path = files_of(db)[kind]
        path.unlink()
        if data is None:
            path.mkdir()
        else:
            path.write_bytes(data)
        damaged(intact, db, f"{kind}, {number}", kind != "older manifest")


def test_both_manifests_damaged(intact: Intact, tmp_path: Path) -> None:
    db = intact.copied(tmp_path / "hurt")
    files = files_of(db)
    for path in (files["newest manifest"], files["older manifest"]):
        path.write_bytes(path.read_bytes().replace(b"crc32c ", b"crc32c x"))
    damaged(intact, db, "both manifests", True)


def test_files_that_nobody_names(intact: Intact, tmp_path: Path) -> None:
    """They harm nothing and go with the next manifest; what is no file of ours by its kind stays."""
    db = intact.copied(tmp_path / "hurt")
    segment = files_of(db)["segment 0"]
    extra = ["seg-0123456789abcdef", "seg-0123456789abcdef.tmp", "manifest-0000000009.tmp", "manifest-x", "notes.txt"]
    for name in extra:
        (segment.parent / name).write_bytes(segment.read_bytes())
    (index_of(db) / "9999.gone-12345678").mkdir()
    (index_of(db) / "9999").mkdir()
    (index_of(db) / "mine").mkdir()
    assert errors(db) == []
    intact.same(db)
    reindex(db)
    assert errors(db) == []
    assert not {path.name for path in segment.parent.iterdir()} & set(extra)
    assert sorted(path.name for path in index_of(db).iterdir() if not path.name.isdecimal()) == ["mine"]
    assert not (index_of(db) / "9999").exists()


@pytest.mark.parametrize("what", ["folder", "banks", "files", "replaced by a file"])
def test_deleted_while_open(intact: Intact, tmp_path: Path, what: str) -> None:
    db = intact.copied(tmp_path / "hurt")
    with Memory(db, sync="normal") as store:
        assert ask(store, BANKS, ASKED) == intact.answers
        for _ in range(2):
            delete(db, what)
            assert ask(store, BANKS, ASKED) == intact.answers
            store.service.idle()
            assert ask(store, BANKS, ASKED) == intact.answers
        for run in range(2):
            texts = [text_of(f"late.{run}", place) for place in range(150)]
            for one in store.retain_batch([{"content": text} for text in texts], bank="alpha").results:
                assert store.forget(one.id, bank="alpha")  # type: ignore[union-attr]
            store.service.idle()
            assert ask(store, BANKS, ASKED) == intact.answers
        assert store.service.gauges()["index_faults"] == 0
    if what == "replaced by a file":
        index_of(db).unlink()
    intact.same(db)
    assert errors(db) == []


def delete(db: Path, what: str) -> None:
    folder = index_of(db)
    if what in ("folder", "replaced by a file"):
        shutil.rmtree(folder, ignore_errors=True)
    if what == "replaced by a file":
        folder.unlink(missing_ok=True)
        folder.touch()
    elif what == "banks":
        for bank in folder.glob("*"):
            shutil.rmtree(bank)
    else:
        for path in folder.glob("*/*"):
            path.unlink()


def test_deleted_under_a_server(intact: Intact, tmp_path: Path) -> None:
    """While it answers and writes; it says little about it."""
    db = intact.copied(tmp_path / "hurt")
    with Serving(db.parent, "--quiet", "0.05", "--sync", "normal") as server:
        with Client("http://{}:{}".format(*server.address)) as store:
            for number in range(6):
                assert ask(store, BANKS, ASKED) == intact.answers
                delete(db, ("folder", "banks", "files")[number % 3])
                texts = [text_of(f"s{number}", place) for place in range(150)]
                written = store.retain_batch([{"content": text} for text in texts], bank="alpha").results
                assert store.recall(texts[7], bank="alpha", k=1)[0].content == texts[7]
                for one in written:
                    assert store.forget(one.id, bank="alpha")  # type: ignore[union-attr]
        assert server.counter("index_faults_total") == 0
        assert server.stop() == 0
        lines = server.stderr.splitlines()
        assert "Traceback" not in server.stderr and len([line for line in lines if "index" in line]) <= 1, lines
    intact.same(db)
