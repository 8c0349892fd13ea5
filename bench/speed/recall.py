"""Recall speed beside peers on the same texts and questions, in one run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.report import Report
from bench.speed import corpus, peers
from bench.speed.timing import percentiles
from memory_wire import Memory
from memory_wire.config import BATCH_ITEMS
from memory_wire.kernels import rank
from memory_wire.retrieve import analyse
from memory_wire.types import Scope

IDS = 50
FULL = 10


def load(store: Memory, texts: list[str], bank: str = "default") -> None:
    """All texts, in batches."""
    for at in range(0, len(texts), BATCH_ITEMS):
        store.retain_batch([{"content": text} for text in texts[at : at + BATCH_ITEMS]], bank=bank)


def ids_only(store: Memory, k: int) -> Callable[[str], list[int]]:
    """Question text to unit ids over one snapshot of the index: what a bare search engine does."""
    service = store.service
    with service.read() as reader:
        bank = reader.bank(Scope().project, Scope().bank)
        assert bank is not None
        parts = service.index.open(bank, 1).snapshot(service.index.rows(reader, bank, 1))

    def ask(text: str) -> list[int]:
        query = analyse.query(text, 1, {}, parts)
        return rank.search(parts, query, k, role=True).ids()

    return ask


def run(report: Report, data: Path, sizes: list[int], slow_peers_up_to: int) -> None:
    """One table: p50 and p99 in microseconds for every engine and size."""
    asked = corpus.questions(data)
    rows: list[list[object]] = []
    for size in sizes:
        texts = corpus.corpus(data, size)
        ours = len(rows)
        with tempfile.TemporaryDirectory() as folder, Memory(str(Path(folder) / "memory.db"), sync="normal") as store:
            load(store, texts)
            rows.append(timed(size, "memory-wire, ids", IDS, ids_only(store, IDS), asked))
            rows.append(timed(size, "memory-wire, full results", FULL, lambda q, s=store: s.recall(q, k=FULL), asked))
        if size <= slow_peers_up_to:
            for stop in (False, True):
                ask, db = peers.fts5(texts, IDS, stop)
                rows.append(timed(size, f"SQLite FTS5, ids{', our stop list' if stop else ''}", IDS, ask, asked))
                if not stop:
                    rows.append(timed(size, "SQLite FTS5, full results", FULL, peers.fts5_full(db, FULL), asked))
                db.close()
                with tempfile.TemporaryDirectory() as folder:
                    ask = peers.tantivy(texts, IDS, stop, folder)
                    rows.append(timed(size, f"tantivy, ids{', our stop list' if stop else ''}", IDS, ask, asked))
                rows.append(
                    timed(
                        size,
                        f"bm25s numba, ids{', our stop list' if stop else ', its stop list'}",
                        IDS,
                        peers.bm25s(texts, IDS, stop),
                        asked,
                    )
                )
        for one in rows[ours:]:
            full = "full" in str(one[1])
            one.append(f"{float(str(one[3])) / float(str(rows[ours + full][3])):.1f}x")
    report.text("Recall, one thread, warm; the last column is p50 against ours on the same size and task.")
    report.table(["memories", "engine and task", "k", "p50 µs", "p99 µs", "against ours"], rows)


def timed(size: int, name: str, k: int, ask: Callable[[str], object], asked: list[str]) -> list[object]:
    p50, p99 = percentiles(ask, asked)
    return [f"{size:,}", name, k, f"{p50:.0f}", f"{p99:.0f}"]
