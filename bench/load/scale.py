"""The scale sweep: rows written one by one, four questions, bytes on disk, tokens that a recall saves."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from bench.quality.datasets import filler
from bench.report import Report
from bench.speed.disk import tree_bytes
from bench.speed.timing import percentiles
from memory_wire import Memory
from memory_wire.service import maintenance

REFERENCE = {  # build, recall p50 µs, bytes of the database, saved
    240: ("313 ms", 588, 126_976, 95.7),
    1_000: ("1.40 s", 893, 393_216, 99.0),
    5_000: ("7.17 s", 2_578, 1_634_304, 99.8),
    10_000: ("15.3 s", 4_903, 3_014_656, 99.9),
}
QUERIES = ("jwt verification middleware", "token bucket rate limiting", "pgvector hnsw index", "cafeteria menus")
RECALLS = 5
BUDGET = 2_000


def run(report: Report, given: argparse.Namespace) -> bool:
    """Always true: what it prints is to be read."""
    rows: list[list[object]] = []
    for size, theirs in REFERENCE.items():
        texts = [filler(i) for i in range(size)]
        with tempfile.TemporaryDirectory(dir=".") as folder:
            path = str(Path(folder) / "memory.db")
            with Memory(path) as store:
                begun = time.perf_counter()
                for i, text in enumerate(texts):
                    store.retain(text, context=f"session-{i // 8}")
                build = time.perf_counter() - begun
                p50, _ = percentiles(lambda query, s=store: s.recall(query, budget=BUDGET), list(QUERIES) * RECALLS)
                served = sum(len(hit.content) for hit in store.recall(QUERIES[0], budget=BUDGET)[:10])
            maintenance.reindex(path, None, lambda done, total: None)
            database, index = tree_bytes(Path(folder))
        corpus = sum(map(len, texts)) // 4
        saved = 100 * (1 - served // 4 / corpus)
        cells = [f"{build:.2f} s", f"{p50:.0f}", f"{database + index:,}", f"{corpus:,}", served // 4, f"{saved:.2f}"]
        rows.append([f"{size:,}", *cells, *(f"{value:,}" if isinstance(value, int) else value for value in theirs)])
    report.text(
        "Rows written durably one by one; bytes of database and index after one merge. The reference was measured on other hardware."
    )
    heads = ["rows", "build", "recall p50 µs", "bytes", "corpus tokens", "top 10 tokens", "saved %"]
    report.table([*heads, "reference build", "p50 µs", "bytes", "saved %"], rows)
    return True
