"""Recall over a hub with an embedder: vectors, both lists together by hand, rerankers, and what happens when they fail."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from msgspec import UNSET

from memory_wire import questions as q
from memory_wire.client import Memory
from memory_wire.kernels import text
from memory_wire.ops import BY_NAME
from memory_wire.types import Scope
from tests.embed.endpoint import Endpoint

TOLD = {
    "March": "Built the MCP server. It took one week.",
    "April": "The backend that agents talk to over their protocol was deployed.",
    "May": "A server for pages joined.",
    "June": "Bought a bicycle and rode along the river.",
    "July": "MCP was explained to the guests at dinner.",
    "August": "Nothing happened, it was hot.",
}
JOURNEY = "# Journey\n\n" + "".join(f"## {month}\n\n{said}\n\n" for month, said in TOLD.items())


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as server:
        yield server


@pytest.fixture
def memory(tmp_path: Path, endpoint: Endpoint) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db", bank="notes", sync="normal") as found:
        found.retain("so that there is a bank")
        found.put_config({"embedder": endpoint.model()})
        found.put_hub("notes", public=True)
        found.create_doc(JOURNEY)
        found.create_doc("# Diary of nobody\n\nThe MCP server was built in secret.\n", is_draft=True)
        found.run_jobs()
        yield found


def chunks(found: q.HubRecalled) -> list[q.ChunkFound]:
    assert all(isinstance(row, q.ChunkFound) for row in found.results)
    return found.results  # type: ignore[return-value]


def by_meaning(endpoint: Endpoint, question: str) -> list[tuple[str, float]]:
    """(month, cosine), the nearest first, by the model itself."""
    texts = [f"Journey > {month}\n## {month}\n\n{said}" for month, said in TOLD.items()]
    cosines = np.asarray(endpoint.table.embed(texts)) @ np.asarray(endpoint.table.embed([question]))[0]
    return sorted(zip(TOLD, map(float, cosines), strict=True), key=lambda pair: -pair[1])


def by_words(question: str) -> list[str]:
    """Months that have a word of the question, by plain BM25, the best first."""
    bags = {month: text.terms(f"Journey {month} {month} {said}", 1) for month, said in TOLD.items()}
    average = sum(map(len, bags.values())) / len(bags)
    scores = dict.fromkeys(bags, 0.0)
    for term in text.terms(question, 1):
        holding = sum(term in bag for bag in bags.values())
        for month, bag in bags.items():
            tf = bag.count(term)
            idf = math.log(1 + (len(bags) - holding + 0.5) / (holding + 0.5))
            scores[month] += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(bag) / average))
    return sorted((month for month in scores if scores[month]), key=lambda month: -scores[month])


def test_what_says_it_literally_is_first(memory: Memory, endpoint: Endpoint) -> None:
    """The page's own example, with ranks and scores by hand."""
    found = memory.hub_recall("notes", "MCP server", hybrid=True, k=6)
    meant, said = [month for month, _ in by_meaning(endpoint, "MCP server")], by_words("MCP server")
    assert said == ["March", "May", "July"]
    expected = []
    for month in TOLD:
        ranks = (meant.index(month) + 1, said.index(month) + 1 if month in said else None)
        expected.append((month, *ranks, round(sum(1 / (60 + rank) for rank in ranks if rank), 5)))
    expected.sort(key=lambda row: (-row[3], row[1]))
    assert [(row.heading, row.vector_rank, row.fts_rank, row.rrf_score) for row in chunks(found)] == expected
    first = chunks(found)[0]
    assert "Built the MCP server" in first.markdown and (first.vector_rank, first.fts_rank, first.rrf_score) == (1, 1, round(2 / 61, 5))
    meta = found.meta
    assert (meta.retrieval, meta.model, meta.dim, meta.hybrid, found.degraded) == ("hybrid_rrf", "table", 256, True, False)
    assert meta.timing_ms.embed > 0


def test_without_hybrid_the_vectors_alone_decide(memory: Memory, endpoint: Endpoint) -> None:
    found = memory.hub_recall("notes", "an interface for assistants", k=4)
    nearest = by_meaning(endpoint, "an interface for assistants")[:4]
    assert [row.heading for row in chunks(found)] == [month for month, _ in nearest]
    assert [row.distance for row in chunks(found)] == pytest.approx([1 - cosine for _, cosine in nearest], abs=0.01)
    assert all(row.rrf_score is row.fts_rank is UNSET for row in chunks(found))
    assert (found.meta.retrieval, found.degraded) == ("vector", False)


