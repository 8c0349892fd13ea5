"""Bounds of what the product's tools give, its resources, prompt and completion."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire import config, framing
from memory_wire import types as t
from memory_wire.errors import StorageError
from memory_wire.mcp import results
from memory_wire.mcp.serving import INSTRUCTIONS
from tests.mcp.talk import Json, Talk

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    found = Talk(tmp_path)
    yield found
    found.memory.close()
    assert not found.errors


# bounds ----------------------------------------------------------------------------------------------------------------------------


def test_a_recall_is_bounded_and_says_so(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(12):
        talk.memory.retain(f"Entry {number} " + "speaks of herons at length. " * 20, bank="b")
    monkeypatch.setattr(config, "MCP_OUTPUT", 500)
    found = talk.call("memory_recall", query="herons")
    shown = found["structuredContent"]["memories"]
    assert 0 < len(shown) < 12 and found["structuredContent"]["truncated"] is True
    assert sum(len(memory["content"]) for memory in shown) <= 500 * config.CHARS_PER_TOKEN
    assert found["content"][1]["text"].startswith("truncated: ")
    wider = talk.call("memory_recall", query="herons", budget=100_000)["structuredContent"]
    assert len(wider["memories"]) == 12 and "truncated" not in wider
    monkeypatch.setattr(config, "MCP_OUTPUT_MAX", 500)
    assert len(talk.call("memory_recall", query="herons", budget=100_000)["structuredContent"]["memories"]) == len(shown)


def test_one_memory_above_the_bound_is_cut(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MCP_OUTPUT", 10)
    talk.memory.retain("heron " * 100, bank="b")
    found = talk.call("memory_recall", query="heron")
    (memory,) = found["structuredContent"]["memories"]
    assert len(memory["content"]) == 40 and memory["content"].endswith(config.TRUNCATED)
    assert found["structuredContent"]["truncated"] is True
    asked = talk.call("memory_recall", query="heron", budget=5)["structuredContent"]  # cut by the service
    assert len(asked["memories"][0]["content"]) == 20 and asked["truncated"] is True


def test_a_list_is_bounded_and_says_so(talk: Talk) -> None:
    talk.memory.retain_batch([t.Retain(content=f"{number} " + "x" * 2_000) for number in range(120)], bank="b")
    found = talk.call("memory_list", limit=500)
    text = found["content"][0]["text"]
    assert len(text) < 2 * config.MCP_OUTPUT * config.CHARS_PER_TOKEN
    assert found["structuredContent"]["total"] == 120 and found["structuredContent"]["truncated"] is True
    assert found["content"][1]["text"].startswith("truncated: ")
    seen: list[str] = []
    while len(seen) < 120:
        seen += [item["id"] for item in talk.value("memory_list", limit=50, offset=len(seen))]
    assert len(set(seen)) == 120
    assert "truncated" not in talk.call("memory_list", limit=3)["structuredContent"]


def test_many_banks_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [t.BankRow(bank=f"bank {number}", memories=1, newest=None) for number in range(2_000)]
    found = results.banks(t.Banks(banks=rows), {}, config.MCP_OUTPUT, None)
    assert found["structuredContent"]["truncated"] is True  # type: ignore[index]
    assert len(found["content"][0]["text"]) < config.MCP_OUTPUT * config.CHARS_PER_TOKEN  # type: ignore[index]


def test_a_configuration_above_the_bound(talk: Talk) -> None:
    talk.memory.retain("x", bank="b")
    talk.memory.put_config({"note": "y" * 100_000}, bank="b")
    found = talk.call("memory_bank_config_get")
    assert found["structuredContent"] == {"truncated": True}
    assert len(found["content"][0]["text"]) == config.MCP_OUTPUT * config.CHARS_PER_TOKEN


def test_an_index_that_is_being_rebuilt_is_told() -> None:
    found = results.recalled(t.Recalled(hits=[], bare=False, index="rebuilding 37%"), {}, 10, None)
    assert found["structuredContent"] == {"memories": [], "degraded": "rebuilding 37%"}
    assert "rebuilding 37%" in found["content"][1]["text"]  # type: ignore[index]


# resources, prompt, completion -----------------------------------------------------------------------------------------------------


def test_resources_are_paged_and_read(talk: Talk) -> None:
    assert talk.ask("resources/list")["result"] == {"resources": []}
    talk.memory.retain_batch(
        [t.Retain(content=f"memory {number}\n" + "z" * 300, created_at="2024-01-02") for number in range(230)], bank="b"
    )
    found, cursors, params = [], [], {}
    while True:
        page = talk.ask("resources/list", params)["result"]
        found += page["resources"]
        if "nextCursor" not in page:
            break
        cursors.append(page["nextCursor"])
        params = {"cursor": page["nextCursor"]}
    assert cursors == ["100", "200"] and len({entry["uri"] for entry in found}) == 230
    assert found[0]["description"] == "retained 2024-01-02T00:00:00.000Z" and found[0]["mimeType"] == "text/plain"
    assert found[0]["title"].startswith("memory 0 z") and len(found[0]["title"]) <= 80
    (content,) = talk.ask("resources/read", {"uri": found[7]["uri"]})["result"]["contents"]
    assert content == {"uri": found[7]["uri"], "mimeType": "text/plain", "text": "memory 7\n" + "z" * 300}
    error = talk.ask("resources/list", {"cursor": "ten"})["error"]
    assert (error["code"], error["message"]) == (-32602, "`cursor` is not a row offset: ten")


def test_the_address_of_a_bank_with_any_name(talk: Talk) -> None:
    for name in ("a b/c", "é%2f", "100%", "memory://", "\u202e?#"):
        talk.memory.retain("found", bank=name)
        talk.peer.bank = name
        (entry,) = talk.ask("resources/list")["result"]["resources"]
        assert entry["uri"].isascii() and " " not in entry["uri"]
        assert talk.ask("resources/read", {"uri": entry["uri"]})["result"]["contents"][0]["text"] == "found"


@pytest.mark.parametrize("uri", ["", "memory://", "memory://b", "memory://b/", "memory:///1", "memory://%20/1", "memory://b/1/2", "file:///b/1",
                                 "memory://a%  b/1", "memory://%ff/1", "memory://%z1/1", "memory://%4/1"])  # fmt: skip
def test_what_is_no_address(uri: str, talk: Talk) -> None:
    error = talk.ask("resources/read", {"uri": uri})["error"]
    assert error == {"code": -32602, "message": "not a memory URI, expected memory://{bank}/{id}", "data": {"uri": uri}}


def test_a_memory_that_is_not_there(talk: Talk) -> None:
    talk.memory.retain("x", bank="b")
    for number in ("1", "00000000-0000-4000-8000-000000000000", "%00"):
        uri = f"memory://b/{number}"
        error = talk.ask("resources/read", {"uri": uri})["error"]
        assert (error["code"], error["message"], error["data"]) == (-32002, "unknown memory", {"uri": uri})
        assert talk.ask("resources/read", {"uri": uri, "_meta": META})["error"]["code"] == -32602
    assert talk.ask("resources/read", {"uri": 5})["error"]["code"] == -32602
    talk.failing = StorageError("the disk is on fire")
    for method, params in (("resources/read", {"uri": "memory://b/1"}), ("resources/list", {})):
        assert talk.ask(method, params)["error"] == {"code": -32603, "message": "storage error"}


def test_templates_and_the_prompt(talk: Talk) -> None:
    (template,) = talk.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert template["uriTemplate"] == "memory://{bank}/{id}" and template["mimeType"] == "text/plain"
    (prompt,) = talk.ask("prompts/list")["result"]["prompts"]
    assert prompt["name"] == "memory_historian" and prompt["description"]
    (message,) = talk.ask("prompts/get", {"name": "memory_historian"})["result"]["messages"]
    assert message == {"role": "user", "content": {"type": "text", "text": framing.HISTORIAN}}
    for name in ("other", 5, None):
        assert talk.ask("prompts/get", {"name": name})["error"]["code"] == -32602


def test_completion_of_bank_names(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("alpha", "alps", "beta"):
        talk.memory.retain("x", bank=name)

    def complete(value: object, reference: object = {"type": "ref/resource", "uri": "memory://{bank}/{id}"}, name: object = "bank") -> Json:
        return talk.ask("completion/complete", {"ref": reference, "argument": {"name": name, "value": value}})

    assert complete("al")["result"]["completion"] == {"values": ["alpha", "alps"], "total": 2, "hasMore": False}
    monkeypatch.setattr(config, "MCP_BANKS", 2)
    assert complete("")["result"]["completion"] == {"values": ["alpha", "alps"], "total": 4, "hasMore": True}
    assert complete("a", name="id")["result"]["completion"]["values"] == []
    assert complete("a", {"type": "ref/prompt", "name": "memory_historian"})["result"]["completion"]["values"] == []
    for wrong in (
        complete("a", {"type": "ref/prompt", "name": "x"}),
        complete("a", 5),
        complete(5),
        complete("a", {"type": "ref/resource"}),
    ):
        assert wrong["error"]["code"] == -32602
    assert talk.ask("completion/complete")["error"]["code"] == -32602


def test_the_handshake_says_what_there_is(talk: Talk) -> None:
    found = talk.ask("initialize", {"protocolVersion": "2025-06-18"})["result"]
    assert found["capabilities"] == {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}
    assert found["serverInfo"]["name"] == "memory-wire" and found["instructions"] == INSTRUCTIONS
    assert len(INSTRUCTIONS) < 1_000 and all(name in INSTRUCTIONS for name in ("memory_recall", "memory_retain"))
