"""Logs that are cut off or damaged, restored backups: the store opens at its last intact commit and the index never answers from beyond it.

MEMORY_WIRE_LONG=1 tries many more places.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire import Memory
from memory_wire.service import maintenance
from tests.crash.asking import ask, copy, equals_rebuild, errors, nothing, questions
from tests.crash.load import BANKS, fields_of, text_of
from tests.crash.model import contents

LONG = os.environ.get("MEMORY_WIRE_LONG") == "1"
PLACES = 200 if LONG else 4
ROOT = Path(__file__).parents[2]
BANK = BANKS[0]
ASKED = questions("log", 8)

WRITER = """
import json, os, signal, sys
from memory_wire import Memory
from tests.crash.load import fields_of, text_of

def items(key, count):
    return [{"content": text_of(key, place), **fields_of(key, place)} for place in range(count)]

db = sys.argv[1]
with Memory(db) as store:
    ids = [one.id for one in store.retain_batch(items("early", 300), bank="alpha").results]
store = Memory(db, sync="normal")
for step in range(26):
    gone = text_of("early", step * 7) if step % 3 == 1 else None
    if gone:
        assert store.forget(ids[step * 7], bank="alpha")
    else:
        store.retain_batch(items(f"late.{step}", 34), bank="alpha")
    sealed = step in (14, 20)
    if sealed:
        index = store.service.index
        with store.service.store.read() as reader:
            bank = reader.bank("default", "alpha")
            held = index.open(bank, 1)
            held.catch_up(index.rows(reader, bank, 1))
            assert held.maintain(index.rows(reader, bank, 1), force=True)
    print(json.dumps({"size": os.stat(db + "-wal").st_size, "step": step, "gone": gone, "sealed": sealed}), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


class CutOff:
    """A store whose log holds 26 commits that were never moved into the database; the index was sealed after two of them."""

    def __init__(self, folder: Path) -> None:
        self.db = folder / "memory.db"
        done = subprocess.run([sys.executable, "-c", WRITER, str(self.db)], cwd=ROOT, stdout=subprocess.PIPE, check=False)
        assert done.returncode == -signal.SIGKILL
        self.commits = [json.loads(line) for line in done.stdout.splitlines()]
        sizes = [commit["size"] for commit in self.commits]
        assert len(sizes) == 26 and sizes == sorted(set(sizes)) and sizes[-1] < 1000 * 4096
        self.size = sizes[-1]

    def survivors(self, upto: int) -> int:
        """How many commits lie whole in front of a place of the log."""
        return sum(commit["size"] <= upto for commit in self.commits)

    def texts(self, commits: int) -> set[str]:
        """What the store holds after so many of the commits."""
        found = {text_of("early", place) for place in range(300)}
        for commit in self.commits[:commits]:
            if commit["gone"]:
                found.remove(commit["gone"])
            else:
                found |= {text_of(f"late.{commit['step']}", place) for place in range(34)}
        return found

    def ahead(self, commits: int) -> bool:
        """Whether the newest manifest covers more than so many commits."""
        return any(commit["sealed"] for commit in self.commits[commits:])

    def opens(self, db: Path, commits: int, what: str) -> None:
        """Asserts that a damaged copy opens at a commit, that `check` tells whether the index was ahead, and that it goes on."""
        found = errors(db)
        assert bool(found) == self.ahead(commits), (what, found)
        assert all("ahead" in line or "can't be read" in line for line in found), (what, found)
        with Memory(db) as store:
            answers = ask(store, [BANK], ASKED)
            assert set(contents(store).get(BANK, ())) == self.texts(commits), what
        equals_rebuild(db, [BANK], ASKED)
        with Memory(db) as store:
            assert ask(store, [BANK], ASKED) == answers, what
        assert errors(db) == []


@pytest.fixture(scope="module")
def cut_off(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CutOff]:
    yield CutOff(tmp_path_factory.mktemp("log"))


def log_of(db: Path) -> Path:
    return db.with_name(db.name + "-wal")


def places(cut_off: CutOff, seed: str) -> list[int]:
    """Places in the log: its ends, around commits and seals, anywhere."""
    chance = random.Random(seed)
    sealed = [commit["size"] for commit in cut_off.commits if commit["sealed"]]
    near = [size + chance.choice((-1, 0, 1, 24, 4120)) for size in chance.sample([commit["size"] for commit in cut_off.commits], 4)]
    anywhere = [chance.randrange(cut_off.size) for _ in range(PLACES)]
    return sorted({0, 31, 32, cut_off.size - 1, sealed[0] - 1, sealed[1] - 1, sealed[1], *near, *anywhere} - {cut_off.size})


def test_an_intact_log(cut_off: CutOff, tmp_path: Path) -> None:
    cut_off.opens(copy(cut_off.db, tmp_path / "hurt"), len(cut_off.commits), "intact")


def test_logs_cut_off(cut_off: CutOff, tmp_path: Path) -> None:
    for size in places(cut_off, "cut"):
        db = copy(cut_off.db, tmp_path / "hurt")
        os.truncate(log_of(db), size)
        cut_off.opens(db, cut_off.survivors(size), f"cut at {size}")


def test_damaged_logs(cut_off: CutOff, tmp_path: Path) -> None:
    chance = random.Random("flip")
    for place in places(cut_off, "flip"):
        at = min(place, cut_off.size - 1)
        db = copy(cut_off.db, tmp_path / "hurt")
        data = bytearray(log_of(db).read_bytes())
        data[at] ^= 1 << chance.randrange(8)
        log_of(db).write_bytes(data)
        cut_off.opens(db, cut_off.survivors(at), f"flipped at {at}")


def test_a_lost_tail_written_again(cut_off: CutOff, tmp_path: Path) -> None:
    """Other rows come under the ids of those that were lost, as many, fewer or more; nothing of the lost ones is answered."""
    sealed = [commit["size"] for commit in cut_off.commits if commit["sealed"]]
    for size in (0, sealed[0] - 1, sealed[0], sealed[1] - 1):
        for count in (1, 70, 260):
            db = copy(cut_off.db, tmp_path / "hurt")
            os.truncate(log_of(db), size)
            texts = cut_off.texts(cut_off.survivors(size)) | {text_of("other", place) for place in range(count)}
            with Memory(db) as store:
                for start in range(0, count, 50):
                    rows = [
                        {"content": text_of("other", place), **fields_of("other", place)} for place in range(start, min(start + 50, count))
                    ]
                    store.retain_batch(rows, bank=BANK)
                assert set(contents(store)[BANK]) == texts
                answers = ask(store, [BANK], ASKED)
            with Memory(db) as store:
                assert ask(store, [BANK], ASKED) == answers
            equals_rebuild(db, [BANK], ASKED)
            assert errors(db) == []


@pytest.mark.parametrize("open", [False, True])
@pytest.mark.parametrize("written", [0, 1, 150, 400])
def test_a_restored_backup(tmp_path: Path, written: int, open: bool) -> None:
    """The index beside it is newer: of rows that aren't there any more, and without rows that are there again."""
    db, kept = tmp_path / "memory.db", tmp_path / "backup.db"
    store = Memory(db)

    def write(key: str, count: int) -> list[str]:
        rows = [{"content": text_of(key, place), **fields_of(key, place)} for place in range(count)]
        return [one.id for one in store.retain_batch(rows, bank=BANK).results]  # type: ignore[union-attr]

    ids = write("early", 300)
    store.service.idle()
    before = ask(store, [BANK], ASKED)
    maintenance.backup(str(db), str(kept), nothing)
    for id in ids[:200]:
        store.forget(id, bank=BANK)
    if written:
        write("late", written)
    store.service.idle()
    assert ask(store, [BANK], ASKED) != before
    if not open:
        store.close()
    kept.rename(db)
    for name in ("-wal", "-shm"):
        db.with_name(db.name + name).unlink(missing_ok=True)
    if not open:
        assert any("ahead" in line for line in errors(db))
        store = Memory(db)
    with store:
        assert ask(store, [BANK], ASKED) == before
        assert set(contents(store)[BANK]) == {text_of("early", place) for place in range(300)}
        write("other", 30)
        answers = ask(store, [BANK], ASKED)
        assert store.service.gauges()["index_faults"] == 0
    with Memory(db) as store:
        assert ask(store, [BANK], ASKED) == answers
    equals_rebuild(db, [BANK], ASKED)
    assert errors(db) == []
