"""What is private is not there: two stores that differ in it alone answer everybody alike, to the byte, whatever is asked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from memory_wire import Memory
from memory_wire.errors import MemoryWireError, NotPublic
from memory_wire.guests import UnlockDoc
from memory_wire.ops import OPS
from memory_wire.questions import HubRecalled, RecallTiming
from memory_wire.service import passwords
from memory_wire.types import Scope
from tests.embed.endpoint import Endpoint
from tests.public.worlds import HIDDEN_SLUG, QUESTIONS, RANDOM_ID, SECRETS, SLUG, UNKNOWN_SLUG, Actions, Open, build, concepts_of, requests

RICH: Actions = [
    ("make", 0), ("make", 1), ("make", 2), ("bundle", 1), ("edit", 0), ("make", 3), ("bundle", 2), ("member", 3),
    ("draft", 1), ("edit", 2), ("show", 1), ("make", 4), ("delete", 2), ("edit", 1),
]  # fmt: skip
NO_TIME = RecallTiming(embed=0, search=0, rerank=0, total=0)
HIDDEN = 24  # private ids that are asked for: six turns of all gates
ACTIONS = st.lists(
    st.tuples(st.sampled_from(("make", "make", "edit", "draft", "show", "delete", "bundle", "member")), st.integers(0, 4)),
    min_size=3,
    max_size=12,
)


def compare(folder: Path, actions: Actions) -> None:
    """Builds both worlds, asks both all there is to ask."""
    worlds = [build(folder / str(number) / "memory.db", actions, secrets=number == 1) for number in range(2)]
    public, private = worlds[0].ids.shown[False], worlds[1].ids.shown[True]
    assert public == worlds[1].ids.shown[False]
    with Open(folder / "0") as plain, Open(folder / "1") as secret:
        concepts = concepts_of(plain)
        assert concepts == concepts_of(secret)
        asked = requests([*public, *private[:HIDDEN], RANDOM_ID], concepts)
        for request, one, other in zip(asked, plain.answers(asked), secret.answers(asked), strict=True):
            assert one == other, request
            assert one[0] < 500, request
        hidden(secret, private[:HIDDEN])
        assert plain.stop() == secret.stop() == 0
        assert "Traceback" not in plain.stderr + secret.stderr


def hidden(server: Open, private: list[str]) -> None:
    """In the world that has them, hidden ids and slugs answer as random ones do."""
    for name, random in [*((id, RANDOM_ID) for id in private), (HIDDEN_SLUG, UNKNOWN_SLUG)]:
        asked = [request for request in requests([name], ["lion"]) if name in request[1]]
        alike = [(verb, path.replace(name, random), body, headers) for verb, path, body, headers in asked]
        for request, one, other in zip(asked, server.answers(asked), server.answers(alike), strict=True):
            if one[2].startswith(b'{"usage"'):  # says nothing of any hub
                continue
            assert one == other, request
            assert one[0] in (400, 404), request


def test_a_world_with_a_little_of_everything(tmp_path: Path) -> None:
    (tmp_path / "0").mkdir()
    (tmp_path / "1").mkdir()
    compare(tmp_path, RICH)


@settings(max_examples=2, suppress_health_check=[HealthCheck.too_slow])
@given(ACTIONS)
def test_any_two_worlds(tmp_path_factory: pytest.TempPathFactory, actions: Actions) -> None:
    folder = tmp_path_factory.mktemp("worlds")
    (folder / "0").mkdir()
    (folder / "1").mkdir()
    compare(folder, actions)


def test_the_private_world_has_what_it_hides(tmp_path: Path) -> None:
    """The test above can fail: the owner sees all of it."""
    build(tmp_path / "memory.db", RICH, secrets=True)
    with Memory(tmp_path / "memory.db", bank="steppe") as memory:
        gates = {gate for row in [*memory.docs(limit=100).docs, *memory.docs(limit=100, deleted=True).docs] for gate in row.gates}
        assert gates >= {"draft", "private", "password", "allow_list", "expired", "deleted"}
        assert any(hit.content.count(SECRETS[0]) for hit in memory.recall("Kraken in the dark"))
        assert any(row.public and row.document_count > row.visible_count for row in memory.bundles(limit=100).bundles)


def test_lookups_of_what_is_hidden_and_of_nothing_run_the_same_statements(tmp_path: Path) -> None:
    """The same statements with the same plans: there is nothing to be measured."""
    private = build(tmp_path / "memory.db", RICH, secrets=True).ids.shown[True]
    with Memory(tmp_path / "memory.db", bank="steppe") as memory:
        for op in OPS:
            if op.public and "{id}" in op.http[1]:
                ran = [statements(memory, op.name, id) for id in (*private, RANDOM_ID)]
                assert ran[0] and all(one == ran[-1] for one in ran), op.name


def test_a_password_is_stretched_whatever_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes long takes as long for a document with a password, for one without, and for none."""
    private = build(tmp_path / "memory.db", RICH, secrets=True).ids.shown[True][:HIDDEN]
    stretched, counts = passwords.stretched, dict.fromkeys([*private, RANDOM_ID, "pub00000000000001"], 0)
    with Memory(tmp_path / "memory.db", bank="steppe") as memory:
        for id in counts:

            def counted(password: str, salt: bytes, id: str = id) -> bytes:
                counts[id] += 1
                return stretched(password, salt)

            monkeypatch.setattr(passwords, "stretched", counted)
            with pytest.raises(NotPublic):
                memory.call("unlock_doc", UnlockDoc(id=id, password="open sesame"))
    assert set(counts.values()) == {1}


def statements(memory: Memory, name: str, id: str) -> list[tuple[str, list[str]]]:
    """(statement without the id, its plan) of all that a lookup asks the store."""
    op = next(op for op in OPS if op.name == name)
    seen: list[str] = []
    with memory.service.read() as reader:
        connection = reader.connection
    connection.set_trace_callback(seen.append)
    try:
        with pytest.raises(MemoryWireError):
            memory.service.call(op, Scope("default"), op.request(id=id))
    finally:
        connection.set_trace_callback(None)
    asked = [text for text in seen if text.lstrip().upper().startswith(("SELECT", "WITH"))]
    plans = [[str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {text}")] for text in asked]
    return [(re.sub(re.escape(id), "?", text), plan) for text, plan in zip(asked, plans, strict=True)]


def test_vectors_of_what_is_private_move_nothing(tmp_path: Path) -> None:
    """The same with an embedder: nearest chunks, both lists together, documents, bundles."""
    answers = []
    with Endpoint() as endpoint:
        for secrets in (False, True):
            folder = tmp_path / str(secrets)
            world = build(folder / "memory.db", RICH, secrets)
            with Memory(folder / "memory.db", bank="steppe", sync="normal") as memory:
                memory.put_config({"embedder": endpoint.model()})
                memory.run_jobs()
                for bundle in world.bundles:
                    memory.embed_bundle(bundle)
                answers.append([asked(memory, **question) for question in QUESTIONS if str(question["question"]).strip()])
    assert answers[0] == answers[1]
    assert {answer.meta.retrieval for answer in answers[1]} == {"vector", "hybrid_rrf"}
    assert not any(answer.degraded for answer in answers[1])


def asked(memory: Memory, **question: Any) -> HubRecalled:
    """An answer without its times."""
    found = memory.hub_recall(SLUG, **question)
    return structs.replace(found, meta=structs.replace(found.meta, timing_ms=NO_TIME))
