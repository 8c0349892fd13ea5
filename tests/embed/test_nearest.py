"""The nearest of a bank and of its public projection; injection by both; who waits for a model, and who doesn't."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import UNSET

from memory_wire import types as t
from memory_wire.client import Client, Memory
from memory_wire.config import INJECT_SECONDS
from memory_wire.index.cache import PUBLIC
from memory_wire.service import near
from memory_wire.service.projection import Public
from tests.embed.endpoint import WORDLLAMA, Endpoint
from tests.embed.test_near import QUERY, TEXTS, best, cosines
from tests.serve.serving import Serving, request

PARTS = TEXTS[:12]


@pytest.fixture
def hub(memory: Memory) -> Iterator[tuple[Memory, list[str]]]:
    """A public hub of twelve documents, every third of which is a draft."""
    ids = [memory.create_doc(f"# {text}\n\n{text}\n").id for text in PARTS]
    memory.put_hub("owls", bank="b", public=True)
    for id in ids[::3]:
        memory.set_access(id, is_draft=True)
    memory.run_jobs()
    yield memory, ids


def asked(memory: Memory, query: str = QUERY) -> near.Question:
    with memory.service.read() as reader:
        bank = reader.bank("default", "b")
        assert bank is not None
        settings = memory.service.settings_of(bank, reader)
    found = near.question(memory.service, settings, query)
    assert found is not None
    return found


def test_the_nearest_of_a_bank_are_exact(memory: Memory, endpoint: Endpoint) -> None:
    ids = [memory.retain(text).id for text in TEXTS]
    memory.run_jobs()
    question = asked(memory)
    assert (question.dimension, question.model) == (256, "table")
    memory.forget(ids[TEXTS.index(best(cosines(endpoint, QUERY, TEXTS), 1)[0])])
    expected = cosines(endpoint, QUERY, [*TEXTS, "the first of all memories"])
    order = best(expected, len(expected))[1:]
    with memory.service.read() as reader:
        bank = reader.bank("default", "b")
        assert bank is not None
        found = near.nearest(memory.service, reader, bank, question, 9)
        assert found is not None
        texts = [unit.content for unit in (reader.found(bank, [id])[id] for id, _ in found)]
        assert texts == order[:9]
        assert [score for _, score in found] == pytest.approx([expected[text] for text in texts])
        some = [id for id, _ in found][::2]
        assert near.nearest(memory.service, reader, bank, question, 3, allowed=some) == found[::2][:3]
        assert near.nearest(memory.service, reader, bank, question, 999, allowed=[]) == []
        other = near.Question(bytes(16), question.vector, 256, "another")
        assert near.nearest(memory.service, reader, bank, other, 3) is None
    memory.put_config({})
    with memory.service.read() as reader:
        bank = reader.bank("default", "b")
        assert bank is not None
        assert near.question(memory.service, memory.service.settings_of(bank, reader), QUERY) is None


def shown(memory: Memory, k: int, allowed: list[int] | None = None) -> list[tuple[str, float]]:
    question = asked(memory)
    with Public(memory.service, "owls") as place:
        found = near.nearest(memory.service, place.reader, place.bank, question, k, PUBLIC, allowed)
        assert found is not None
        rows = place.reader.hubs.found(place.bank.id, [id for id, _ in found])
        assert len(rows) == len(found)
        return [(rows[id].document, score) for id, score in found]


def test_of_a_projection_only_what_everybody_may_see(hub: tuple[Memory, list[str]]) -> None:
    memory, ids = hub
    visible = [id for place, id in enumerate(ids) if place % 3]
    whole = shown(memory, 100)
    assert sorted(id for id, _ in whole) == sorted(visible)
    assert [score for _, score in whole] == sorted((score for _, score in whole), reverse=True)
    assert shown(memory, 5) == whole[:5]
    memory.set_access(whole[0][0], is_draft=True)
    assert shown(memory, 5) == whole[1:6]
    memory.set_access(whole[0][0], is_draft=False)
    assert shown(memory, 5) == whole[:5]
    memory.delete_doc(whole[1][0])
    assert shown(memory, 3) == [whole[0], *whole[2:4]]


def test_a_projection_of_few_among_many(hub: tuple[Memory, list[str]]) -> None:
    memory, _ = hub
    before = shown(memory, 4)
    memory.retain_batch([{"content": f"{QUERY} {number}"} for number in range(200)])
    memory.run_jobs()
    assert shown(memory, 4) == before


def injected(memory: Memory | Client, prompt: str, **more: object) -> t.Injected:
    return memory.inject(t.Inject(event="prompt", prompt=prompt, **more))  # type: ignore[arg-type]


def test_vectors_order_what_is_injected(memory: Memory, endpoint: Endpoint) -> None:
    memory.retain("Every door of the old castle needs repair, so the roof of the castle does.")
    memory.retain("The old castle needs repair: door.")
    memory.run_jobs()
    prompt = "Which door of the old castle needs repair?"
    plain = injected(memory, prompt)
    assert len(plain.entries) == 2
    assert plain.entries[0].vector_rank is UNSET
    for weight, ranks in ((0, [1, 2]), (9, None)):
        memory.put_config({"embedder": endpoint.model(), "fusion": "convex", "fusionWeight": weight})
        found = injected(memory, prompt)
        assert {entry.id for entry in found.entries} == {entry.id for entry in plain.entries}
        lexical, vector = [entry.lexical_rank for entry in found.entries], [entry.vector_rank for entry in found.entries]
        assert (lexical if ranks else vector) == [1, 2]
    endpoint.bad = 500
    assert injected(memory, prompt) == plain
    endpoint.bad = "hang"
    begun = time.monotonic()
    assert injected(memory, prompt) == plain
    assert time.monotonic() - begun > INJECT_SECONDS / 2  # it was asked


def test_a_prompt_that_says_nothing_asks_nobody(memory: Memory, endpoint: Endpoint) -> None:
    memory.put_config({"embedder": endpoint.model(), "fusion": "convex"})
    endpoint.calls = 0
    injected(memory, "ok, go on")
    assert endpoint.calls == 0


def test_the_first_recall_after_a_start_waits_for_the_model_elsewhere(tmp_path: Path, endpoint: Endpoint) -> None:
    with Serving(tmp_path) as server, Client("http://{}:{}".format(*server.address), bank="b") as client:
        client.retain_batch([{"content": text} for text in TEXTS])
        client.put_config({"embedder": endpoint.model(seconds=5), "fusion": "dense"})
        client.run_embedding()
        client.remember("Trains need repair.")
    with Serving(tmp_path) as server, Client("http://{}:{}".format(*server.address), bank="b") as client:
        endpoint.bad = "hang"
        with server.dial() as one, server.dial() as other:
            one.send(request("POST", "/banks/b/recall", {"query": QUERY}))
            other.send(request("POST", "/v1/records/search", {"query": QUERY, "workspace": "b"}))
            assert server.ask("GET", "/health").status == 200
            assert client.memories(bank="other") is not None
            endpoint.bad = None
            endpoint.held.set()
            assert (one.reply().status, other.reply().status) == (200, 200)
        assert not client.recall(QUERY).degraded


def test_a_model_that_is_slow_to_load_is_there_for_the_next(tmp_path: Path) -> None:
    with Memory(str(tmp_path / "memory.db"), bank="b") as memory:
        memory.retain_batch([{"content": text} for text in TEXTS[:20]])
        memory.put_config({"embedder": {**WORDLLAMA, "seconds": 0.001}, "fusion": "dense"})
        assert memory.recall(QUERY).degraded
        for _ in range(400):
            time.sleep(0.01)
            if memory.service.made:
                break
        memory.put_config({"embedder": WORDLLAMA, "fusion": "dense"})
        memory.run_jobs()
        assert not memory.recall(QUERY).degraded
