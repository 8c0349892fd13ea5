"""kill -9 while records are remembered and forgotten and the archivist links them, round after round on few stores.

After each round every acknowledged record is there, what was forgotten stays away with its links, and the work that was cut off is done by
whoever comes next. MEMORY_WIRE_ROUNDS sets the number of rounds, MEMORY_WIRE_SEED repeats a run.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

from memory_wire import Memory
from memory_wire.errors import UnknownRecord
from tests.crash.asking import errors
from tests.crash.test_kill import Real

ROUNDS = int(os.environ.get("MEMORY_WIRE_ROUNDS", "6"))
SEED = int(os.environ.get("MEMORY_WIRE_SEED", str(int(time.time()))))
ROUNDS_OF_ONE_STORE = 6  # every round looks at all its store's records
LONGEST = 0.8  # seconds of load
LEASE = 120_000  # milliseconds after which nobody has a job any more
WRITERS = 2
WRITER = """
import sys
from memory_wire import Client, Memory
from memory_wire.errors import Unreachable
target, name = sys.argv[1:]
letters = "abcdefghijklmnopqrst"
with (Client(target) if "://" in target else Memory(target)) as memory:
    kept = []
    try:
        for number in range(100_000):
            word = name + "".join(letters[int(digit)] for digit in str(number))
            old = memory.remember(f"The {word} gateway listens on port 8443.").id
            print("stored", old, flush=True)
            new = memory.remember(f"The {word} gateway listens on port 9443.").id
            print("stored", new, flush=True)
            print("pair", old, new, flush=True)
            kept.append(new)
            if number % 3 == 2:
                gone = kept.pop(0)
                print("forgetting", gone, flush=True)
                assert memory.forget_record(gone).forgotten
                print("forgotten", gone, flush=True)
            if number % 5 == 4 and isinstance(memory, Memory):
                memory.service.work_jobs(4)
    except Unreachable:
        pass
"""


class Journal:
    """What was acknowledged in all rounds; `unsure` were being forgotten when the process was killed."""

    def __init__(self) -> None:
        self.stored: set[str] = set()
        self.forgotten: set[str] = set()
        self.unsure: set[str] = set()
        self.pairs: list[tuple[str, str]] = []

    def take(self, lines: list[bytes]) -> None:
        for line in lines:
            if not line.endswith(b"\n"):
                continue
            word, *ids = line.decode().split()
            if word == "pair":
                self.pairs.append((ids[0], ids[1]))
            else:
                {"stored": self.stored, "forgetting": self.unsure, "forgotten": self.forgotten}[word].update(ids)

    def agrees(self, memory: Memory) -> int:
        """Holds the store against the journal once all work is done; how many links it looked at."""
        relations = {}
        for id in self.stored:
            try:
                relations[id] = {link.id: link.type for link in memory.get_record(id).graph_relations}
                assert id not in self.forgotten, "a forgotten record is there again"
            except UnknownRecord:
                assert id in self.unsure, "an acknowledged record is lost"
        for id, found in relations.items():
            assert not self.forgotten & found.keys(), f"{id} is linked to what was forgotten"
        both = [(old, new) for old, new in self.pairs if old in relations and new in relations]
        assert all(relations[new].get(old) == "contradicts" for old, new in both), "a record was left without its link"
        return len(both)


def test_kill_under_the_archivist(tmp_path: Path) -> None:
    print(f"MEMORY_WIRE_SEED={SEED} MEMORY_WIRE_ROUNDS={ROUNDS}")
    stored = forgotten = looked = cut = 0
    for first in range(0, ROUNDS, ROUNDS_OF_ONE_STORE):
        folder, journal = tmp_path / f"store-{first}", Journal()
        folder.mkdir()
        db, links = folder / "memory.db", 0
        for number in range(first, min(first + ROUNDS_OF_ONE_STORE, ROUNDS)):
            chance = random.Random(f"{SEED}/archivist/{number}")
            journal.take(served(db, number, chance) if number % 2 else embedded(db, number, chance))
            waiting, links = settled(db, journal)
            cut += waiting
        stored, forgotten, looked = stored + len(journal.stored), forgotten + len(journal.forgotten), looked + links
    print(f"{stored} records, {forgotten} forgotten, {looked} links; {cut} jobs were cut off")
    assert looked > ROUNDS and cut


def settled(db: Path, journal: Journal) -> tuple[int, int]:
    """Does what was cut off and holds the store against the journal; how many jobs were waiting, how many links it looked at."""
    assert errors(db) == []
    with Memory(db) as memory:
        real = memory.service.now
        memory.service.now = lambda: real() + LEASE  # type: ignore[method-assign]
        waiting = sum(row.waiting for row in memory.jobs().jobs)
        assert memory.run_jobs().jobs == []
        return waiting, journal.agrees(memory)


def served(db: Path, number: int, chance: random.Random) -> list[bytes]:
    """A server is killed under its clients."""
    with Real(db.parent, "--quiet", chance.choice(("0", "0.05", "10"))) as server:
        writers = started("http://{}:{}".format(*server.address), number)
        time.sleep(0.2 + LONGEST * chance.random())
        server.process.kill()
        lines = [line for writer in writers for line in writer.communicate()[0].splitlines(keepends=True)]
        server.process.wait()
        assert "Traceback" not in server.stderr, server.stderr
    assert [writer.returncode for writer in writers] == [0] * WRITERS
    return lines


def embedded(db: Path, number: int, chance: random.Random) -> list[bytes]:
    """The processes that write have the store open themselves, and are killed."""
    writers = started(str(db), number)
    time.sleep(0.4 + LONGEST * chance.random())
    for writer in writers:
        writer.kill()
    return [line for writer in writers for line in writer.communicate()[0].splitlines(keepends=True)]


def started(target: str, number: int) -> list[subprocess.Popen[bytes]]:
    names = [f"q{chr(ord('a') + lane)}{chr(ord('a') + number % 26)}{chr(ord('a') + number // 26)}" for lane in range(WRITERS)]
    command = [sys.executable, "-W", "error", "-c", WRITER, target]
    return [subprocess.Popen([*command, name], stdout=subprocess.PIPE) for name in names]
