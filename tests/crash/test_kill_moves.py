"""kill -9 while banks are copied, merged, renamed and swept: each happened whole or not at all, and no memory or id is lost."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

from memory_wire import Memory
from tests.crash.asking import equals_rebuild, errors

ROUNDS = max(int(os.environ.get("MEMORY_WIRE_ROUNDS", "20")) // 2, 1)
SEED = int(os.environ.get("MEMORY_WIRE_SEED", str(int(time.time()))))
ROOT = Path(__file__).parents[2]
MEMORIES = 400
LONGEST = 0.4  # seconds of moves

MOVER = """
import os, sys
from memory_wire import Memory
with Memory(sys.argv[1]) as store:
    names = {row.bank for row in store.banks()}
    if "three" in names:
        store.rename_bank("three", "one")
    if "two" in names:
        store.merge_bank("two", "one")
    os.write(1, b"ready\\n")
    while True:
        store.copy_bank("one", "two")
        store.retain("too old", bank="two", created_at="1970-01-01")
        store.put_config({"ttl_days": 1}, bank="two")
        store.sweep()
        store.rename_bank("one", "three")
        store.rename_bank("three", "one")
        store.merge_bank("two", "one")
"""


def test_kill_while_banks_move(tmp_path: Path) -> None:
    print(f"MEMORY_WIRE_SEED={SEED}")
    chance, db = random.Random(SEED), tmp_path / "memory.db"
    texts = [f"note {number} of the falcon" for number in range(MEMORIES)]
    with Memory(db) as store:
        given = [result.id for result in store.retain_batch([{"content": text} for text in texts], bank="one").results]  # type: ignore[union-attr]
    for _ in range(ROUNDS):
        with subprocess.Popen([sys.executable, "-W", "error", "-c", MOVER, str(db)], stdout=subprocess.PIPE, cwd=ROOT) as mover:
            assert mover.stdout is not None and mover.stdout.readline() == b"ready\n"
            time.sleep(LONGEST * chance.random())
            mover.kill()
        assert errors(db) == []
        with Memory(db) as store:
            sizes = {row.bank: row.memories for row in store.banks()}
            home = {"one", "three"} & sizes.keys()
            assert len(home) == 1, sizes
            [bank] = home
            assert ids(store, bank) == list(zip(given, texts, strict=True))
            assert sizes.get("two", MEMORIES) in (MEMORIES, MEMORIES + 1)
        equals_rebuild(db, sorted(sizes), ["note 7 falcon", "too old", "falcon"])


def ids(store: Memory, bank: str) -> list[tuple[str, str]]:
    """(id, text) of what the bank lists, but for what a merge may have brought along before it was swept."""
    items = store.memories(bank=bank, limit=500).items
    return [(item.id, item.content) for item in items if item.content != "too old"]
