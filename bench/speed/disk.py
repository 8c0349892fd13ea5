"""Bytes on disk for the scale sweep's memories, and what opening a large store costs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.quality.datasets import filler
from bench.report import Report
from bench.speed import corpus
from bench.speed.recall import load
from memory_wire import Memory
from memory_wire.service import maintenance

OPEN = """
import sys, time
import memory_wire.client, memory_wire.retrieve.pipeline
begun = time.perf_counter()
with memory_wire.Memory(sys.argv[1]) as store:
    hits = store.recall(sys.argv[2], k=10)
    print(f"{(time.perf_counter() - begun) * 1000:.1f} {len(hits)}")
"""


def tree_bytes(folder: Path) -> tuple[int, int]:
    """(database, index) bytes below a folder."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    index = sum(path.stat().st_size for path in files if ".index" in str(path.relative_to(folder)))
    return sum(path.stat().st_size for path in files) - index, index


def disk(report: Report, count: int = 10_000) -> None:
    """Database and index of the scale sweep, while the log is unflushed, and settled after a checkpoint and one merge."""
    with tempfile.TemporaryDirectory() as name:
        path = str(Path(name) / "memory.db")
        with Memory(path) as store:
            for at in range(0, count, 1_000):
                store.retain_batch([{"content": filler(i), "context": f"session-{i // 8}"} for i in range(at, at + 1_000)])
            loose = tree_bytes(Path(name))
        maintenance.reindex(path, None, lambda done, total: None)
        settled = tree_bytes(Path(name))
    report.text(f"{count:,} memories of the scale sweep on disk (reference, settled: 3,022,848 bytes).")
    report.table(
        ["state", "database", "index", "together", "MiB"],
        [
            [state, f"{a:,}", f"{b:,}", f"{a + b:,}", f"{(a + b) / 2**20:.2f}"]
            for state, (a, b) in (("log unflushed", loose), ("settled", settled))
        ],
    )


def opening(report: Report, data: Path, count: int) -> None:
    """Opening a store and answering its first recall in a process of its own, page cache warm; rebuilding its index."""
    with tempfile.TemporaryDirectory(dir=".") as name:
        path = str(Path(name) / "memory.db")
        texts = corpus.corpus(data, count)
        with Memory(path, sync="normal") as store:
            begun = time.perf_counter()
            load(store, texts)
            loading = time.perf_counter() - begun
        question = corpus.questions(data, 1)[0]
        times = [float(subprocess.check_output([sys.executable, "-c", OPEN, path, question], text=True).split()[0]) for _ in range(7)]
        begun = time.perf_counter()
        maintenance.reindex(path, None, lambda done, total: None)
        rebuilding = time.perf_counter() - begun
        database, index = tree_bytes(Path(name))
    report.text(f"A store of {count:,} memories.")
    report.table(
        ["what", "value"],
        [
            ["open + first recall, median of 7 processes (first of them)", f"{sorted(times)[3]:.1f} ms ({times[0]:.1f} ms)"],
            ["loaded in batches", f"{count / loading:,.0f} memories/s"],
            ["reindex", f"{count / rebuilding:,.0f} memories/s"],
            ["database, index bytes a memory", f"{database / count:.0f}, {index / count:.0f}"],
        ],
    )
