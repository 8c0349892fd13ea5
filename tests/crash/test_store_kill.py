"""kill -9 at random moments under write load: what was acknowledged is there, nothing is half there.

MEMORY_WIRE_KILLS sets the number of rounds. The killed process writes from several threads, in single works and in works of two units, with
documents replaced, deletions and tags; it prints what was acknowledged.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from memory_wire.store.check import check
from memory_wire.store.sqlite import Store
from tests.store.make import rows

ROUNDS = int(os.environ.get("MEMORY_WIRE_KILLS", "20"))

WRITER = """
import os, sys, threading
from memory_wire.store.sqlite import Store
from tests.store.make import digest, the, unit

store = Store(sys.argv[1], create=True)
start = sys.argv[2]

def go(number):
    n = 0
    while True:
        name = f"{start}.{number}.{n}"
        def pair(tx):
            bank = the(tx)
            session = tx.session(bank, digest(f"s{number}"), f"s{number}")
            for end in "ab":
                tx.insert(bank, unit(f"{name}{end}", tags=[end]), session=session, position=tx.next_position(bank, session))
            key = digest(f"doc{number}")
            old = tx.document(bank, key)
            if old:
                tx.delete(bank, old.id)
            tx.insert(bank, unit(f"doc{number} {name}"), document=(key, f"doc{number}"))
        store.submit(pair)
        os.write(1, f"+ {name}\\n".encode())
        if n % 3 == 2:
            uid = unit(name).uid
            made = store.submit(lambda tx: tx.insert(the(tx), unit(f"gone {name}", uid=uid)))
            store.submit(lambda tx: tx.delete(the(tx), made.id))
            os.write(1, f"- {name}\\n".encode())
        n += 1

threads = [threading.Thread(target=go, args=(number,)) for number in range(4)]
for thread in threads:
    thread.start()
"""


def test_kill_under_load(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    chance = random.Random(20)
    acknowledged: list[str] = []
    removed: list[str] = []
    newest = 0
    for number in range(ROUNDS):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, path, str(number)], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        first = writer.stdout.readline()
        time.sleep(chance.random() * 0.15)
        writer.send_signal(signal.SIGKILL)
        lines = [first, *writer.stdout]
        writer.stdout.close()
        assert writer.wait() == -signal.SIGKILL
        acknowledged += [line[2:-1] for line in lines if line.startswith("+ ") and line.endswith("\n")]
        removed += [line[2:-1] for line in lines if line.startswith("- ") and line.endswith("\n")]
        with Store(path) as store:
            assert [finding.text for finding in check(store)] == []
            units = rows(store)
            found = {unit.content for unit in units}
            for name in acknowledged:
                assert {f"{name}a", f"{name}b"} <= found
            for name in removed:
                assert f"gone {name}" not in found
            halves = [name for name in found if name[-1] in "ab"]
            assert len(halves) == 2 * len({name[:-1] for name in halves})
            documents = [name for name in found if name.startswith("doc")]
            assert len(documents) == len({name.split()[0] for name in documents}) <= 4
            with store.read() as reader:
                bank = reader.bank("default", "default")
                assert bank is not None
                removals, _ = reader.removed(bank, 0)
                assert not {unit.id for unit in units} & {id for _, id in removals}
                assert bank.newest >= newest
                newest = bank.newest
    assert len(acknowledged) >= ROUNDS
