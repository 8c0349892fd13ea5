"""kill -9 at random moments under write load, round after round on one store, through the server and embedded.

After each round every acknowledged write is there once, nothing is half there, what was forgotten stays away, `check` finds nothing and the
index answers as a rebuilt one. MEMORY_WIRE_ROUNDS sets the number of rounds, MEMORY_WIRE_SEED repeats a run.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from memory_wire import Memory
from memory_wire.index.manifest import kept_generations, name_of
from tests.crash.asking import copy, equals_rebuild, errors, index_of, questions
from tests.crash.load import BANKS, Plan
from tests.crash.model import Model
from tests.serve.serving import Serving

ROUNDS = int(os.environ.get("MEMORY_WIRE_ROUNDS", "20"))
SEED = int(os.environ.get("MEMORY_WIRE_SEED", str(int(time.time()))))
ROUNDS_OF_ONE_STORE = 10 if ROUNDS <= 20 else 25
ROOT = Path(__file__).parents[2]
LONGEST = 0.6  # seconds of load


def test_kill_under_load(tmp_path: Path) -> None:
    print(f"MEMORY_WIRE_SEED={SEED} MEMORY_WIRE_ROUNDS={ROUNDS}")
    acknowledged = number = torn = 0
    while number < ROUNDS:
        folder = tmp_path / f"store-{number}"
        folder.mkdir()
        db, model = folder / "memory.db", Model()
        for _ in range(min(ROUNDS_OF_ONE_STORE, ROUNDS - number)):
            torn += one_round(db, model, number)
            number += 1
        acknowledged += model.acknowledged
    print(f"{ROUNDS} rounds, {acknowledged} operations acknowledged, {torn} cut off while the index was written")
    assert acknowledged >= ROUNDS


MAKER = """
import os, sys
from memory_wire import Memory
for number in range(100_000):
    with Memory(f"{sys.argv[1]}/{number}/memory.db") as store:
        store.retain("the first")
        os.write(1, b"%d\\n" % number)
"""


def test_kill_while_a_store_is_made(tmp_path: Path) -> None:
    """It is taken up by whoever comes next, and holds what was acknowledged."""
    chance = random.Random(SEED)
    for number in range(ROUNDS):
        folder = tmp_path / str(number)
        folder.mkdir()
        command = [sys.executable, "-W", "error", "-c", MAKER, str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as maker:
            assert maker.stdout is not None
            lines = [maker.stdout.readline()]
            time.sleep(0.06 * chance.random())
            maker.kill()
            lines += maker.stdout
        last = str(max(int(name) for name in os.listdir(folder)))
        db = folder / last / "memory.db"
        with Memory(db) as store:
            store.retain("the second")
            found = sorted(hit.content for hit in store.recall("first second"))
        assert found == ["the first", "the second"] or (found == ["the second"] and f"{last}\n".encode() not in lines), (SEED, number)
        assert errors(db) == []


def one_round(db: Path, model: Model, number: int) -> bool:
    """Load until a random moment, then a look at what is left: at a copy of it, or in place. Whether files of the index were left over."""
    chance = random.Random(f"{SEED}/{number}")
    lines = served(db, model, number, chance) if number % 2 else embedded(db, model, number, chance)
    left_over = bool(orphans(db))
    seen = copy(db, db.parent / "seen") if chance.random() < 0.6 else db
    try:
        assert errors(seen) == []
        with Memory(seen) as store:
            model.follow(lines, store)
        assert foreign_folders(seen) == []
        equals_rebuild(seen, BANKS, questions(f"{SEED}/{number}"))
        assert errors(seen) == []
    except BaseException:
        print(f"round {number} of MEMORY_WIRE_SEED={SEED}; store: {db}")
        raise
    return left_over


def orphans(db: Path) -> set[str]:
    """Files of the index that no manifest names."""
    left = names(db)
    for bank in {name.partition("/")[0] for name in left}:
        for manifest in kept_generations(str(index_of(db) / bank)):
            left -= {f"{bank}/{name_of(manifest.generation)}", *(f"{bank}/{entry.file}" for entry in manifest.segments)}
    return {name for name in left if not name.endswith("/LOCK")}


def foreign_folders(db: Path) -> list[str]:
    """Folders in the index that belong to no bank, after the store was open and closed: a deleted bank's words must go."""
    with Memory(db) as store, store.service.read() as reader:
        banks = {str(row.id) for row in reader.banks()}
    return sorted({name.partition("/")[0] for name in names(db)} - banks)


