"""Write speed: one durable retain against a bare append and sync on the same disk, batches, clients that write at once."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from bench.report import Report
from bench.speed import corpus
from bench.speed.recall import load
from bench.speed.timing import pick
from memory_wire import Memory

ROUNDS = 400


def sync_floor(folder: Path, texts: list[str]) -> tuple[float, float]:
    """p50 and p99 in microseconds of appending one text to a file and syncing it."""
    times = []
    descriptor = os.open(folder / "append", os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    try:
        for text in texts:
            begun = time.perf_counter_ns()
            os.write(descriptor, text.encode())
            os.fdatasync(descriptor)
            times.append(time.perf_counter_ns() - begun)
    finally:
        os.close(descriptor)
    return pick(times, 50), pick(times, 99)


def retains(store: Memory, texts: list[str]) -> tuple[float, float]:
    """p50 and p99 in microseconds of one acknowledged retain."""
    times = []
    for text in texts:
        begun = time.perf_counter_ns()
        store.retain(text)
        times.append(time.perf_counter_ns() - begun)
    return pick(times, 50), pick(times, 99)


def run(report: Report, data: Path) -> None:
    """Two tables: durable single writes, batches."""
    texts = corpus.corpus(data, 3 * ROUNDS)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        with Memory(str(Path(folder) / "memory.db")) as store:
            retains(store, texts[:50])
            floor = sync_floor(Path(folder), texts[:ROUNDS])
            full = retains(store, texts[ROUNDS : 2 * ROUNDS])
        with Memory(str(Path(folder) / "normal.db"), sync="normal") as store:
            retains(store, texts[:50])
            normal = retains(store, texts[ROUNDS : 2 * ROUNDS])
    report.text("One writer, embedded; durable means synced before the answer.")
    rows = [
        [name, f"{p50:.0f}", f"{p99:.0f}", f"{p50 / floor[0]:.2f}x"]
        for name, (p50, p99) in (("append + fdatasync, bare", floor), ("retain, durable", full), ("retain, --sync normal", normal))
    ]
    report.table(["write", "p50 µs", "p99 µs", "against bare"], rows)
    rows = []
    for size in (10_000, 50_000):
        texts = corpus.corpus(data, size)
        with tempfile.TemporaryDirectory(dir=".") as folder, Memory(str(Path(folder) / "memory.db")) as store:
            begun = time.perf_counter()
            load(store, texts)
            rows.append([f"{size:,}", f"{size / (time.perf_counter() - begun):,.0f}"])
    report.text("Batches of 1,000, durable, indexed when answered.")
    report.table(["memories", "memories/s"], rows)
