"""How fast a large hub is: recall over HTTP, its page and its digest, first and again, and how soon a new document is found."""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from statistics import median

from bench.hub import corpus
from bench.report import Report
from bench.speed.http import serving
from memory_wire.client import Memory

ASKED = 300
SAVED, SAVED_BYTES = 60, 20_000
AGAIN = 20
HTML = {"Accept": "text/html"}


def fill(db: Path, documents: int) -> int:
    """A public hub of so many documents; its number of chunks."""
    chunks = 0
    with Memory(db, bank="bench", sync="normal") as memory:
        for text in corpus.documents(documents):
            chunks += memory.create_doc(text).chunks.total
        memory.put_hub("bench", public=True)
        memory.run_jobs()
    return chunks


def timed(call: Callable[[], object]) -> float:
    """Milliseconds."""
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1000


class Asker:
    """One connection to a server."""

    def __init__(self, address: str) -> None:
        self.connection = HTTPConnection(address)

    def get(self, path: str) -> bytes:
        return self.send("GET", path, None, HTML)

    def recall(self, **body: object) -> bytes:
        return self.send("POST", "/api/hub/bench/recall", json.dumps(body), {"Content-Type": "application/json"})

    def send(self, verb: str, path: str, body: str | None, headers: dict[str, str]) -> bytes:
        self.connection.request(verb, path, body, headers)
        reply = self.connection.getresponse()
        text = reply.read()
        assert reply.status == 200, (path, reply.status, text[:200])
        return text


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(int(len(times) * share), len(times) - 1)]


def row(name: str, times: list[float], bound: str = "") -> list[object]:
    return [name, f"{times[0]:.2f}", f"{median(times[1:]):.2f}", f"{percentile(times[1:], 0.95):.2f}", bound]


def run(report: Report, documents: int) -> None:
    """Fills, serves, asks."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "memory.db"
        chunks = fill(db, documents)
        report.text(f"## Speed: a hub of {documents:,} documents, {chunks:,} chunks, over HTTP on one connection")
        report.text()
        with serving(Path(folder)) as address:
            rows = surfaces(Asker(address))
        report.table(["what", "first ms", "p50 ms", "p95 ms", "must"], rows)
    report.text(f"## Saving: {SAVED} new documents of {SAVED_BYTES // 1000} KB, each found by the next call, in one process")
    report.text()
    report.table(["what", "first ms", "p50 ms", "p95 ms", "must"], saving())


def surfaces(asker: Asker) -> list[list[object]]:
    words, chance = corpus.prose(), random.Random(11)
    questions = [corpus.question(words, chance) for _ in range(ASKED)]
    rows = []
    for name, more, bound in (
        ("recall, chunks", {}, "p50 2"),
        ("recall, chunks, k 20", {"k": 20}, ""),
        ("recall, chunks with their subtrees", {"expand": "subtree"}, ""),
        ("recall, documents", {"level": "doc"}, ""),
        ("recall, bundles", {"level": "bundle"}, ""),
    ):
        rows.append(row(name, [timed(lambda ask=text, extra=more: asker.recall(question=ask, **extra)) for text in questions], bound))
    for name, path, bound in (
        ("digest", "/raw/hub/bench", "first 100"),
        ("page of the hub", "/hub/bench", "20"),
        ("page of the hub, searched", "/hub/bench?q=server", ""),
        ("picture", "/hub/bench/graph.svg", ""),
        ("llms.txt", "/hub/bench/llms.txt", ""),
    ):
        rows.append(row(name, [timed(lambda place=path: asker.get(place)) for _ in range(AGAIN + 1)], bound))
    return rows


def saving() -> list[list[object]]:
    """Real documentation cut into documents; what a save and the search behind it take."""
    text = " ".join(corpus.prose())
    whole = "\n\n".join(corpus.documents(SAVED * 4))
    saves, finds = [], []
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "memory.db", bank="bench", sync="normal") as memory:
        memory.create_doc("# Before\n\nwarm\n")
        for number in range(SAVED + 1):
            body = whole[number * SAVED_BYTES :][:SAVED_BYTES] if number % 2 else "\n\n".join(paragraphs(text, number))
            markdown = f"{body}\n\n## Mark\n\nmarked{number}x\n"
            saves.append(timed(lambda given=markdown: memory.create_doc(given)))
            finds.append(timed(lambda mark=f"marked{number}x": found(memory, mark)))
    return [row("save", saves, "p50 5"), row("search right after", finds)]


def paragraphs(text: str, number: int) -> list[str]:
    """Twenty kilobytes of prose in sections of a kilobyte."""
    piece = text[number * SAVED_BYTES :][:SAVED_BYTES]
    return [f"## Part {at // 1000}\n\n{piece[at : at + 1000]}" for at in range(0, len(piece), 1000)]


def found(memory: Memory, mark: str) -> None:
    assert memory.search_docs(mark, limit=1).results[0].content.endswith(mark)
