"""Disks of their own that fill up or turn read-only under a store. Only where file systems can be mounted: see conftest.py.

A clear error for each write that fails, answers go on, nothing acknowledged is lost, and it goes on with space.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory_wire import Client, Memory
from memory_wire.errors import StorageError, StoreRefused
from memory_wire.index import bank
from tests.crash.asking import ask, copy, errors, index_files, index_of, questions, reindex
from tests.crash.disks import abort, failing, remount, small
from tests.crash.load import text_of
from tests.crash.writers import BANKS, ENOUGH, KIB, Writers, announced, holds, sound, url
from tests.serve.serving import Serving


@pytest.mark.parametrize("leave", [0, 20 * KIB, 100 * KIB, 300 * KIB, 900 * KIB])
def test_embedded(tmp_path: Path, leave: int) -> None:
    with small(tmp_path / "disk", 12 * KIB) as disk:
        db = disk.path / "memory.db"
        with Memory(db) as store:
            before = Writers(store, "before")
            before.run(12)
            disk.fill(leave)
            during = Writers(store, "during")
            during.run(200)
            assert during.refusals >= ENOUGH
            holds(store, [before, during])
            seen = ask(store, BANKS, questions(leave))
            disk.empty()
            after = Writers(store, "after")
            after.run(6)
            assert after.refusals == 0
            holds(store, [before, during, after])
        assert seen
        sound(db, [before, during, after])


def test_server(tmp_path: Path) -> None:
    """The disk stays full over the server's idle moments and its end, and is full when the next one starts."""
    with small(tmp_path / "disk", 12 * KIB) as disk:
        db = disk.path / "memory.db"
        with Serving(tmp_path, "--quiet", "0.05", db="disk/memory.db") as server, Client(url(server)) as store:
            before, during = Writers(store, "before"), Writers(store, "during")
            before.run(12)
            disk.fill(60 * KIB)
            during.run(200)
            assert during.refusals >= ENOUGH
            assert server.stop() == 0
        disk.fill()
        with Serving(tmp_path, db="disk/memory.db", wait=False) as server, Client(announced(server)) as store:
            assert "serve.json can't be written" in server.stderr
            holds(store, [before, during])
            still = Writers(store, "still")
            still.run(200)
            assert still.refusals >= ENOUGH
            disk.empty()
            after = Writers(store, "after")
            after.run(6)
            assert after.refusals == 0
            holds(store, [before, during, still, after])
            assert server.stop() == 0
            assert "Traceback" not in server.stderr
        sound(db, [before, during, still, after])


