"""Search among vectors: the exact scan against the memory's bandwidth and a float oracle, the graph of large banks against the scan.

--rows N…       sizes of the graph's banks            --out-md FILE   also write the tables there
--data FOLDER   where the data is

Vectors are of the memories of bench.speed, recombined from what is said in LoCoMo, and of its questions: by WordLlama, turned at random
into 384 dimensions.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from bench.dense.costs import memory
from bench.report import Report
from bench.speed.corpus import corpus, questions
from memory_wire.index.vectors import Vectors
from memory_wire.kernels import vec
from memory_wire.outside import Outside
from memory_wire.outside.tables import Table
from tests.embed.endpoint import WORDLLAMA

DIMENSION, SCAN, K, QUESTIONS = 384, 50_000, 10, 200
WIDEN = 4
BANDWIDTH_BYTES = 256 << 20  # far beyond any cache
ROUNDS = 9

Floats = NDArray[np.float32]


class Texts:
    """Vectors of length 1 of as many texts as are asked for, and of questions."""

    def __init__(self, data: Path) -> None:
        self.data, self.chance = data, np.random.default_rng(1)
        self.table = Table(WORDLLAMA)
        self.turn = np.linalg.qr(self.chance.standard_normal((DIMENSION, 256)))[0].astype(np.float32)
        self.questions = self.embedded(questions(data, QUESTIONS))

    def made(self, n: int) -> Floats:
        return self.embedded(corpus(self.data, n))

    def embedded(self, texts: list[str]) -> Floats:
        parts = [self.table.embed(texts[at : at + 1_000]).astype(np.float32) @ self.turn.T for at in range(0, len(texts), 1_000)]
        vectors = np.concatenate(parts)
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


class Rows:
    """A space of so many rows, as index/vector_file.py's Source; unit and row have the same number."""

    store_id, model, space, dimension = b"s" * 16, b"m" * 16, 1, DIMENSION

    def __init__(self, vectors: Floats) -> None:
        self.rows, self.n = vec.quantise(vectors.tobytes(), DIMENSION), len(vectors)

    def newest(self) -> int:
        return self.n

    given = newest

    def count(self, after: int) -> int:
        return self.n - after

    def after(self, id: int, limit: int) -> list[tuple[int, int, bytes, bytes]]:
        wide = DIMENSION + 4
        return [(at + 1, at + 1, bytes(16), self.rows[at * wide : at * wide + wide]) for at in range(id, min(id + limit, self.n))]

    def keys(self, ids: list[int]) -> dict[int, bytes]:
        return dict.fromkeys(ids, bytes(16))

    def renew(self) -> None:
        """Nothing changes."""


def timed(call: object, times: int) -> list[float]:
    """Seconds of each."""
    assert callable(call)
    found = []
    for number in range(times):
        begun = time.perf_counter()
        call(number)
        found.append(time.perf_counter() - begun)
    return sorted(found)


