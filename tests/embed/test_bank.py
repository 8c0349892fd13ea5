"""A bank's vectors: each text goes to the embedder once, whatever fails in between; what is kept is what the texts ask for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory_wire.client import Memory
from memory_wire.errors import Forbidden, Invalid, OutsideFailed, UnknownBank
from memory_wire.outside import Outside
from memory_wire.service import embedding
from tests.embed.endpoint import WORDLLAMA, Endpoint

LINES = [f"Section {number} tells of {thing} in its own words." for number, thing in enumerate(["owls", "rivers", "bread", "trains"] * 13)][
    :50
]


def kept(memory: Memory) -> list[tuple[int, int, bytes, bytes]]:
    """All rows of all spaces of the bank."""
    with memory.service.read() as reader:
        bank = reader.bank("default", memory.bank)
        assert bank is not None
        return [
            (space.dimension, row.unit, row.key, row.row)
            for space in reader.embeddings.spaces(bank)
            for _, row in reader.embeddings.after(space, 0, 10_000)
        ]


def whole(memory: Memory) -> None:
    """Everything is there, once, and right."""
    state = memory.embedding_status()
    assert (state.state, state.units_left, state.former, state.failure) == ("ready", 0, False, None)
    assert memory.verify_embedding(sample=16).findings == []


def test_what_is_written_is_embedded_in_the_background(memory: Memory, endpoint: Endpoint) -> None:
    memory.retain_batch([{"content": text} for text in LINES])
    assert memory.embedding_status().state == "building"
    assert memory.run_jobs().jobs == []
    assert sorted(endpoint.texts) == sorted(LINES)
    whole(memory)
    assert memory.embedding_status().passages == len(LINES) + 1


def test_the_same_again_costs_nothing_and_one_change_one_call(memory: Memory, endpoint: Endpoint) -> None:
    def save(lines: list[str]) -> None:
        for number, text in enumerate(lines):
            memory.retain(text, document_id=f"d{number}", update_mode="replace")
        memory.run_jobs()

    save(LINES)
    assert len(endpoint.texts) == 50
    endpoint.calls, endpoint.texts = 0, []
    save(LINES)
    assert endpoint.calls == 0
    save([*LINES[:20], "Section 20 was written anew.", *LINES[21:]])
    assert (endpoint.calls, endpoint.texts) == (1, ["Section 20 was written anew."])
    whole(memory)
    assert len(kept(memory)) == 51


def test_of_a_long_text_only_the_passage_that_changed(memory: Memory, endpoint: Endpoint) -> None:
    parts = [" ".join(f"{word}{number}" for word in ("alpha", "beta", "gamma", "delta") * 17) + ".\n" for number in range(50)]
    memory.retain("".join(parts), document_id="d", update_mode="replace")
    memory.run_jobs()
    assert len(endpoint.texts) == 50
    endpoint.calls, endpoint.texts = 0, []
    parts[30] = parts[30].replace("alpha30", "omega30")
    memory.retain("".join(parts), document_id="d", update_mode="replace")
    memory.run_jobs()
    assert (endpoint.calls, endpoint.texts) == (1, [parts[30].strip()])
    whole(memory)


def test_a_text_longer_than_a_slice_goes_on_where_it_was(memory: Memory, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "PASSAGES", 7)
    monkeypatch.setattr(embedding, "SECONDS", 0.0)
    memory.retain("\n".join(" ".join(f"w{number}x{n}" for n in range(80)) + "." for number in range(30)))
    memory.run_jobs()
    assert len(endpoint.texts) == len(set(endpoint.texts)) == 30
    whole(memory)


def test_what_is_deleted_goes(memory: Memory, endpoint: Endpoint) -> None:
    ids = [memory.retain(text).id for text in LINES[:3]]
    memory.run_jobs()
    memory.forget(ids[1])
    memory.run_jobs()
    assert len(kept(memory)) == 3
    whole(memory)
    memory.delete_bank("b", confirm="b")
    with memory.service.read() as reader, pytest.raises(UnknownBank):
        embedding.place_of(reader, "default", "b")
    assert memory.service.store.submit(lambda tx: tx._execute("SELECT count(*) FROM embedding").fetchone()[0]) == 0  # type: ignore[attr-defined]


def test_equal_texts_of_two_banks_are_embedded_once(memory: Memory, endpoint: Endpoint) -> None:
    memory.copy_bank("b", "c")
    assert memory.embedding_status(bank="c").state == "waiting"
    memory.run_jobs()
    assert memory.embedding_status(bank="c").state == "ready"
    assert endpoint.calls == 0


def test_merged_memories_get_their_vectors(memory: Memory, endpoint: Endpoint) -> None:
    memory.retain("only in the other", bank="c")
    memory.retain("a later one in the first")
    memory.run_jobs()
    memory.merge_bank("c", "b")
    memory.run_jobs()
    assert memory.embedding_status().units == 3
    whole(memory)


def test_another_model_is_another_space(memory: Memory, endpoint: Endpoint) -> None:
    memory.retain_batch([{"content": text} for text in LINES[:5]])
    memory.run_jobs()
    with Endpoint(64) as small:
        memory.put_config({"embedder": small.model()})
        state = memory.embedding_status()
        assert (state.state, state.former, state.units_left) == ("waiting", True, 6)
        assert {row[0] for row in kept(memory)} == {256}
        small.bad = 500
        memory.run_jobs()
        assert {row[0] for row in kept(memory)} == {256}  # the former ones stay until the others are there
        small.bad = None
        memory.run_jobs(retry=True)
        assert {row[0] for row in kept(memory)} == {64}
        assert len(small.texts) == 7  # with the one that asks for the dimension
        whole(memory)


def test_a_flapping_endpoint_loses_nothing(memory: Memory, endpoint: Endpoint) -> None:
    base, late = memory.service.now, 0
    memory.service.now = lambda: base() + late
    for place, bad in enumerate((500, None, 429, "short", None, "narrow", "NaN", None)):
        endpoint.bad = bad
        memory.retain_batch([{"content": f"{place}: {text}"} for text in LINES[:4]])
        late += 3_600_000
        memory.run_jobs()
        assert [hit.content for hit in memory.recall(f"{place} owls", k=1)]
        if bad is None:
            whole(memory)
        else:
            assert (memory.embedding_status().failure or "").startswith("OutsideFailed")
    assert memory.embedding_status().units == 33
    assert {row[0] for row in kept(memory)} == {256}
    assert {len(row[3]) for row in kept(memory)} == {260}


def test_another_dimension_than_before_is_refused(memory: Memory, endpoint: Endpoint) -> None:
    memory.retain("one more")
    endpoint.bad = "narrow"
    with pytest.raises(OutsideFailed, match="64 dimensions, before they were 256"):
        memory.run_embedding()
    endpoint.bad = None
    assert memory.run_embedding().passages == 1
    whole(memory)


def test_killed_while_building_it_goes_on(tmp_path: Path, endpoint: Endpoint) -> None:
    path = str(tmp_path / "memory.db")
    with Memory(path, bank="b") as memory:
        memory.retain_batch([{"content": f"{number}: {text}"} for number in range(12) for text in LINES])
    code = (
        "import sys; from memory_wire.client import Memory; from memory_wire.service import embedding; embedding.PASSAGES = 20\n"
        f"with Memory({path!r}, bank='b') as m: m.put_config({{'embedder': {endpoint.model()!r}}}); m.run_jobs()"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        while len(endpoint.texts) < 150 and process.poll() is None:
            time.sleep(0.005)
        assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
    with Memory(path, bank="b") as memory:
        before = memory.embedding_status()
        assert 0 < before.units < 600
        memory.run_embedding(limit=10_000)
        whole(memory)
        assert len(set(endpoint.texts)) == 601
        assert len(endpoint.texts) <= 601 + 20 * 2  # at most what was under way is asked for again
    assert len(kept_of(path)) == 600


def kept_of(path: str) -> list[tuple[int, int, bytes, bytes]]:
    with Memory(path, bank="b") as memory:
        return kept(memory)


def test_a_dry_run_asks_for_no_text_and_tells_the_cost(memory: Memory, endpoint: Endpoint) -> None:
    memory.retain_batch([{"content": text} for text in LINES])
    plan = memory.run_embedding(dry_run=True, price=2.0)
    assert (plan.units, plan.passages, plan.known, endpoint.calls) == (50, 50, 0, 0)
    assert plan.tokens == sum(-(-len(text) // 4) for text in LINES)
    assert plan.cost == round(plan.tokens * 2 / 1e6, 6)
    assert memory.run_embedding(limit=10_000).passages == 50


def test_verify_finds_what_is_wrong(memory: Memory, endpoint: Endpoint) -> None:
    memory.retain_batch([{"content": text} for text in LINES[:3]])
    memory.run_jobs()
    units = [row[1] for row in kept(memory)]

    def damage(tx: object) -> None:
        execute = tx._execute  # type: ignore[attr-defined]
        execute("DELETE FROM embedding WHERE unit = ?", (units[0],))
        execute("UPDATE embedding SET key = zeroblob(16) WHERE unit = ?", (units[1],))
        execute("UPDATE embedding SET row = substr(row, 1, 9) WHERE unit = ?", (units[2],))
        execute("INSERT INTO embedding (space, unit, passage, key, row) SELECT space, 999, 0, key, row FROM embedding LIMIT 1")

    memory.service.store.submit(damage)
    found = memory.verify_embedding().findings
    for words in ("no vector", "of another text", "a damaged vector", "1 of texts that are gone"):
        assert any(words in finding for finding in found), (words, found)


def test_verify_notices_another_model_of_the_same_name(memory: Memory, endpoint: Endpoint) -> None:
    endpoint.table.rows = endpoint.table.rows[::-1].copy()
    proof = memory.verify_embedding()
    assert proof.findings[0].startswith("the model makes other vectors than it did")


def test_texts_are_embedded_on_request(memory: Memory, endpoint: Endpoint) -> None:
    memory.put_config({"embedder": {**WORDLLAMA, "query_prefix": "query: ", "document_prefix": "passage: "}})
    one, two = memory.embed(["owls", "owls"]).vectors
    assert one == two
    assert len(one) == 256
    assert memory.embed(["owls"], query=True).vectors[0] != one
    for texts in ([], ["a"] * 65, ["a" * 40_000]):
        with pytest.raises(Invalid, match="texts"):
            memory.embed(texts)


def test_without_an_embedder_it_is_said_how_one_is_configured(tmp_path: Path) -> None:
    with Memory(str(tmp_path / "memory.db")) as memory:
        memory.retain("one")
        assert memory.embedding_status().state == "off"
        for call in (lambda: memory.embed(["a"]), memory.run_embedding, memory.verify_embedding):
            with pytest.raises(Invalid, match=r"MEMORY_WIRE_EMBEDDER.*pip install 'memory-wire\[dense\]'"):
                call()
        assert memory.jobs().jobs == []


def test_the_server_names_one_for_all_and_a_bank_another_or_none(
    tmp_path: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    import json

    monkeypatch.setenv("MEMORY_WIRE_EMBEDDER", json.dumps(endpoint.model()))
    with Memory(str(tmp_path / "memory.db")) as memory:
        memory.retain("for all")
        memory.retain("for none", bank="n")
        memory.put_config({"embedder": "none"}, bank="n")
        memory.run_jobs()
        assert memory.embedding_status().state == "ready"
        assert memory.embedding_status(bank="n").state == "off"
        assert endpoint.texts == ["dimension", "for all"]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("some", 'must be "none" or an object'),
        ({"kind": "magic"}, "none, endpoint, onnx, static"),
        ({"kind": "endpoint"}, "needs a url"),
        ({"kind": "endpoint", "url": "http://a"}, "name of its model"),
        ({"kind": "endpoint", "url": "http://a", "model": "m", "key": "sk-1"}, "env:NAME or file:PATH"),
        ({"kind": "onnx"}, "needs the path"),
        ({"kind": "static", "path": "/m", "url": "http://a"}, "url is no option of kind static"),
        ({"kind": "onnx", "path": "/m", "pooling": "max"}, "mean or cls"),
        ({"kind": "onnx", "path": "/m", "dimension": 0}, "dimension must be 1 to 4096"),
        ({"kind": "onnx", "path": "/m", "seconds": 99}, "seconds must be at most 50"),
        ({"kind": "onnx", "path": "/m", "colour": "red"}, "colour"),
        ({"kind": "endpoint", "url": "http://a", "model": "m", "price": -1}, "price"),
        ({"kind": "onnx", "path": 5}, "path"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(memory: Memory, value: object, said: str) -> None:
    with pytest.raises(Invalid, match=said):
        memory.put_config({"embedder": value})


def test_only_who_runs_the_store_names_models(memory: Memory, endpoint: Endpoint) -> None:
    from memory_wire import types as t
    from memory_wire.service import models

    scope = t.Scope("b", "default", t.Caller(key="k", account=1, account_name="own", rights="write"))
    former = memory.get_config()
    models.check(former, former, scope)
    models.check(b'{"embedder":"none"}', former, scope)
    with pytest.raises(Forbidden):
        models.check(b'{"embedder":{"kind":"static","path":"/m"}}', former, scope)


def test_the_child_is_gone_after_quiet(memory: Memory, outside: Outside) -> None:
    memory.embed(["owls"])
    child = memory.service.outside.lanes["model"][0]
    assert child.pid
    memory.service.idle()
    assert not child.pid
