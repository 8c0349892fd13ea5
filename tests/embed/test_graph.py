"""Graphs over large files of vectors: made and asked in the helper process, left out when they are wrong, never in the way of filters."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memory_wire import config
from memory_wire.client import Memory
from memory_wire.errors import OutsideFailed
from memory_wire.index.vector_file import GRAPH, SUM
from memory_wire.kernels.vec import Piece
from memory_wire.outside import Outside
from memory_wire.service import graphs, spaces
from tests.embed.endpoint import Endpoint
from tests.embed.test_near import DOINGS, QUERY, THINGS, folder_of

TEXTS = [f"The {thing} {doing}, number {number}." for thing in THINGS for doing in DOINGS for number in range(3)]


@pytest.fixture
def large(memory: Memory, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """A bank whose vectors are in one file that is large enough for a graph."""
    monkeypatch.setattr(config, "GRAPH_ROWS", 100)
    monkeypatch.setattr(config, "VECTORS_LOOSE", 10)
    memory.retain_batch([{"content": text, "tags": [f"t{place % 70}"]} for place, text in enumerate(TEXTS)])
    memory.put_config({"embedder": endpoint.model(), "fusion": "dense"})
    memory.run_jobs()
    return memory


def until(true: Callable[[], bool]) -> None:
    for _ in range(1_000):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it doesn't come about")


def contents(memory: Memory, **how: object) -> list[str]:
    hits = memory.recall(QUERY, **how)  # type: ignore[arg-type]
    assert not hits.degraded
    return [hit.content for hit in hits]


def ready(memory: Memory) -> str:
    """Recalls until a graph answers; the file it is of."""
    contents(memory)
    held = spaces.of(memory.service)
    ((path, stamp),) = next(iter(held._large.values()))

    def asked() -> bool:
        contents(memory)
        return held._graphs is not None and (path, stamp) in held._graphs._loaded

    until(asked)
    return path


def test_it_is_made_loaded_and_asked_in_the_background(large: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = contents(large, k=10)
    path = ready(large)
    asked = list[int]()
    near = graphs.Graphs.near
    monkeypatch.setattr(graphs.Graphs, "near", lambda self, *given: asked.append(len(rows := near(self, *given))) or rows)
    assert contents(large, k=10) == plain
    assert asked == [len(TEXTS) + 1]  # four times what is wanted, or all
    large.retain("Old trains that need to be mended.")
    large.run_jobs()
    assert contents(large, k=10)[0] == "Old trains that need to be mended."  # what came since is searched beside it
    large.service.idle()
    assert contents(large, k=10)[1:] == plain[:9]
    assert os.path.exists(path + GRAPH)


def test_filters_are_exact(large: Memory) -> None:
    expected = {tag: contents(large, tags=[tag], k=3) for tag in ("t7", "t50", "t69")}
    ready(large)
    for tag, texts in expected.items():
        assert contents(large, tags=[tag], k=3) == texts
        assert len(texts) == 3
    for hit in large.recall(QUERY, k=100):
        large.forget(hit.id)
    assert len(contents(large, k=100)) == 100


@pytest.mark.parametrize("fault", ["graph", "sum", "short"])
def test_what_is_damaged_is_made_anew(large: Memory, fault: str) -> None:
    path = ready(large)
    plain = contents(large, k=10)
    large.service.idle()
    target = Path(path + (SUM if fault == "sum" else GRAPH))
    data = bytearray(target.read_bytes())
    data[len(data) // 2] ^= 1
    target.write_bytes(data[:-8] if fault == "short" else data)
    assert contents(large, k=10) == plain
    until(lambda: contents(large, k=10) == plain and not os.path.exists(path + SUM))
    held = spaces.of(large.service)._graphs
    assert held is not None
    held._pause_until = 0.0
    ready(large)
    assert contents(large, k=10) == plain


def test_it_goes_with_its_file(large: Memory) -> None:
    path = ready(large)
    large.erase(id=large.recall(QUERY, k=1)[0].id)
    assert not [name for name in os.listdir(folder_of(large)) if GRAPH in name]
    assert not os.path.exists(path + GRAPH)


def test_without_hnswlib_everything_is_searched(large: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = contents(large)
    told = list[str]()

    def ask(self: Outside, op: str, payload: dict[str, object], seconds: float, real: Callable[..., object] = Outside.ask) -> object:
        if op == "build_graph":
            told.append(op)
            raise OutsideFailed("graphs over vectors need hnswlib: pip install 'memory-wire[graph]'")
        return real(self, op, payload, seconds)

    monkeypatch.setattr(Outside, "ask", ask)
    for _ in range(5):
        assert contents(large) == plain
    until(lambda: told == ["build_graph"])


def test_it_finds_what_is_near(outside: Outside, large: Memory) -> None:
    path = ready(large)
    with large.service.read() as reader:
        bank = reader.bank("default", "b")
        assert bank is not None
        rows = [row.row for _, row in reader.embeddings.after(reader.embeddings.spaces(bank)[-1], 0, 10_000)]
    matrix = np.array([np.frombuffer(row[4:], np.int8) * np.frombuffer(row[:4], "<f4") for row in rows])
    for place in range(0, len(rows), 37):
        answer = outside.ask(
            "nearest", {"path": path, "stamp": Piece.open(path).stamp, "vector": matrix[place].astype("<f4").tobytes(), "k": 10}, 20
        )["rows"]
        assert isinstance(answer, bytes)
        scores = matrix[: len(rows)] @ matrix[place]
        assert scores[np.frombuffer(answer, "<u4")].min() >= np.sort(scores)[-10] - 1e-5
