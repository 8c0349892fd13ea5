"""Durable writes: one at a time, in batches, and what the disk alone takes."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from bench.quality.datasets import filler
from bench.report import Report
from bench.speed.write import retains, sync_floor
from memory_wire import Memory

REFERENCE = {1_000: ("318", "10,915"), 10_000: ("337", "8,768")}  # p50 of a retain in microseconds, rows a second in one transaction
BATCH = 1_000


def run(report: Report, given: argparse.Namespace) -> bool:
    """Always true: what it prints is to be read."""
    rows: list[list[object]] = []
    for count, (single, batch) in REFERENCE.items():
        texts = [filler(i) for i in range(count)]
        with tempfile.TemporaryDirectory(dir=".") as folder:
            floor, _ = sync_floor(Path(folder), texts[:1_000])
            with Memory(str(Path(folder) / "single.db")) as store:
                p50, p99 = retains(store, texts)
            with Memory(str(Path(folder) / "normal.db"), sync="normal") as store:
                normal, _ = retains(store, texts)
            with Memory(str(Path(folder) / "batch.db")) as store:
                begun = time.perf_counter()
                for at in range(0, count, BATCH):
                    store.retain_batch([{"content": text} for text in texts[at : at + BATCH]])
                per_second = count / (time.perf_counter() - begun)
        cells = [f"{value:.0f}" for value in (floor, p50, p99, normal)]
        rows.append([f"{count:,}", *cells, single, f"{per_second:,.0f}", batch])
    report.text(
        "Retains of the scale sweep's rows. Durable: synced to disk before the answer. The reference's figures are of other hardware."
    )
    heads = ["rows", "append + fdatasync p50 µs", "retain p50 µs", "p99 µs", "--sync normal p50 µs", "reference p50 µs"]
    report.table([*heads, "batches of 1,000, rows/s", "reference, rows/s"], rows)
    return True
