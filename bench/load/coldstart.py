"""From the start of a process to its first answer, by the size of the store."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

from bench.footprint.load import memories, questions
from bench.footprint.server import Server
from bench.report import Report
from memory_wire import Memory

STARTS = 7
BATCH = 1_000
REFERENCE = {0: "173.5 first, 39-52 later", 10_000: "first recall 13.8, then 8.3"}


def run(report: Report, given: argparse.Namespace) -> bool:
    """Always true: what it prints is to be read."""
    asked = list(questions(50))
    rows: list[list[object]] = []
    for size in (0, *given.sizes):
        with tempfile.TemporaryDirectory(dir=".") as name:
            folder = Path(name)
            with Memory(str(folder / "memory.db"), sync="normal") as store:
                texts = list(memories(size))
                for at in range(0, size, BATCH):
                    store.retain_batch([{"content": text} for text in texts[at : at + BATCH]])
            ready, first, warm = [], [], []
            for _ in range(STARTS):
                (folder / "serve.json").unlink(missing_ok=True)
                with Server(folder) as server:
                    ready.append(1_000 * server.seconds)
                    connection = server.dial()
                    times = []
                    for question in asked:
                        begun = time.perf_counter()
                        server.recall("default", question, connection, k=10)
                        times.append(1_000 * (time.perf_counter() - begun))
                    connection.close()
                    first.append(times[0])
                    warm.append(median(times[1:]))
                    server.stop()
        cells = [f"{ready[0]:.0f}", f"{median(ready[1:]):.0f}", f"{median(first):.1f}", f"{median(warm):.2f}"]
        rows.append([f"{size:,}", *cells, REFERENCE.get(size, "")])
    report.text(f"Milliseconds, {STARTS} starts each; ready: from the start of the process to the answer of /ready, which opens the store.")
    report.table(["memories", "ready, first", "ready, later", "first recall", "recalls after it", "reference"], rows)
    return True