@pytest.mark.parametrize("kib", [0, 40, 90, 300])
def test_an_index_without_space(tmp_path: Path, kib: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index folder alone is full: every write is taken, every answer is right, and it is sealed once there is space."""
    monkeypatch.setattr(bank, "PAUSE_SECONDS", 0.0)
    db = tmp_path / "memory.db"
    with Memory(db) as store:
        writers = [Writers(store, "first"), Writers(store, "second")]
        store.retain(text_of("x", 0), bank="a")
        with small(index_of(db), max(kib, 4)) as disk:
            disk.fill(kib * KIB if kib else 0)
            writers[0].run(70)
            assert writers[0].refusals == 0 and disk.free() < 100 * KIB
            store.service.idle()
            answers = ask(store, BANKS, questions(kib))
            writers[0].there[text_of("x", 0)] = "a"
            holds(store, writers)
        assert ask(store, BANKS, questions(kib)) == answers
        writers[1].run(40)
    assert index_files(db)
    sound(db, writers)


def test_a_rebuild_without_space(tmp_path: Path) -> None:
    """Says so and leaves the index as it was."""
    with small(tmp_path / "disk", 12 * KIB) as disk:
        db = disk.path / "memory.db"
        with Memory(db) as store:
            writers = [Writers(store, "first")]
            writers[0].run(40)
            store.service.idle()
            answers = ask(store, BANKS, questions("rebuild"))
            disk.fill(50 * KIB)
            for _ in range(3):
                with pytest.raises(StorageError) as raised:
                    reindex(db)
                assert "No space left" in raised.value.detail
                assert ask(store, BANKS, questions("rebuild")) == answers
            disk.empty()
            reindex(db)
            assert ask(store, BANKS, questions("rebuild")) == answers
        sound(db, writers)


def test_a_disk_that_turns_read_only(tmp_path: Path) -> None:
    """As after an error of the medium: answers go on, also after an idle moment, and what was acknowledged is found on a copy."""
    with failing(tmp_path / "disk") as disk:
        db = disk.path / "store" / "memory.db"
        with Memory(db) as store:
            writers = [Writers(store, name) for name in ("before", "during")]
            writers[0].run(30)
            store.service.idle()
            writers[1].run(5)
            answers = ask(store, BANKS, questions("turned"))
            abort(disk)
            for _ in range(2):
                refused = Writers(store, "refused")
                refused.run(200)
                assert refused.refusals >= ENOUGH and not refused.there
                with pytest.raises(StorageError):
                    store.delete_bank("a", confirm="a")
                holds(store, writers)
                assert ask(store, BANKS, questions("turned")) == answers
                store.service.idle()
            assert store.service.gauges()["index_faults"] == 0
        sound(copy(db, tmp_path / "copy"), writers)


def test_a_server_whose_disk_turns_read_only(tmp_path: Path) -> None:
    with failing(tmp_path / "disk") as disk:
        with Serving(tmp_path, "--quiet", "0.05", db="disk/memory.db") as server, Client(url(server)) as store:
            writers = [Writers(store, "before")]
            writers[0].run(30)
            abort(disk)
            for _ in range(2):
                refused = Writers(store, "refused")
                refused.run(200)
                assert refused.refusals >= ENOUGH and not refused.there
                holds(store, writers)
                time.sleep(0.2)
            assert server.stop() == 0
            assert "Traceback" not in server.stderr, server.stderr
        with Serving(tmp_path, db="disk/memory.db", wait=False) as server, Client(announced(server)) as store:
            holds(store, writers)
            with pytest.raises(StorageError):
                store.retain("more", bank="a")
            assert server.stop() == 0
            assert "Traceback" not in server.stderr, server.stderr
        sound(copy(disk.path / "memory.db", tmp_path / "copy"), writers)


def test_a_store_on_read_only_media(tmp_path: Path) -> None:
    """One that was closed in order: it answers, also through a server and the command line, takes no write and goes on when it may."""
    with small(tmp_path / "disk", 12 * KIB) as disk:
        db = disk.path / "memory.db"
        with Memory(db) as store:
            writers = [Writers(store, "before")]
            writers[0].run(30)
            store.service.idle()
            writers[0].run(3)
            answers = ask(store, BANKS, questions("media"))
        remount(disk, "ro")
        with Memory(db) as store:
            for _ in range(2):
                assert ask(store, BANKS, questions("media")) == answers
                holds(store, writers)
                with pytest.raises(StoreRefused, match="mounted read-only"):
                    store.retain("more", bank="a")
                store.service.idle()
            assert store.service.gauges()["index_faults"] == 0
        assert errors(db) == []
        with Memory(disk.path / "new.db") as store, pytest.raises(StoreRefused, match="Read-only file system"):
            store.retain("first")
        with Serving(tmp_path, "--quiet", "0.05", db="disk/memory.db", wait=False) as server, Client(announced(server)) as store:
            assert ask(store, BANKS, questions("media")) == answers
            with pytest.raises(StorageError):
                store.retain("more", bank="a")
            time.sleep(0.2)
            holds(store, writers)
            assert server.stop() == 0
            assert "Traceback" not in server.stderr, server.stderr
        command = [sys.executable, "-W", "error", "-m", "memory_wire", "recall", "--db", str(db), "--bank", "a", "baba bavan"]
        assert subprocess.run(command, capture_output=True, check=True).stdout
        remount(disk, "rw")
        sound(db, writers)