def bandwidth() -> float:
    """Bytes a second that one thread reads, best of some rounds."""
    data = np.ones(BANDWIDTH_BYTES // 8, np.uint64)
    return BANDWIDTH_BYTES / timed(lambda _: data.sum(), ROUNDS)[0]


def overlap(found: list[list[int]], expected: list[list[int]]) -> float:
    return sum(len(set(one) & set(other)) for one, other in zip(found, expected, strict=True)) / sum(map(len, expected))


def scan(report: Report, texts: Texts) -> None:
    vectors, asked = texts.made(SCAN), texts.questions
    rows = Rows(vectors)
    piece = vec.Piece.of([(unit, row) for _, unit, _, row in rows.after(0, SCAN)], DIMENSION)
    speed = bandwidth()
    spent = timed(lambda number: piece.search(asked[number].tobytes(), K), QUESTIONS)
    best = spent[0]
    found = [[unit - 1 for unit, _ in piece.search(question.tobytes(), K)] for question in asked]
    exact = np.argsort(-(asked @ vectors.T), axis=1)[:, :K].tolist()
    bound = SCAN * DIMENSION / speed
    report.table(
        ["exact scan", "memory read, GB/s", "bound, ms", "best, ms", "p50, ms", "best / bound", "recall@10 of float32"],
        [
            [
                f"{SCAN:,} × {DIMENSION} int8",
                f"{speed / 1e9:.1f}",
                f"{bound * 1e3:.2f}",
                f"{best * 1e3:.2f}",
                f"{median(spent) * 1e3:.2f}",
                f"{best / bound:.2f}",
                f"{overlap(found, exact):.4f}",
            ]
        ],
    )


def graph(texts: Texts, n: int, folder: str, outside: Outside) -> list[str]:
    rows = Rows(texts.made(n))
    Vectors(folder, 1).build(rows)
    (name,) = (entry for entry in os.listdir(folder) if entry.endswith(".vec"))
    path = os.path.join(folder, name)
    piece = vec.Piece.open(path)
    asked_for = [question.tobytes() for question in texts.questions]
    begun = time.perf_counter()
    outside.ask("build_graph", {"path": path}, 6 * 3600)
    built = time.perf_counter() - begun
    begun = time.perf_counter()
    asked: dict[str, object] = {"path": path, "stamp": piece.stamp, "k": WIDEN * K}
    outside.ask("nearest", {**asked, "vector": b""}, 600)
    load = time.perf_counter() - begun
    leads: list[list[int]] = []

    def ask(number: int) -> None:
        answer = outside.ask("nearest", {**asked, "vector": asked_for[number]}, 60)["rows"]
        assert isinstance(answer, bytes)
        leads.append(np.frombuffer(answer, "<u4").tolist())

    spent = timed(ask, QUESTIONS)
    whole = timed(lambda number: piece.search(asked_for[number], K), ROUNDS)
    exact = [[unit for unit, _ in piece.search(question, K)] for question in asked_for]
    found = [
        [unit for unit, _ in piece.search(question, K, piece.mask_of([row + 1 for row in some]))]
        for question, some in zip(asked_for, leads, strict=True)
    ]
    few = sorted(texts.chance.choice(n, n // 100, replace=False) + 1)
    filtered = timed(lambda number: piece.search(asked_for[number], K, piece.mask_of(few)), ROUNDS)
    enough = all(len(piece.search(question, K, piece.mask_of(few))) == K for question in asked_for[:ROUNDS])
    return [
        f"{n:,}",
        f"{built:,.0f}",
        f"{os.path.getsize(path + '.graph') / 1e6:,.0f}",
        f"{load:.1f}",
        f"{memory(outside.lanes['model'][0].pid)[0]:,.0f}",
        f"{median(spent) * 1e3:.2f}",
        f"{spent[-len(spent) // 100] * 1e3:.2f}",
        f"{overlap(found, exact):.4f}",
        f"{median(whole) * 1e3:.1f}",
        f"{median(filtered) * 1e3:.1f}",
        "yes" if enough else "NO",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.vectors", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[3] / "shared" / "data")
    parser.add_argument("--rows", type=int, nargs="*", default=[200_000])
    parser.add_argument("--out-md")
    given = parser.parse_args()
    report = Report("Search among vectors", ("numpy", "hnswlib"))
    texts = Texts(given.data)
    scan(report, texts)
    report.text()
    lines = []
    for n in given.rows:
        outside = Outside()
        with tempfile.TemporaryDirectory() as folder:
            try:
                lines.append(graph(texts, n, folder, outside))
            finally:
                outside.close()
    heads = ["vectors", "build, s", "graph, MB", "load, s", "helper RSS, MB", "p50, ms", "p99, ms", "recall@10 of the scan", "scan, ms"]
    report.table([*heads, "filter of 1 %, ms", "k of it found"], lines)
    report.close(given.out_md)


if __name__ == "__main__":
    main()
