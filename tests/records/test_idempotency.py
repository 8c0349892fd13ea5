"""Calls that are repeated with the same key: over HTTP and MCP, at once, after a restart, after forgetting."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory_wire import config
from memory_wire import types as t
from memory_wire.client import Memory
from memory_wire.errors import IdempotencyConflict
from memory_wire.ops import BY_NAME
from tests.mcp.posting import calling, post
from tests.mcp.tried import Json
from tests.serve.serving import Reply, Serving

KEY = {"X-Idempotency-Key": "key-1"}
FACT = {"content": "Deploys run on Tuesday.", "fact_key": "day"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Serving]:
    with Serving(tmp_path) as found:
        yield found


def remember(server: Serving, body: object = FACT, headers: dict[str, str] = KEY) -> Reply:
    return server.ask("POST", "/v1/records", body, headers)


def test_thirty_two_writers_over_http_make_one_record(server: Serving) -> None:
    with ThreadPoolExecutor(32) as pool:
        replies = list(pool.map(lambda _: remember(server), range(32)))
    assert {reply.json["id"] for reply in replies} == {replies[0].json["id"]}
    assert sorted(reply.status for reply in replies) == [200] * 31 + [201]
    assert [reply.json["replayed"] for reply in replies].count(False) == 1
    assert all((reply.headers.get("idempotency-replayed") == "true") is reply.json["replayed"] for reply in replies)
    assert server.ask("GET", "/banks/default/stats").json["memories"] == 1


def test_thirty_two_writers_with_stores_of_their_own_make_one_record(tmp_path: Path) -> None:
    def write(number: int) -> str:
        with Memory(tmp_path / "memory.db", sync="normal") as memory:
            return memory.remember("Tuesday.", idempotency_key="k").id

    with ThreadPoolExecutor(32) as pool:
        ids = set(pool.map(write, range(32)))
    with Memory(tmp_path / "memory.db") as memory:
        assert len(ids) == 1 and memory.stats().memories == 1


def test_another_request_under_the_key_is_refused_and_told_nothing(server: Serving) -> None:
    secret = remember(server, {"content": "The first request.", "source": "of somebody"})
    other = remember(server, {"content": "Something else."})
    assert (other.status, other.json) == (
        409,
        {"error": {"code": "idempotency_conflict", "message": "idempotency key was used for another request"}},
    )
    assert secret.json["id"] not in str(other.json)
    assert (
        remember(server, {"content": "The first request.", "source": "of somebody", "confidence": 0.5, "workspace": "default"}).status
        == 200
    )
    assert remember(server, {"content": "The first request.", "source": "of somebody", "workspace": "other"}).status == 409


def test_the_key_in_body_or_header_is_the_same_and_bad_ones_are_refused(server: Serving) -> None:
    first = remember(server)
    assert remember(server, {**FACT, "idempotency_key": "key-1"}, {}).json["id"] == first.json["id"]
    for bad in ("", "with blank", "k" * 256, "gr\u00fcn"):
        answer = remember(server, {**FACT, "idempotency_key": bad}, {})
        assert (answer.status, answer.json["error"]["code"]) == (400, "idempotency_key_invalid")


def test_operations_have_keys_of_their_own(server: Serving) -> None:
    id = remember(server).json["id"]
    body = {"memory_id": id}
    first = server.ask("POST", "/v1/records/forget", body, KEY)
    again = server.ask("POST", "/v1/records/forget", body, KEY)
    assert first.json == {"forgotten": True, "count": 1, "ids": [id]} and "idempotency-replayed" not in first.headers
    assert again.json == {**first.json, "replayed": True} and again.headers["idempotency-replayed"] == "true"


def test_a_replay_after_forgetting_says_so_and_brings_nothing_back(server: Serving) -> None:
    id = remember(server).json["id"]
    server.ask("POST", "/v1/records/forget", {"memory_id": id})
    again = remember(server)
    assert (again.status, again.json["id"], again.json["replayed"], again.json["forgotten"]) == (200, id, True, True)
    assert server.ask("GET", f"/v1/records/{id}").status == 404
    assert server.ask("GET", "/banks/default/stats").json["memories"] == 0


def test_keys_survive_a_kill(tmp_path: Path) -> None:
    with Serving(tmp_path) as server:
        id = remember(server).json["id"]
        server.process.kill()
        server.process.wait()
    with Serving(tmp_path) as server:
        again = remember(server)
        assert (again.status, again.json["id"], again.json["replayed"]) == (200, id, True)


def test_a_refused_call_claims_nothing(server: Serving) -> None:
    assert remember(server, {"content": "x", "derived_from": ["nothing"]}).status == 400
    assert remember(server, {"content": " "}).json["error"]["code"] == "content_empty"
    assert remember(server, {"content": "x", "confidence": "high"}).json["error"]["code"] == "confidence_range"
    assert remember(server).status == 201


def test_mcp_takes_the_key_from_meta_or_the_header(server: Serving) -> None:
    call = calling("remember", **FACT)
    meta: Json = {**call, "params": {**call["params"], "_meta": {"memory-wire/idempotency-key": "key-1"}}}
    first = post(server, meta).json["result"]["structuredContent"]
    again = post(server, meta).json["result"]["structuredContent"]
    assert (first["replayed"], again["replayed"], again["id"]) == (False, True, first["id"])
    assert post(server, call, {"Accept": "application/json", **KEY}).json["result"]["structuredContent"]["id"] == first["id"]
    call["params"]["arguments"]["content"] = "Something else."
    refused = post(server, call, {"Accept": "application/json", **KEY}).json["result"]
    assert refused["isError"] is True and refused["content"][0]["text"] == "idempotency key was used for another request"


def test_keys_are_remembered_for_their_time(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", sync="normal") as memory:
        now = memory.service.now()
        first = memory.remember("Tuesday.", idempotency_key="k")
        memory.service.now = lambda: now + (config.IDEMPOTENCY_HOURS - 1) * 3_600_000
        assert memory.remember("Tuesday.", idempotency_key="k").id == first.id
        with pytest.raises(IdempotencyConflict):
            memory.remember("Friday.", idempotency_key="k")
        memory.service.now = lambda: now + (config.IDEMPOTENCY_HOURS + 1) * 3_600_000
        assert memory.remember("Friday.", idempotency_key="k").replayed is False
        assert config.IDEMPOTENCY_HOURS >= 24


def test_a_key_is_its_caller_s_own(memory: Memory) -> None:
    memory.remember("anything")

    def told(member: int | None, key: str) -> t.Remembered:
        caller = t.Caller(key=key, account=1, account_name="default", rights="write", member=member)
        request = t.Remember(content="A draft of mine.", fact_key="draft", visibility="author", idempotency_key="k")
        answer = memory.service.call(BY_NAME["remember"], t.Scope("default", "default", caller), request)
        assert isinstance(answer, t.Remembered)
        return answer

    memory.set_member("ann")
    memory.set_member("bob")
    first, again = told(1, "k1"), told(1, "k2")  # a member's next key goes on where the last one was
    assert again.id == first.id and again.replayed
    other = told(2, "k3")
    assert other.id != first.id and not other.replayed and other.conflict_with == []
    assert told(None, "k4").id not in (first.id, other.id)
