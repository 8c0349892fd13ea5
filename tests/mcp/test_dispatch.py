"""Messages to answers, in process: both eras, what belongs to which, and the numbers of errors."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from memory_wire import config
from memory_wire.mcp import eras
from memory_wire.mcp.steps import Run
from tests.mcp.tried import CAPABILITIES, META, SERVER, VERSION, Json, Tried


@pytest.fixture
def tried() -> Iterator[Tried]:
    found = Tried()
    yield found
    assert not found.errors


def code(answer: Json) -> int:
    found: int = answer["error"]["code"]
    return found


# eras ------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", eras.LEGACY)
def test_a_handshake_settles_the_version_that_is_asked_for(version: str, tried: Tried) -> None:
    found = tried.ask("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}})
    assert found["result"] == {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": SERVER, "instructions": "how"}
    assert tried.peer.version == version


@pytest.mark.parametrize("version", ["2024-10-07", "2026-07-28", "2099-01-01", ""])
def test_an_unknown_version_is_answered_with_the_newest_of_its_era(version: str, tried: Tried) -> None:
    assert tried.ask("initialize", {"protocolVersion": version})["result"]["protocolVersion"] == "2025-11-25"


def test_a_handshake_is_taken_at_any_time(tried: Tried) -> None:
    assert tried.modern("server/discover")["result"]["supportedVersions"] == ["2026-07-28"]
    assert tried.ask("tools/list")["result"] == {"tools": []}
    assert tried.ask("initialize", {"protocolVersion": "2025-03-26"})["result"]["protocolVersion"] == "2025-03-26"
    assert tried.modern("tools/list")["result"]["resultType"] == "complete"
    assert tried.ask("initialize", {"protocolVersion": "2025-11-25"})["result"]["protocolVersion"] == "2025-11-25"


def test_a_modern_result_says_what_it_is_from_whom_and_how_long_it_holds(tried: Tried) -> None:
    stamp = {"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": SERVER}}
    cache = {"ttlMs": 0, "cacheScope": "private"}
    assert tried.modern("tools/list")["result"] == {**stamp, "tools": [], **cache}
    assert tried.modern("server/discover")["result"] == {
        **stamp,
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
        "instructions": "how",
        **cache,
    }
    called = tried.modern("tools/call", name="x")["result"]
    assert called["resultType"] == "complete" and "ttlMs" not in called
    assert tried.ask("tools/list")["result"] == {"tools": []}


@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "resources/subscribe", "nothing", ""])
def test_what_the_modern_era_has_dropped_is_unknown_to_it(method: str, tried: Tried) -> None:
    task = tried.begin({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": META}})
    assert task is not None and task.fault is not None
    assert (task.fault.code, task.fault.status) == (-32601, 404)


@pytest.mark.parametrize("method", ["server/discover", "subscriptions/listen", "nothing"])
def test_what_only_the_modern_era_has_is_unknown_to_the_other(method: str, tried: Tried) -> None:
    task = tried.begin({"jsonrpc": "2.0", "id": 1, "method": method})
    assert task is not None and task.fault is not None
    assert (task.fault.code, task.fault.status) == (-32601, 200)


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ({VERSION: "2026-07-28"}, -32602),
        ({CAPABILITIES: {}}, -32602),
        ({**META, VERSION: 20260728}, -32602),
        ({**META, CAPABILITIES: []}, -32602),
        ({**META, CAPABILITIES: None}, -32602),
        ({**META, VERSION: "2025-11-25"}, -32022),
        ({**META, VERSION: "2099-01-01"}, -32022),
        ([], -32602),
        ("text", -32602),
    ],
)
def test_an_incomplete_meta(meta: object, expected: int, tried: Tried) -> None:
    found = tried.ask("tools/list", {"_meta": meta})
    assert code(found) == expected
    if expected == -32022:
        assert isinstance(meta, dict)
        assert found["error"]["data"] == {"supported": ["2026-07-28"], "requested": meta[VERSION]}


def test_what_a_client_must_be_able_to_do(tried: Tried) -> None:
    found = tried.modern("need")
    assert found["error"]["code"] == -32021 and found["error"]["data"] == {"requiredCapabilities": {"sampling": {}}}
    assert "result" in tried.ask("need", {"_meta": {**META, CAPABILITIES: {"sampling": {}}}})
    assert "result" in tried.ask("need")


@pytest.mark.parametrize(
    ("version", "kinds", "structured"),
    [
        ("2024-11-05", ["text", "text", "text"], False),
        ("2025-03-26", ["text", "audio", "text"], False),
        ("2025-06-18", ["resource_link", "audio", "text"], True),
        ("2025-11-25", ["resource_link", "audio", "text"], True),
    ],
)
def test_old_versions_get_what_they_know(version: str, kinds: list[str], structured: bool, tried: Tried) -> None:
    tried.peer.version = version
    found = tried.ask("tools/call", {"name": "x"})["result"]
    assert [block["type"] for block in found["content"]] == kinds
    assert ("structuredContent" in found) is structured


# JSON-RPC --------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", [0, -1, 2**53, "", "a", "é\u2028"])
def test_an_answer_has_the_id_of_its_request(id: object, tried: Tried) -> None:
    assert tried.ask("ping", id=id) == {"jsonrpc": "2.0", "id": id, "result": {}}


@pytest.mark.parametrize("id", [None, 1.5, True, [], {}])
def test_an_id_that_is_none(id: object, tried: Tried) -> None:
    found = tried.ask("ping", id=id)
    assert found["id"] is None and code(found) == -32600


@pytest.mark.parametrize(
    "message",
    [
        1,
        "text",
        None,
        {},
        {"id": 1, "method": "ping"},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "method": 5},
        {"jsonrpc": "2.0", "method": None},
        {"jsonrpc": "2.0", "method": "x", "params": []},
    ],
)
def test_what_is_no_message(message: object, tried: Tried) -> None:
    task = tried.begin(message)
    assert task is not None and task.done and task.fault is not None
    assert (task.fault.code, task.fault.status) == (-32600, 400)


@pytest.mark.parametrize("params", [[], [1], "x", 1, None])
def test_params_that_are_no_object(params: object, tried: Tried) -> None:
    task = tried.begin({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": params})
    assert task is not None and task.fault is not None and task.fault.code == -32602


def test_notifications_and_strange_answers_are_not_answered(tried: Tried) -> None:
    for message in (
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/unheard", "params": {"a": 1}},
        {"jsonrpc": "2.0", "method": "tools/list"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "gone"}},
        {"jsonrpc": "2.0", "id": "never asked", "result": {}},
        {"jsonrpc": "2.0", "id": "never asked", "error": {"code": 1, "message": "no"}},
    ):
        assert tried.begin(message) is None


def test_a_batch_is_for_the_one_version_that_has_them(tried: Tried) -> None:
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "nothing"},
        7,
        {"jsonrpc": "2.0", "id": 3, "method": "run"},
    ]
    for version in ("", "2024-11-05", "2025-06-18", "2025-11-25"):
        tried.peer.version = version
        task = tried.begin(batch)
        assert task is not None and task.fault is not None and task.fault.code == -32600
    tried.peer.version = "2025-03-26"
    task = tried.begin(batch)
    assert task is not None
    step = task.advance()
    assert isinstance(step, Run) and not task.done
    assert task.advance({"banks": []}) is None
    answers = json.loads(task.answer)
    assert [answer["id"] for answer in answers] == [1, 2, None, 3]
    assert [answer.get("error", {}).get("code") for answer in answers] == [None, -32601, -32600, None]
    assert answers[3]["result"] == {"ran": {"banks": []}}


@pytest.mark.parametrize("batch", [[], [{"jsonrpc": "2.0", "id": 1, "method": "ping"}] * (config.MCP_BATCH + 1)])
def test_an_empty_or_overlong_batch(batch: list[object], tried: Tried) -> None:
    tried.peer.version = "2025-03-26"
    task = tried.begin(batch)
    assert task is not None and task.fault is not None and task.fault.code == -32600


def test_a_batch_can_not_shake_hands_and_may_need_no_answer(tried: Tried) -> None:
    tried.peer.version = "2025-03-26"
    task = tried.begin([{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}])
    assert task is not None and task.fault is not None and tried.peer.version == "2025-03-26"
    assert tried.begin([{"jsonrpc": "2.0", "method": "notifications/initialized"}]) is None


def test_what_nobody_expected_is_not_told_to_the_client() -> None:
    tried = Tried()
    for method in ("boom", "odd"):
        found = tried.ask(method)
        assert found["error"] == {"code": -32603, "message": "internal error"}
    assert [type(error) for error in tried.errors] == [RuntimeError, TypeError]
