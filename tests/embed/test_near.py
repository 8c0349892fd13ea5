"""Vectors that bring candidates of their own: fusions by rank, vectors alone, questions without a word in common; filters; files."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from memory_wire import config
from memory_wire.client import Client, Memory
from memory_wire.index.vector_file import listed
from memory_wire.kernels import vec
from memory_wire.service import second, spaces
from tests.embed.endpoint import Endpoint
from tests.serve.serving import Serving

THINGS = ["owls", "rivers", "bread", "trains", "violins", "harbours", "winter", "maps", "bees", "castles"]
DOINGS = [
    "sleep at noon",
    "were sold in spring",
    "need repair",
    "are older than the town",
    "sound like rain",
    "cost too much",
    "follow the coast",
]
TEXTS = [f"The {thing} {doing}." for thing in THINGS for doing in DOINGS]
QUERY = "old trains that need to be mended"


@pytest.fixture
def filled(memory: Memory) -> Memory:
    for place, text in enumerate(TEXTS):
        memory.retain(text, tags=[f"t{place % 7}"], created_at=f"2024-01-{1 + place % 28:02}T00:00:00Z", session=f"s{place % 5}")
    memory.run_jobs()
    return memory


def cosines(endpoint: Endpoint, query: str, texts: list[str]) -> dict[str, float]:
    """Of rows as they are kept."""
    rows = vec.quantise(endpoint.table.embed(texts).astype("<f4").tobytes(), 256)
    kept = [rows[place * 260 : place * 260 + 260] for place in range(len(texts))]
    return dict(zip(texts, vec.dots(endpoint.table.embed([query]).astype("<f4").tobytes(), kept), strict=True))


def best(scores: dict[str, float], k: int) -> list[str]:
    return sorted(scores, key=lambda text: -scores[text])[:k]


def contents(memory: Memory, query: str = QUERY, **how: object) -> list[str]:
    return [hit.content for hit in memory.recall(query, **how)]  # type: ignore[arg-type]


def folder_of(memory: Memory, bank: str = "b") -> str:
    with memory.service.read() as reader:
        found = reader.bank("default", bank)
    assert found is not None
    return os.path.join(memory.service.index.cache.folder, f"{found.id}-vectors")


def test_vectors_alone_are_exact(filled: Memory, endpoint: Endpoint) -> None:
    filled.put_config({"embedder": endpoint.model(), "fusion": "dense"})
    scores = cosines(endpoint, QUERY, [*TEXTS, "the first of all memories"])
    hits = filled.recall(QUERY, k=12, explain=True)
    assert [hit.content for hit in hits] == best(scores, 12)
    assert all(abs(hit.score - scores[hit.content]) < 1e-6 for hit in hits)
    assert [hit.explain["vector_rank"] for hit in hits] == list(range(1, 13))
    assert len(contents(filled)) == len(TEXTS) + 1
    assert len(contents(filled, "zzz qqq", k=5)) == 5


@pytest.mark.parametrize(
    ("how", "lets"),
    [
        ({"tags": ["t3"]}, lambda place: place % 7 == 3),
        ({"exclude_tags": ["t1", "t2"]}, lambda place: place % 7 not in (1, 2)),
        ({"session": "s2"}, lambda place: place % 5 == 2),
        ({"since": "2024-01-10", "until": "2024-01-12"}, lambda place: place % 28 in (9, 10)),
        ({"tags": ["t3"], "session": "s1"}, lambda place: place % 7 == 3 and place % 5 == 1),
    ],
)
def test_filters_come_first(filled: Memory, endpoint: Endpoint, how: dict[str, object], lets: object) -> None:
    filled.put_config({"embedder": endpoint.model(), "fusion": "dense"})
    shown = [text for place, text in enumerate(TEXTS) if lets(place)]  # type: ignore[operator]
    expected = best(cosines(endpoint, QUERY, shown), 5)
    assert contents(filled, k=5, **how) == expected
    assert len(expected) == min(5, len(shown))


def test_what_is_deleted_or_replaced_takes_no_place(filled: Memory, endpoint: Endpoint) -> None:
    filled.put_config({"embedder": endpoint.model(), "fusion": "dense"})
    scores = cosines(endpoint, QUERY, [*TEXTS, "the first of all memories"])
    for hit in filled.recall(QUERY, k=30):
        filled.forget(hit.id)
    assert contents(filled, k=20) == best(scores, 50)[30:]
    filled.run_jobs()
    assert contents(filled, k=20) == best(scores, 50)[30:]


@pytest.mark.parametrize("weight", [None, 0.2, 5])
def test_reciprocal_ranks_are_those_of_the_definition(filled: Memory, endpoint: Endpoint, weight: float | None) -> None:
    k, order = 6, best(cosines(endpoint, QUERY, [*TEXTS, "the first of all memories"]), 24)
    words = contents(filled)[:24]
    filled.put_config({"embedder": endpoint.model(), "fusion": "rrf", "fusionWeight": weight})
    hits = filled.recall(QUERY, k=k, explain=True)

    def places(text: str) -> tuple[int | None, int | None]:
        return (order.index(text) + 1 if text in order else None, words.index(text) + 1 if text in words else None)

    def score(text: str) -> float:
        vector, lexical = places(text)
        return (1 / (60 + lexical) if lexical else 0) + ((1 if weight is None else weight) / (60 + vector) if vector else 0)

    late = float("inf")
    expected = sorted({*order, *words}, key=lambda text: (-score(text), *(place or late for place in places(text))))[:k]
    assert [hit.content for hit in hits] == expected
    assert [hit.score for hit in hits] == [round(score(text), 5) for text in expected]
    assert [(hit.explain["vector_rank"], hit.explain["lexical_rank"]) for hit in hits] == [places(text) for text in expected]


def test_the_first_by_both_has_two_of_sixty_one(memory: Memory, endpoint: Endpoint) -> None:
    memory.put_config({"embedder": endpoint.model(), "fusion": "rrf"})
    assert memory.recall("the first of all memories")[0].score == round(2 / 61, 5)


def test_ranks_of_no_weight_leave_the_order_of_words(filled: Memory, endpoint: Endpoint) -> None:
    filled.put_config({"embedder": endpoint.model(), "fusion": "rrf", "fusionWeight": 0})
    words = contents(filled, k=3)
    filled.put_config({"embedder": endpoint.model(), "fusion": "lexical"})
    assert contents(filled, k=3) == words


def test_without_a_word_in_common_vectors_find_it(filled: Memory, endpoint: Endpoint) -> None:
    question = "nocturnal birds snoozing"
    assert contents(filled, question) == []
    words = set(contents(filled, "sleeping owls"))
    filled.put_config({"embedder": endpoint.model(), "fusion": "convex"})
    found = contents(filled, question)
    assert found == best(cosines(endpoint, question, [*TEXTS, "the first of all memories"]), second.BROUGHT)
    assert contents(filled, question, min_score=0.1) == []
    assert set(contents(filled, "sleeping owls")) == words  # which say enough
    assert contents(filled, question, k=2, tags=["t5"]) == best(
        cosines(endpoint, question, [text for place, text in enumerate(TEXTS) if place % 7 == 5]), 2
    )


def test_a_search_tells_both_ranks(memory: Memory, endpoint: Endpoint) -> None:
    for text in TEXTS[:20]:
        memory.remember(text)
    memory.run_jobs()
    plain = memory.search(QUERY, limit=5)
    assert (plain.meta.retrieval, [hit.vector_rank for hit in plain.results]) == ("lexical", [None] * len(plain.results))
    order = best(cosines(endpoint, QUERY, TEXTS[:20]), 20)
    for fusion, name in (("rrf", "hybrid_rrf"), ("convex", "hybrid_convex"), ("dense", "vector")):
        memory.put_config({"embedder": endpoint.model(), "fusion": fusion})
        found = memory.search("owls that need repair", limit=5)
        assert (found.meta.retrieval, found.meta.degraded, len(found.results)) == (name, None, 5)
        assert all(hit.vector_rank for hit in found.results)
    assert [hit.content for hit in memory.search(QUERY, limit=5).results] == order[:5]
    endpoint.bad = 500
    failed = memory.search("owls that need repair", limit=5)
    assert (failed.meta.retrieval, failed.meta.degraded) == ("lexical", "vectors")
    assert all(hit.fts_rank and hit.vector_rank is None for hit in failed.results)


def test_files_are_made_and_give_the_same(filled: Memory, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.put_config({"embedder": endpoint.model(), "fusion": "dense"})
    plain = contents(filled)
    monkeypatch.setattr(config, "VECTORS_LOOSE", 10)
    filled.retain("One more, of trains again.")
    filled.run_jobs()
    assert listed(folder_of(filled), 1)
    assert [text for text in contents(filled) if "again" not in text] == plain
    filled.service.idle()
    assert [text for text in contents(filled) if "again" not in text] == plain
    path = next(Path(folder_of(filled)).glob("*.vec"))
    path.write_bytes(path.read_bytes()[:-9])
    filled.service.idle()
    endpoint.calls = 0
    assert [text for text in contents(filled) if "again" not in text] == plain
    assert endpoint.calls == 1  # the question's vector: nothing is embedded again


def test_a_recall_has_files_made(filled: Memory, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "VECTORS_LOOSE", 10)
    filled.put_config({"embedder": endpoint.model(), "fusion": "dense"})
    plain = contents(filled)
    for _ in range(400):
        if os.path.isdir(folder_of(filled)) and listed(folder_of(filled), 1):
            break
        time.sleep(0.01)
    assert listed(folder_of(filled), 1)
    assert contents(filled) == plain


def test_while_there_is_too_much_to_read_it_says_so(filled: Memory, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.put_config({"embedder": endpoint.model(), "fusion": "dense"})
    plain = contents(filled, k=3)
    filled.service.idle()
    monkeypatch.setattr(config, "VECTORS_INLINE", 5)
    hits = filled.recall(QUERY, k=3)
    assert hits.degraded
    assert hits
    for _ in range(400):
        hits = filled.recall(QUERY, k=3)
        if not hits.degraded:
            break
        time.sleep(0.01)
    assert [hit.content for hit in hits] == plain


def test_files_go_with_their_bank_and_with_what_is_erased(filled: Memory, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "VECTORS_LOOSE", 10)
    filled.put_config({"embedder": endpoint.model(), "fusion": "dense"})
    filled.run_embedding()
    folder = folder_of(filled)
    row = vec.quantise(endpoint.table.embed([TEXTS[5]]).astype("<f4").tobytes(), 256)[4:]
    assert any(row in path.read_bytes() for path in Path(folder).glob("*.vec"))
    filled.erase(id=filled.recall(TEXTS[5], k=1)[0].id)
    assert listed(folder, 1)
    assert not any(row in path.read_bytes() for path in Path(folder).glob("*.vec"))
    filled.copy_bank("b", "c")
    filled.run_jobs()
    assert contents(filled, bank="c", k=5) == contents(filled, k=5)
    filled.delete_bank("b", confirm="b")
    assert not os.path.exists(folder)
    assert contents(filled, bank="c", k=5)


def test_killed_while_files_are_written_nothing_is_wrong(tmp_path: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "memory.db")
    with Memory(path, bank="b") as memory:
        memory.retain_batch([{"content": text} for text in TEXTS])
        memory.put_config({"embedder": endpoint.model(), "fusion": "dense"})
        memory.run_jobs()
        plain = contents(memory)
        folder = folder_of(memory)
    code = (
        "from memory_wire import config; config.VECTORS_LOOSE = 0; config.INDEX_PAGE = 3\n"
        "from memory_wire.client import Memory; from memory_wire.service import spaces\n"
        f"m = Memory({path!r}, bank='b')\n"
        "while True:\n"
        "    with m.service.read() as reader:\n"
        "        bank = reader.bank('default', 'b'); space = reader.embeddings.spaces(bank)[0]; held = spaces.of(m.service)\n"
        "        held.of(reader, bank, space).build(spaces.Rows(m.service.store.id, reader, space), True)\n"
        "    print('made', flush=True)\n"
    )
    chance = random.Random(7)
    for _ in range(5):
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"made\n"
            time.sleep(chance.random() * 0.02)
            os.kill(process.pid, signal.SIGKILL)
        with Memory(path, bank="b") as memory:
            assert contents(memory) == plain
            assert listed(folder, 1)
    with Memory(path, bank="b") as memory:
        with memory.service.read() as reader:
            bank = reader.bank("default", "b")
            assert bank is not None
        spaces.of(memory.service).expunge(bank)
        assert not list(Path(folder).glob("*.tmp"))
        assert contents(memory) == plain


def test_a_server_answers_by_vectors(tmp_path: Path, endpoint: Endpoint) -> None:
    with Serving(tmp_path) as server, Client("http://{}:{}".format(*server.address), bank="b") as client:
        client.retain_batch([{"content": text} for text in TEXTS])
        client.put_config({"embedder": endpoint.model(), "fusion": "dense"})
        client.run_embedding()
        assert [hit.content for hit in client.recall(QUERY, k=5)] == best(cosines(endpoint, QUERY, TEXTS), 5)


def test_int8_loses_next_to_nothing(endpoint: Endpoint) -> None:
    """What is found for the ten nearest is at most .002 farther than the tenth by float32, among texts of nearly the same words."""
    texts = [f"{one} {other.lower()}" for one in TEXTS for other in TEXTS[::3]]
    found = np.unique(endpoint.table.embed(texts).astype("<f4"), axis=0)
    rows = vec.quantise(found.tobytes(), 256)
    piece = vec.Piece.of([(place, rows[place * 260 : place * 260 + 260]) for place in range(len(found))], 256)
    questions = endpoint.table.embed([f"{QUERY}, {thing} and {doing}" for thing in THINGS for doing in DOINGS]).astype("<f4")
    shared = 0
    for question, scores in zip(questions, questions @ found.T, strict=True):
        units = [unit for unit, _ in piece.search(question.tobytes(), 10)]
        order = np.argsort(-scores)[:10]
        assert scores[units].min() > scores[order[-1]] - 0.002
        shared += len(set(order.tolist()) & set(units))
    assert shared >= 0.99 * 10 * len(questions)
