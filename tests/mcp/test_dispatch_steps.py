"""What a handler may ask for on its way to the answer, in process: notifications, the client's word, subscriptions."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from memory_wire import config
from memory_wire.mcp.dispatch import Task
from memory_wire.mcp.steps import Hold, Send
from tests.mcp.tried import META, Json, Tried


@pytest.fixture
def tried() -> Iterator[Tried]:
    found = Tried()
    yield found
    assert not found.errors


def code(answer: Json) -> int:
    found: int = answer["error"]["code"]
    return found


# on the way ------------------------------------------------------------------------------------------------------------------------


def test_progress_only_for_those_who_ask(tried: Tried) -> None:
    assert tried.steps("report", {})[0] == [
        {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "warning", "data": "warning"}}
    ]
    sent, answer = tried.steps("report", {"_meta": {"progressToken": 0}})
    assert [message["params"] for message in sent[:2]] == [{"progressToken": 0, "progress": 1}, {"progressToken": 0, "progress": 2}]
    assert answer["result"] == {"done": True}


def test_log_messages_from_the_level_that_was_set(tried: Tried) -> None:
    for level, heard in (("debug", 2), ("warning", 1), ("error", 0)):
        assert tried.ask("logging/setLevel", {"level": level})["result"] == {}
        assert len(tried.steps("report", {})[0]) == heard
    assert code(tried.ask("logging/setLevel", {"level": "loud"})) == -32602
    assert code(tried.ask("logging/setLevel", {})) == -32602


def test_modern_log_messages_only_for_those_who_ask(tried: Tried) -> None:
    assert tried.steps("report", {"_meta": META})[0] == []
    for level, heard in (("debug", 2), ("warning", 1), ("error", 0), ("loud", 0)):
        assert len(tried.steps("report", {"_meta": {**META, "io.modelcontextprotocol/logLevel": level}})[0]) == heard


def test_a_handler_asks_the_client(tried: Tried) -> None:
    for message, expected in (
        ({"result": {"roots": []}}, {"told": {"roots": []}}),
        ({"error": {"code": -1, "message": "no"}}, {"refused": [-1, "no"]}),
        ({"error": {"code": "x"}}, {"refused": [-32603, "None"]}),
    ):
        task = tried.begin({"jsonrpc": "2.0", "id": 1, "method": "ask"})
        assert task is not None
        step = task.advance()
        assert isinstance(step, Send) and step.answer_to is not None and len(step.answer_to) == 32
        assert json.loads(step.data) == {"jsonrpc": "2.0", "id": step.answer_to, "method": "roots/list", "params": {}}
        came: list[object] = []
        task.resume = lambda found, value, came=came: came.append(value)  # type: ignore[misc]
        assert tried.begin({"jsonrpc": "2.0", "id": step.answer_to, **message}) is None
        assert tried.begin({"jsonrpc": "2.0", "id": step.answer_to, **message}) is None  # once
        assert len(came) == 1 and task.advance(came[0]) is None
        assert json.loads(task.answer)["result"] == expected
    assert not tried.dispatcher.asked


def test_a_cancelled_request_is_ended_and_not_answered(tried: Tried) -> None:
    task = tried.begin({"jsonrpc": "2.0", "id": "w", "method": "waits"})
    assert task is not None and isinstance(task.advance(), Hold)
    tried.peer.tasks["w"] = task
    assert tried.begin({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "w", "reason": "enough"}}) is None
    assert task.advance() is None
    assert task.answer == b"" and task.done and tried.closed == ["waits"]


# subscriptions ---------------------------------------------------------------------------------------------------------------------


def listening(tried: Tried, id: object = "s", **wanted: object) -> Task:
    task = tried.begin({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": {"notifications": wanted, "_meta": META}})
    assert task is not None
    return task


def sent(step: object) -> Json:
    assert isinstance(step, Send), step
    found: Json = json.loads(step.data)
    return found


def test_a_subscription_is_acknowledged_tagged_filtered_and_ended(tried: Tried) -> None:
    uris = ["memory://b/1", 5, "memory://b/2"]
    task = listening(tried, toolsListChanged=True, promptsListChanged=True, resourcesListChanged=False, resourceSubscriptions=uris)
    tag = {"_meta": {"io.modelcontextprotocol/subscriptionId": "s"}}
    first = sent(task.advance())
    assert first["method"] == "notifications/subscriptions/acknowledged"
    honoured = {"toolsListChanged": True, "resourceSubscriptions": ["memory://b/1", "memory://b/2"]}
    assert first["params"] == {"notifications": honoured, **tag}
    assert isinstance(task.advance(), Hold)
    publish = tried.dispatcher.publish
    for kind, uri in (
        ("prompts", ""),
        ("tools", ""),
        ("tools", ""),
        ("resource", "memory://b/2"),
        ("resource", "memory://b/3"),
        ("tools", ""),
    ):
        publish(kind, uri)
    changed, updated = sent(task.advance()), sent(task.advance())
    assert (changed["method"], changed["params"]) == ("notifications/tools/list_changed", tag)
    assert (updated["method"], updated["params"]) == ("notifications/resources/updated", {"uri": "memory://b/2", **tag})
    assert isinstance(task.advance(), Hold)
    tried.dispatcher.subscriptions.end(task)
    assert task.advance() is None
    result = json.loads(task.answer)["result"]
    assert result["_meta"]["io.modelcontextprotocol/subscriptionId"] == "s" and result["resultType"] == "complete"
    assert not tried.dispatcher.subscriptions.streams


def test_a_stream_that_is_left_is_forgotten(tried: Tried) -> None:
    task = listening(tried, toolsListChanged=True)
    task.advance()
    task.advance()
    task.close()
    assert not tried.dispatcher.subscriptions.streams


def test_there_is_a_bound_on_streams(tried: Tried, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MCP_STREAMS", 2)
    held = [listening(tried, id=number) for number in range(3)]
    assert [type(task.advance()) for task in held] == [Send, Send, type(None)]
    assert held[2].fault is not None and held[2].fault.code == -32603
    held[0].close()
    assert isinstance(listening(tried).advance(), Send)
    for task in held:
        task.close()


def test_a_subscription_without_a_filter(tried: Tried) -> None:
    task = tried.begin({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {"_meta": META}})
    assert task is not None and task.advance() is None
    assert task.fault is not None and (task.fault.code, task.fault.status) == (-32602, 400)