def test_no_word_at_all_leaves_the_vectors(memory: Memory) -> None:
    found = memory.hub_recall("notes", "xylophone", hybrid=True, k=3)
    assert [(row.vector_rank, row.fts_rank) for row in chunks(found)] == [(1, None), (2, None), (3, None)]
    assert found.meta.retrieval == "hybrid_rrf"


def test_documents_and_bundles_by_vectors(memory: Memory, endpoint: Endpoint) -> None:
    other = memory.create_doc("# Cycling\n\nOn two wheels through the country.\n").id
    memory.embed_doc(other)
    found = memory.hub_recall("notes", "bike tour", level="doc")
    assert next(row.id for row in found.results if isinstance(row, q.DocFound)) == other
    assert found.meta.retrieval == "vector" and not found.degraded
    wheels, river = memory.create_bundle("On wheels", [other]).id, memory.create_bundle("Cooking", []).id
    assert memory.hub_recall("notes", "bike tour", level="bundle").degraded  # no vectors yet
    memory.embed_bundle(wheels)
    memory.embed_bundle(river)
    found = memory.hub_recall("notes", "bike tour", level="bundle")
    assert [row.id for row in found.results if isinstance(row, q.BundleFound)] == [wheels, river]
    assert found.meta.retrieval == "vector" and not found.degraded


def test_bundles_follow_their_words_and_their_members_gates(memory: Memory, endpoint: Endpoint) -> None:
    other = memory.create_doc("# Cycling\n\nOn two wheels through the country.\n").id
    bundle = memory.create_bundle("Wheels", [other]).id
    memory.run_jobs()
    endpoint.texts = []
    for change, words in (
        (lambda: memory.update_bundle(bundle, description="Of all kinds."), "Wheels\nOf all kinds.\nCycling"),
        (lambda: memory.set_access(other, is_draft=True), "Wheels\nOf all kinds."),
    ):
        change()
        assert memory.hub_recall("notes", "bike", level="bundle").meta.retrieval == "fts"  # never by what was made of other words
        memory.run_jobs()
        assert words in endpoint.texts
        assert memory.hub_recall("notes", "bike", level="bundle").meta.retrieval == "vector"
    memory.set_access(other, is_draft=False)
    memory.run_jobs()
    asked = len(endpoint.texts)
    memory.set_bundle_access(bundle, is_draft=True)
    memory.run_jobs()
    assert len(endpoint.texts) == asked


@pytest.mark.parametrize("bad", [500, "narrow"])
def test_words_answer_when_the_embedder_fails(memory: Memory, endpoint: Endpoint, bad: int | str) -> None:
    memory.hub_recall("notes", "MCP server")
    endpoint.bad = bad
    for hybrid in (True, False):
        found = memory.hub_recall("notes", "MCP server", hybrid=hybrid)
        assert chunks(found)[0].heading == "March"
        assert (found.meta.retrieval, found.meta.model, found.degraded) == ("fts", None, True)


def test_a_reranker_orders_the_first(memory: Memory, endpoint: Endpoint) -> None:
    memory.put_config({"embedder": endpoint.model(), "reranker": endpoint.model()})
    assert not memory.hub_recall("notes", "MCP server").meta.reranked
    for level in ("chunk", "doc"):
        found = memory.hub_recall("notes", "a ride by the water", rerank=True, k=2, level=level)
        scores = [row.rerank_score for row in found.results]
        assert found.meta.reranked and len(scores) == (2 if level == "chunk" else 1)
        assert scores == sorted(scores, key=lambda score: -float(str(score)))
    assert chunks(memory.hub_recall("notes", "a ride by the water", rerank=True, k=1))[0].heading == "June"
    endpoint.bad = 500
    found = memory.hub_recall("notes", "MCP server", rerank=True)
    assert not found.meta.reranked and found.degraded and found.results


def test_who_asks_a_model_doesnt_stop_a_server(memory: Memory) -> None:
    def waits() -> bool:
        return memory.service.waits(BY_NAME["hub_recall"], Scope("default"), q.HubRecall(slug="notes", question="x"))

    assert waits()
    memory.put_config({})
    assert not waits()
