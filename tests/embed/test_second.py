"""The second look at a recall's results: by vectors, by a reranker, and without either when they fail."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from memory_wire.client import Client, Memory
from tests.embed.endpoint import Endpoint
from tests.serve.serving import Serving

TEXTS = [
    "The kitten slept on the warm rug all afternoon.",
    "The report on cat food sales grew by a tenth.",
    "A cat burglar was seen in the report.",
    "The cat rested on the carpet near the fire.",
    "Cat is also a command that shows files.",
]
QUERY = "cat sleeping on a rug"


@pytest.fixture
def filled(memory: Memory, endpoint: Endpoint) -> Memory:
    memory.retain_batch([{"content": text} for text in TEXTS])
    memory.run_jobs()
    return memory


def contents(memory: Memory, **how: object) -> list[str]:
    return [hit.content for hit in memory.recall(QUERY, **how)]  # type: ignore[arg-type]


def convex(endpoint: Endpoint, memory: Memory, weight: float) -> list[str]:
    """The order by definition, from the lexical scores and exact vectors."""
    hits = memory.recall(QUERY)
    texts = [hit.content for hit in hits]
    lexical = np.array([hit.score for hit in hits])
    meant = endpoint.table.embed(texts) @ endpoint.table.embed([QUERY])[0]
    total = (lexical - lexical.min()) / np.ptp(lexical) + weight * (meant - meant.min()) / np.ptp(meant)
    return [texts[place] for place in np.argsort(-total, kind="stable")]


@pytest.mark.parametrize("weight", [0.3, 1.5, 5.0])
def test_the_sum_is_that_of_both_sides(filled: Memory, endpoint: Endpoint, weight: float) -> None:
    expected = convex(endpoint, filled, weight)
    plain = contents(filled)
    filled.put_config({"embedder": endpoint.model(), "fusion": "convex", "fusionWeight": weight})
    assert contents(filled) == expected
    assert sorted(plain) == sorted(expected)
    hit = filled.recall(QUERY, explain=True, k=2)[0]
    assert hit.explain["lexical_rank"] >= 1
    assert 0 < hit.explain["vector_score"] <= 1
    assert len(contents(filled, k=2)) == 2


def test_the_budget_is_kept(filled: Memory, endpoint: Endpoint) -> None:
    filled.put_config({"embedder": endpoint.model(), "fusion": "convex"})
    whole = contents(filled)
    assert contents(filled, budget=-(-len(whole[0]) // 4)) == whole[:1]


@pytest.mark.parametrize("bad", [500, "narrow", "hang", "short"])
def test_without_vectors_the_words_decide(filled: Memory, endpoint: Endpoint, bad: int | str) -> None:
    plain = contents(filled)
    filled.put_config({"embedder": endpoint.model(seconds=0.3), "fusion": "convex", "fusionWeight": 5})
    meant = contents(filled)
    endpoint.bad = bad
    hits = filled.recall(QUERY)
    assert ([hit.content for hit in hits], hits.degraded) == (plain, True)
    endpoint.bad = None
    hits = filled.recall(QUERY)
    assert ([hit.content for hit in hits], hits.degraded) == (meant, False)


def test_while_vectors_are_built_the_words_decide(filled: Memory, endpoint: Endpoint) -> None:
    plain = contents(filled)
    with Endpoint(64) as small:
        filled.put_config({"embedder": small.model(), "fusion": "convex", "fusionWeight": 5})
        hits = filled.recall(QUERY)
        assert ([hit.content for hit in hits], hits.degraded) == (plain, True)
        filled.run_jobs()
        assert not filled.recall(QUERY).degraded


@pytest.mark.parametrize("shape", ["cohere", "tei"])
def test_a_reranker_orders_the_first(filled: Memory, endpoint: Endpoint, shape: str) -> None:
    plain = contents(filled)
    filled.put_config({"reranker": endpoint.model(shape=shape)})
    scores = dict(zip(TEXTS, endpoint.table.embed(TEXTS) @ endpoint.table.embed([QUERY])[0], strict=True))
    assert contents(filled) == sorted(plain, key=lambda text: -scores[text])
    filled.put_config({"reranker": endpoint.model(shape=shape, top=2)})
    assert contents(filled) == sorted(plain[:2], key=lambda text: -scores[text]) + plain[2:]
    endpoint.bad = 503
    hits = filled.recall(QUERY)
    assert ([hit.content for hit in hits], hits.degraded) == (plain, True)


def test_a_slow_reranker_is_left_out(filled: Memory, endpoint: Endpoint) -> None:
    plain = contents(filled)
    filled.put_config({"reranker": endpoint.model(seconds=0.2)})
    endpoint.bad = "hang"
    hits = filled.recall(QUERY)
    assert ([hit.content for hit in hits], hits.degraded) == (plain, True)


def test_a_server_says_so_and_answers_others_meanwhile(tmp_path: Path, endpoint: Endpoint) -> None:
    with Serving(tmp_path) as server, Client("http://{}:{}".format(*server.address), bank="b") as client:
        for text in TEXTS:
            client.retain(text)
        client.put_config({"embedder": endpoint.model(seconds=0.3), "fusion": "convex"})
        client.run_embedding()
        assert not client.recall(QUERY).degraded
        endpoint.bad = 500
        assert client.recall(QUERY).degraded
        reply = server.ask("POST", "/banks/b/recall", {"query": QUERY})
        assert reply.headers["x-memory-wire-degraded"] == "1"
        assert len(json.loads(reply.body)) == len(TEXTS)
