"""Damaged and truncated write-ahead logs, restored backups, backups under load, the check."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire.errors import StorageError, StoreRefused
from memory_wire.store import backup as backups
from memory_wire.store.backup import backup
from memory_wire.store.check import check
from memory_wire.store.rows import RECORD
from memory_wire.store.sqlite import Store
from memory_wire.store.tx import Tx
from tests.store.make import contents, digest, put, the, unit

COMMITS = 24


@pytest.fixture(scope="module")
def cut_off(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database and its log as a crash leaves them: some commits in the database, COMMITS of two units each only in the log."""
    folder = tmp_path_factory.mktemp("cut")
    with Store(str(folder / "live.db"), create=True) as store:
        store.submit(put(unit("before"), document=(digest("k"), "k")))
        store.checkpoint()
        for n in range(COMMITS):

            def pair(tx: Tx, n: int = n) -> None:
                tx.insert(the(tx), unit(f"{n}a", tags=["t"]))
                tx.insert(the(tx), unit(f"{n}b"))

            store.submit(pair)
        for end in ("", "-wal"):
            shutil.copy(folder / f"live.db{end}", folder / f"memory.db{end}")
    return folder


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_damaged_log_opens_at_its_last_intact_commit(cut_off: Path, data: st.DataObject) -> None:
    folder = cut_off / "damaged"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(cut_off / "memory.db", folder / "memory.db")
    log = bytearray((cut_off / "memory.db-wal").read_bytes())
    at = data.draw(st.integers(0, len(log) - 1))
    if data.draw(st.booleans()):
        del log[at:]
    else:
        log[at] ^= data.draw(st.integers(1, 255))
    (folder / "memory.db-wal").write_bytes(log)
    (folder / "memory.db-wal").chmod(0o600)
    with Store(str(folder / "memory.db")) as store:
        found = contents(store)
        assert found == ["before", *(f"{n}{end}" for n in range(len(found) // 2) for end in "ab")]
        assert check(store) == []
        assert store.submit(put(unit("after"))).id == len(found) + 1  # a number that was used before the loss
        assert contents(store) == [*found, "after"]


def test_an_intact_log_opens_whole(cut_off: Path, tmp_path: Path) -> None:
    for end in ("", "-wal"):
        shutil.copy(cut_off / f"memory.db{end}", tmp_path / f"memory.db{end}")
    with Store(str(tmp_path / "memory.db")) as store:
        assert len(contents(store)) == 1 + 2 * COMMITS


def test_what_was_lost_and_written_again_is_told_apart(path: str) -> None:
    """After a restored backup the same text comes under the same id, and another removal under the same seq: identities differ."""

    def names(store: Store) -> tuple[bytes, int, bytes | None, bytes | None]:
        with store.read() as reader:
            bank = reader.bank("default", "default")
            assert bank is not None
            return store.id, bank.newest, reader.identity(bank, bank.newest), reader.removal(bank, bank.removed)

    with Store(path, create=True) as store:
        store.write([put(unit(f"m{n}")) for n in range(3)])
        backup(store, path + ".backup")
        store.submit(put(unit("next")))
        store.submit(lambda tx: tx.delete(the(tx), 1))
        before = names(store)
    os.replace(path + ".backup", path)
    with Store(path) as store:
        with store.read() as reader:
            bank = reader.bank("default", "default")
            assert bank is not None
            assert (bank.newest, bank.removed) == (3, 0)  # an index that covers unit 4 and removal 1 is ahead
            assert reader.identity(bank, 4) is None and reader.removal(bank, 1) is None
        store.submit(put(unit("next")))
        store.submit(lambda tx: tx.delete(the(tx), 2))
        after = names(store)
    assert before[0] == after[0]
    assert before[1] == after[1] == 4
    assert before[2] != after[2] and before[3] != after[3]


def test_backup_under_load_is_one_moment(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backups, "PAGES", 8)
    target = str(tmp_path / "copy.db")
    with Store(path, create=True) as store:
        store.write([put(unit(f"m{n} " * 40)) for n in range(2_000)])
        stop = threading.Event()

        def writer() -> None:
            while not stop.is_set():
                tag = store.commits

                def pair(tx: Tx, tag: int = tag) -> None:
                    tx.insert(the(tx), unit(f"{tag}a"))
                    tx.insert(the(tx), unit(f"{tag}b"))

                store.submit(pair)

        seen: list[tuple[int, int]] = []
        threads = [threading.Thread(target=writer) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            size = backup(store, target, lambda done, total: seen.append((done, total)))
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        written = contents(store)
    assert seen[-1][0] == seen[-1][1] and len(seen) > 20
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len({total for _, total in seen}) == 1
    assert size == os.path.getsize(target)
    assert stat.S_IMODE(os.stat(target).st_mode) == 0o600
    assert sorted(os.listdir(tmp_path)) == ["copy.db", "data"]
    with Store(target) as copy:
        found = contents(copy)
        assert found == written[: len(found)]
        assert len(found) % 2 == 0 and len(found) >= 2_000
        assert copy.id == store.id
        assert check(copy) == []


def test_backup_never_replaces_a_file_and_leaves_no_rest(store: Store, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("precious")
    with pytest.raises(StoreRefused, match="exists"):
        backup(store, str(tmp_path / "there"))
    with pytest.raises(StoreRefused):
        backup(store, str(tmp_path / "nowhere" / "copy.db"))

    def fail(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backup(store, str(tmp_path / "copy.db"), fail)
    assert sorted(os.listdir(tmp_path)) == ["data", "there"]
    assert (tmp_path / "there").read_text() == "precious"


DAMAGE = {
    "tallies": "UPDATE bank SET tally_count = 7",
    "dates its oldest": "UPDATE bank SET tally_oldest = 1",
    "wrong length": "UPDATE unit SET hash = x'00' WHERE id = 2",
    "have the same id": "UPDATE unit SET uid = (SELECT uid FROM unit WHERE id = 1) WHERE id = 2",
    "names session 7": "UPDATE unit SET session = 7 WHERE id = 1",
    "whose next is 0": "UPDATE session SET next = 0",
    "with gaps": "UPDATE session SET ordinal = 5 WHERE ordinal = 1",
    "another bank": "UPDATE document_key SET bank = 9",
    "removed and still there": "INSERT INTO removed (bank, unit, uid) VALUES (1, 1, x'00')",
    "keeps the identity of": "UPDATE bank SET kept = 2",
    "no provenance row": "DELETE FROM record",
    "belongs to no document": "UPDATE unit SET kind = 2 WHERE id = 2",
    "counts its tags": "DELETE FROM tag WHERE tag = 'a'",
    "refers to a row of bank": "UPDATE unit SET bank = 99 WHERE id = 3",
    "database: row": "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'bank)', 'kind)') WHERE name = 'unit_bank'",
}


@pytest.mark.parametrize("finding", DAMAGE)
def test_check_finds(path: str, finding: str) -> None:
    def fill(tx: Tx) -> None:
        bank = the(tx)
        for name in ("s", "t"):
            session = tx.session(bank, digest(name), name)
            tx.insert(bank, unit(name, tags=["a", "b"]), session=session, position=tx.next_position(bank, session))
        tx.insert(bank, unit("d"), document=(digest("d"), "d"))
        made = tx.insert(bank, unit("r", kind=RECORD))
        tx._execute("INSERT INTO record (unit, bank) VALUES (?, ?)", (made.id, bank.id))
        tx.recount(bank)

    with Store(path, create=True) as store:
        store.submit(fill)
        assert check(store) == []
    with sqlite3.connect(path) as damaged:
        damaged.executescript(DAMAGE[finding])
    damaged.close()
    steps: list[tuple[int, int]] = []
    with Store(path) as store:
        found = check(store, lambda done, total: steps.append((done, total)))
    assert any(entry.level == "error" and finding in entry.text for entry in found), found
    assert steps[-1] == (len(steps), len(steps))


def test_check_notes_files_that_are_open_to_others(path: str) -> None:
    with Store(path, create=True) as store:
        store.submit(put(unit("x")))
        os.chmod(path, 0o644)
        (note,) = check(store)
        assert note.level == "note" and "chmod 600" in note.text
        os.chmod(path, 0o600)
        assert check(store) == []


def test_check_reports_torn_pages(path: str) -> None:
    with Store(path, create=True) as store:
        store.write([put(unit(f"m{n} " * 50)) for n in range(400)])
    data = bytearray(Path(path).read_bytes())
    middle = len(data) // 4096 // 2 * 4096
    data[middle : middle + 4096] = bytes(4096)
    Path(path).write_bytes(data)
    with Store(path) as store:
        try:
            assert any(finding.level == "error" for finding in check(store))
        except StorageError as error:
            assert "malformed" in error.detail