class Real(Serving):
    """The server as it is started in earnest: the command, which goes on in a slimmer interpreter under the same process id."""

    def __init__(self, folder: Path, *words: str, wait: bool = True) -> None:
        self.folder, self.db = folder, folder / "memory.db"
        self.log = folder / f"stderr-{time.monotonic_ns()}"
        with open(self.log, "wb") as log:
            command = [sys.executable, "-m", "memory_wire", "serve", "--db", str(self.db), "--addr", "127.0.0.1:0", *words]
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, cwd=ROOT)
        if wait:
            try:
                self.found = self.ready()
            except BaseException:
                self.__exit__()
                raise


# rounds ------------------------------------------------------------------------------------------------------------------------------


def embedded(db: Path, model: Model, number: int, chance: random.Random) -> list[bytes]:
    """The process that writes has the store open itself; the journal of what it did until it was killed."""
    plan = Plan(str(db), number, victims=model.victims(40), sync=chance.choice(("full", "normal")))
    with load(plan) as loader, reindexing(db, chance):
        first = loader.stdout.readline()  # type: ignore[union-attr]
        wait(db, chance)
        loader.kill()
        return [first, *ended(loader, -signal.SIGKILL)]


def served(db: Path, model: Model, number: int, chance: random.Random) -> list[bytes]:
    """A server is killed while a process writes through it; before that, sometimes another server while it opens the store."""
    if chance.random() < 0.3:
        with Real(db.parent, wait=False) as server:
            time.sleep(0.3 * chance.random())
            server.process.kill()
    options = ("--quiet", chance.choice(("0", "0.05", "10")), "--sync", chance.choice(("full", "normal")))
    with Real(db.parent, *options) as server:
        plan = Plan("http://{}:{}".format(*server.address), number, victims=model.victims(40))
        with load(plan) as loader, reindexing(db, chance):
            first = loader.stdout.readline()  # type: ignore[union-attr]
            wait(db, chance)
            if chance.random() < 0.2:
                server.process.terminate()  # killed in the middle of the drain or of the last seal
                time.sleep(0.03 * chance.random())
            server.process.kill()
            lines = [first, *ended(loader, 0)]
        server.process.wait()
        assert "Traceback" not in server.stderr, server.stderr
        return lines


@contextmanager
def load(plan: Plan) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-W", "error", "-m", "tests.crash.load"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as loader:
        assert loader.stdin is not None
        loader.stdin.write(json.dumps(asdict(plan)).encode())
        loader.stdin.close()
        try:
            yield loader
        finally:
            loader.kill()


@contextmanager
def reindexing(db: Path, chance: random.Random) -> Iterator[None]:
    """In some rounds another process makes the index anew all the while, and is killed as well."""
    if chance.random() > 0.2 or not db.exists():
        yield
        return
    code = "import sys; from tests.crash.asking import *\nwhile True: reindex(Path(sys.argv[1]))"
    with subprocess.Popen([sys.executable, "-W", "error", "-c", code, str(db)], cwd=ROOT, stderr=subprocess.DEVNULL) as other:
        try:
            yield
        finally:
            other.kill()


def ended(loader: subprocess.Popen[bytes], status: int) -> list[bytes]:
    """The rest of the journal of a process that ended as it should."""
    assert loader.stdout is not None
    lines = list(loader.stdout)
    assert loader.wait() == status
    return lines


def wait(db: Path, chance: random.Random) -> None:
    """Until a random moment, or until something happens in the index folder."""
    if chance.random() < 0.4:
        time.sleep(LONGEST * chance.random())
        return
    deadline = time.monotonic() + LONGEST
    skipped = chance.randrange(40)  # files that come or go before it is time
    before = names(db)
    while time.monotonic() < deadline and skipped >= 0:
        after = names(db)
        skipped -= len(before ^ after)
        before = after
    time.sleep(0.002 * chance.random())


def names(db: Path) -> set[str]:
    """What is in the index, half written files as well."""
    try:
        return {f"{bank}/{name}" for bank in os.listdir(index_of(db)) for name in os.listdir(index_of(db) / bank)}
    except (FileNotFoundError, NotADirectoryError):
        return set()
