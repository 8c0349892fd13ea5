"""`python -m bench.speed.store`: the record store alone. Durable writes against a bare append and against SQLite itself, in one run.

--folder DIR    where the files go (the disk that is measured; default: here)
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from bench.quality.datasets import filler
from bench.report import Report
from bench.speed.timing import pick
from memory_wire.store import tx as statements
from memory_wire.store.ids import new_uid
from memory_wire.store.rows import NewUnit
from memory_wire.store.sqlite import Store
from memory_wire.store.tx import Tx

ROUNDS = 600
THREADS = 16
T0 = 1_790_000_000_000


def unit(i: int) -> NewUnit:
    """Row i of the scale sweep."""
    return NewUnit(uid=new_uid(), hash=os.urandom(16), content=filler(i), context=f"session-{i // 8}", created=T0 + i * 1_500)


def retain(new: NewUnit) -> Callable[[Tx], int]:
    """What a retain does in the store: find the bank, look for a duplicate, insert."""

    def work(tx: Tx) -> int:
        bank = tx.bank("default", "default", create=True)
        assert bank is not None
        found = tx.duplicate(bank, new.hash)
        return found[0] if found else tx.insert(bank, new).id

    return work


def timed(call: Callable[[], object]) -> int:
    begun = time.perf_counter_ns()
    call()
    return time.perf_counter_ns() - begun


def single(report: Report, folder: Path) -> None:
    """One writer. The three take turns, so that they meet the same disk."""
    append = os.open(folder / "append", os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    Store(str(folder / "plain.db"), create=True).close()
    plain = sqlite3.connect(folder / "plain.db", isolation_level=None)
    for setting in ("synchronous = FULL", "cache_size = -256", "foreign_keys = ON"):
        plain.execute(f"PRAGMA {setting}")

    def insert(new: NewUnit) -> None:
        values = (1, 0, new.uid, new.hash, new.created, None, new.content, new.context, None, None, None, None, None)
        plain.execute("BEGIN IMMEDIATE")
        plain.execute(statements._INSERT, values)
        plain.execute("COMMIT")

    def bare(new: NewUnit) -> None:
        os.write(append, new.content.encode())
        os.fdatasync(append)

    times: dict[str, list[int]] = {"append + fdatasync, bare": [], "INSERT by SQLite alone": [], "Store.submit": []}
    with Store(str(folder / "single.db"), create=True) as store:
        calls = dict(zip(times, (bare, insert, lambda new: store.submit(retain(new))), strict=True))
        for i in range(ROUNDS + 50):
            for name, call in calls.items():
                new = unit(i)
                took = timed(lambda call=call, new=new: call(new))  # type: ignore[misc]
                if i >= 50:
                    times[name].append(took)
    plain.close()
    os.close(append)
    floor = pick(times["append + fdatasync, bare"], 50)
    rows = [
        [name, f"{pick(each, 10):.0f}", f"{pick(each, 50):.0f}", f"{pick(each, 99):.0f}", f"{pick(each, 50) / floor:.2f}x"]
        for name, each in times.items()
    ]
    report.text("One writer, durable before the answer, taking turns.")
    report.table(["write", "p10 µs", "p50 µs", "p99 µs", "against bare"], rows)


def many(report: Report, folder: Path) -> None:
    """Threads that share commits; groups and batches of 1,000."""
    rows = []
    with Store(str(folder / "many.db"), create=True) as store:

        def client() -> None:
            for i in range(200):
                store.submit(retain(unit(i)))

        for count in (1, THREADS):
            commits, acknowledged = store.commits, store.acknowledged
            threads = [threading.Thread(target=client) for _ in range(count)]
            begun = time.perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            took = time.perf_counter() - begun
            done = store.acknowledged - acknowledged
            rows.append([f"{count} thread{'s' * (count > 1)}", f"{done / took:,.0f}", f"{done / (store.commits - commits):.1f}"])
        works = [retain(unit(i)) for i in range(1_000)]
        rows.append(["group of 1,000 retains", f"{1e12 / timed(lambda: store.write(works)):,.0f}", "1000.0"])
        units = [unit(i) for i in range(1_000)]

        def batch(tx: Tx) -> None:
            bank = tx.bank("default", "default")
            assert bank is not None
            for new in units:
                tx.insert(bank, new)

        rows.append(["one work of 1,000 inserts", f"{1e12 / timed(lambda: store.submit(batch)):,.0f}", "1.0"])
    report.text("Many writes, durable.")
    report.table(["writers", "memories/s", "answers per commit"], rows)


def reading(report: Report, folder: Path) -> None:
    """Bytes of 10,000 memories, and what reading them costs."""
    path = str(folder / "ten.db")
    with Store(path, create=True) as store:
        store.checkpoint()
        empty = os.path.getsize(path)
        for start in range(0, 10_000, 1_000):
            store.write([retain(unit(i)) for i in range(start, start + 1_000)])
        store.checkpoint()
        size = os.path.getsize(path)
        report.text(f"Database of 10,000 memories of the scale sweep, after a checkpoint: {size:,} bytes ({empty:,} when empty).")

        def snapshot(ids: range | None = None) -> None:
            with store.read() as reader:
                if ids is not None:
                    bank = reader.bank("default", "default")
                    assert bank is not None
                    reader.found(bank, ids)

        def reopen() -> None:
            store.idle()
            snapshot()

        cases: dict[str, Callable[[], None]] = {
            "a snapshot, begun and ended": snapshot,
            "bank and 10 rows": lambda: snapshot(range(1, 10_000, 1_000)),
            "bank and 100 rows, scattered": lambda: snapshot(range(1, 10_000, 100)),
            "open again after idle": reopen,
        }
        rows = []
        for name, call in cases.items():
            times = [timed(call) for _ in range(300)]
            rows.append([name, f"{pick(times, 50):.1f}", f"{pick(times, 99):.1f}"])
        report.table(["read", "p50 µs", "p99 µs"], rows)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.speed.store", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", default=".")
    parser.add_argument("--out-md")
    given = parser.parse_args()
    report = Report("Record store", ["msgspec"], rounds=f"{ROUNDS} writes, 300 reads")
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        for part in (single, many, reading):
            part(report, Path(name))
    report.close(given.out_md)
    return 0


if __name__ == "__main__":
    sys.exit(main())
