"""Recalls by 1 to 64 clients: threads on the library, as the reference was measured, and connections to a server."""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from pathlib import Path

from bench.quality.datasets import filler
from bench.report import Report
from bench.speed.http import load, post, serving
from bench.speed.timing import pick
from memory_wire import Memory

ROWS = 2_000
RECALLS = 200  # a client
CLIENTS = (1, 2, 4, 8, 16, 32, 64)
REFERENCE = {1: 409, 2: 708, 4: 778, 8: 792, 16: 754, 32: 750, 64: 772}  # recalls a second; p99 4.4 to 616 ms
QUERIES = (
    "auth jose middleware jwt verification",
    "rate limiting token bucket algorithm",
    "vector search pgvector hnsw index",
    "cafeteria menus parking rotations",
)


def threads(store: Memory, clients: int) -> tuple[float, float, float]:
    """(recalls a second, p50, p99 in microseconds) of that many threads."""
    times: list[int] = []

    def work() -> None:
        own = []
        for number in range(RECALLS):
            begun = time.perf_counter_ns()
            assert store.recall(QUERIES[number % len(QUERIES)], k=10)
            own.append(time.perf_counter_ns() - begun)
        times.extend(own)

    every = [threading.Thread(target=work) for _ in range(clients)]
    begun = time.perf_counter()
    for thread in every:
        thread.start()
    for thread in every:
        thread.join()
    return len(times) / (time.perf_counter() - begun), pick(times, 50), pick(times, 99)


def run(report: Report, given: argparse.Namespace) -> bool:
    """Always true: what it prints is to be read."""
    items = [{"content": filler(i), "context": f"session-{i // 8}"} for i in range(ROWS)]
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder, Memory(str(Path(folder) / "memory.db")) as store:
        for at in range(0, ROWS, 1_000):
            store.retain_batch(items[at : at + 1_000])
        threads(store, 1)
        library = {clients: threads(store, clients) for clients in CLIENTS}
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as address:
        batches = [post("load", "retain/batch", {"items": items[at : at + 1_000]}) for at in range(0, ROWS, 1_000)]
        assert load(address, batches, 1, 0)["errors"] == 0
        asked = [post("load", "recall", {"query": query, "k": 10}) for query in QUERIES]
        load(address, asked, 1, 1)
        for clients in CLIENTS:
            found = load(address, asked * (RECALLS * clients // len(QUERIES)), clients, 0)
            assert found["errors"] == 0
            per_second, p50, p99 = library[clients]
            own = [f"{per_second:,.0f}", f"{p50:.0f}", f"{p99:.0f}"]
            over = [f"{found['rps']:,.0f}", f"{found['p50_us']:.0f}", f"{found['p99_us']:.0f}"]
            rows.append([clients, *own, *over, REFERENCE[clients], f"{per_second / REFERENCE[clients]:.1f}x"])
    report.text(f"{ROWS:,} memories, {RECALLS} recalls a client; the reference's column was published for other hardware.")
    heads = ["clients", "library/s", "p50 µs", "p99 µs", "HTTP/s", "p50 µs", "p99 µs", "reference/s", "library against it"]
    report.table(heads, rows)
    return True
