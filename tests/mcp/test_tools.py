"""The product's tools as models see them, their arguments and results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire import config, ops
from memory_wire.errors import StorageError
from memory_wire.mcp import catalog
from memory_wire.mcp.tools import CATALOG, Tools
from tests.mcp.talk import Json, Talk

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
CONTRACT = {
    "memory_retain": ("content*", "bank", "context", "tags", "document_id", "update_mode", "created_at"),
    "memory_recall": ("query*", "bank", "budget", "tags", "exclude_tags", "format"),
    "memory_reflect": ("query*", "bank", "tags"),
    "memory_bank_config_get": ("bank",),
}
EXTREMES: list[object] = ["", "x", 0, -1, 1.5, 2**70, True, None, [], [1], ["a"], {}, {"a": 1}]


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    found = Talk(tmp_path)
    yield found
    found.memory.close()
    assert not found.errors


def shown(*sets: str) -> list[Json]:
    return [row["tool"] for row in json.loads(Path(CATALOG).read_bytes()) if not sets or row["set"] in sets]


# the list --------------------------------------------------------------------------------------------------------------------------


def test_the_file_is_what_the_table_makes() -> None:
    assert Path(CATALOG).read_bytes() == catalog.render(), "run `python -m memory_wire.mcp.catalog`"
    assert {tool["name"] for tool in shown()} == {op.tool for op in ops.OPS if op.tool}


def test_the_default_list_is_short(talk: Talk) -> None:
    found = talk.ask("tools/list")["result"]
    assert found["tools"] == [row["tool"] for row in json.loads(Path(CATALOG).read_bytes()) if row["set"] == "core"]
    assert "nextCursor" not in found
    assert len(found["tools"]) <= 12
    assert len(json.dumps(found["tools"], separators=(",", ":"), ensure_ascii=False).encode()) <= 6 * 1024


@pytest.mark.parametrize("name", CONTRACT)
def test_names_and_properties_are_the_contracts(name: str) -> None:
    schema = next(tool for tool in shown() if tool["name"] == name)["inputSchema"]
    assert {f"{key}*" if key in schema.get("required", ()) else key for key in schema["properties"]} == set(CONTRACT[name])
    if name == "memory_retain":
        assert schema["properties"]["update_mode"] == {"type": "string", "enum": ["replace", "append"]}
    if name == "memory_recall":
        assert schema["properties"]["format"] == {"type": "string", "enum": ["full"]}
        assert schema["properties"]["budget"]["type"] == "integer"


def test_only_forgetting_and_what_is_outside_destroys() -> None:
    hints = {tool["name"]: tool["annotations"] for tool in shown()}
    assert {name for name, found in hints.items() if found["destructiveHint"]} == {"memory_forget", "forget", "gateway_call"}
    writing = {"memory_forget", "memory_retain", "remember", "forget", "gateway_call", "doc_write"}
    assert {name for name, found in hints.items() if not found["readOnlyHint"]} == writing
    assert all(hints[name]["idempotentHint"] for name in ("search", "validate_memory", "forget"))
    assert {name for name, found in hints.items() if found["openWorldHint"]} == {"gateway_call"}
    assert not any(hints[name]["idempotentHint"] for name in CONTRACT)


@pytest.mark.parametrize("tool", shown(), ids=lambda tool: str(tool["name"]))
def test_a_schema_is_flat(tool: Json) -> None:
    assert re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}", tool["name"])
    assert tool["description"] and tool["title"]
    schema = tool["inputSchema"]
    assert set(schema) <= {"type", "properties", "required"} and schema["type"] == "object"
    for name, rule in schema["properties"].items():
        assert set(rule) <= {"type", "description", "enum", "minimum", "items", "additionalProperties"}, name
        assert rule["type"] in ("string", "integer", "number", "boolean", "array", "object")
        assert (rule["type"] == "array") == ("items" in rule)
        strings = rule.get("additionalProperties") == {"type": "string"}
        assert (rule["type"] == "object") == strings or (tool["name"], name) == ("gateway_call", "arguments")


def test_cursors(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = talk.ask("tools/list")["result"]["tools"]
    assert talk.ask("tools/list", {"cursor": ""})["result"]["tools"] == whole
    monkeypatch.setattr(config, "MCP_TOOLS", 3)
    pages, cursor = [], {}
    while True:
        found = talk.ask("tools/list", cursor)["result"]
        pages.append(found["tools"])
        if "nextCursor" not in found:
            break
        cursor = {"cursor": found["nextCursor"]}
    assert [tool for page in pages for tool in page] == whole and len(pages) == 3
    for wrong in ("x", "-1", "1.5", "99", "1" * 400, 3, [], True):
        assert talk.ask("tools/list", {"cursor": wrong})["error"]["code"] == -32602


def test_tool_sets(talk: Talk) -> None:
    rows = json.loads(Path(CATALOG).read_bytes())
    for kind in ("records", "hub", "other"):
        rows.append({"operation": "banks", "set": kind, "tool": {"name": f"{kind}_tool", "inputSchema": {"properties": {}}}})
    tools = Tools(json.dumps(rows).encode())
    talk.dispatcher.both |= {"tools/list": tools.list, "tools/call": tools.call}

    def extra() -> list[str]:
        names = [tool["name"] for tool in talk.ask("tools/list")["result"]["tools"]]
        core = [tool["name"] for tool in shown("core")]
        assert names[: len(core)] == core
        return names[len(core) :]

    own = [tool["name"] for tool in shown("records")]
    assert own == ["remember", "search", "validate_memory", "forget", "gateway_call"]
    documents = [tool["name"] for tool in shown("hub")]
    assert documents == ["doc_read", "doc_write", "doc_search", "hub_recall"]
    records, hub = [*own, "records_tool"], [*own, *documents, "records_tool", "hub_tool"]
    assert extra() == []  # no bank yet
    for name, expected in (("core", []), ("records", records), ("hub", hub)):
        talk.peer.tools = name
        assert extra() == expected
    talk.peer.tools = "all"
    assert extra() == [*hub, "other_tool"]
    talk.peer.tools = ""
    talk.memory.retain("so that there is a bank", bank="b")
    for configured, expected in (({"mcpTools": "records"}, records), ({"mcpTools": 5}, []), ({"mcpTools": "none"}, []), ({}, [])):
        talk.memory.put_config(configured, bank="b")
        assert extra() == expected
    talk.failing = StorageError("disk")
    assert extra() == []


# calls -----------------------------------------------------------------------------------------------------------------------------


def test_what_was_retained_is_recalled_with_its_date(talk: Talk) -> None:
    first = talk.value("memory_retain", content="The heron moved north.", created_at="2024-05-16", tags=["bird"])
    assert list(first) == ["id"]
    talk.memory.retain("A heron without a date.", bank="b", created_at="1970-01-01T00:00:00Z")
    assert talk.value("memory_recall", query="heron moved north") == ["[2024-05-16] The heron moved north.", "A heron without a date."]
    found = talk.call("memory_recall", query="heron moved north", tags=["bird"])["structuredContent"]
    assert found == {"memories": [{"content": "The heron moved north.", "created_at": "2024-05-16T00:00:00.000Z", "id": first["id"]}]}
    full = talk.call("memory_recall", query="heron", tags=["bird"], format="full")
    (hit,) = json.loads(full["content"][0]["text"])
    assert (
        set(hit) == {"content", "created_at", "id", "relevance", "score", "session", "tags"} and hit["content"] == "The heron moved north."
    )
    assert full["structuredContent"] == {"memories": [hit]}
    assert talk.value("memory_recall", query="heron", exclude_tags=["bird"]) == ["A heron without a date."]
    assert talk.value("memory_recall", query="nothing of the kind") == []


def test_the_other_tools(talk: Talk) -> None:
    number = talk.value("memory_retain", content="The heron moved north.")["id"]
    assert talk.value("memory_reflect", query="heron") == f"based on [{number}]: The heron moved north."
    assert talk.call("memory_reflect", query="whale")["structuredContent"] == {"answer": "no relevant memories"}
    assert talk.value("memory_bank_config_get") == {}
    talk.memory.put_config(b'{"recallMaxTokens": 12, "b": [1]}', bank="b")
    assert talk.call("memory_bank_config_get")["structuredContent"] == {"recallMaxTokens": 12, "b": [1]}
    assert talk.refusal("memory_bank_config_get", bank="nowhere") == "unknown bank"
    listed = talk.call("memory_list")["structuredContent"]
    assert listed["total"] == 1 and [item["id"] for item in listed["memories"]] == [number]
    assert [(row["bank"], row["memories"]) for row in talk.value("memory_banks")["banks"]] == [("b", 1), ("default", 0)]
    assert talk.value("memory_forget", id=number) == {"deleted": True}
    assert talk.value("memory_forget", id=number) == {"deleted": False}
    assert talk.value("memory_list") == []


def test_a_document_is_kept_once(talk: Talk) -> None:
    talk.value("memory_retain", content="one", document_id="d")
    talk.value("memory_retain", content="two", document_id="d", update_mode="replace")
    assert [item["content"] for item in talk.value("memory_list")] == ["two"]
    assert talk.refusal("memory_retain", content="x", document_id="d", update_mode="append").startswith("document already exists")


@pytest.mark.parametrize("value", [1, True, [], {}, None])
def test_what_is_required(value: object, talk: Talk) -> None:
    for tool, field in (("memory_retain", "content"), ("memory_recall", "query"), ("memory_reflect", "query"), ("memory_forget", "id")):
        expected = f"`{field}` is required and must be a string"
        assert talk.refusal(tool, **{field: value}) == expected
        assert talk.refusal(tool) == expected


@pytest.mark.parametrize("tool", shown(), ids=lambda tool: str(tool["name"]))
def test_a_value_of_another_type_is_told_by_the_fields_name(tool: Json, talk: Talk) -> None:
    fitting = dict.fromkeys(tool["inputSchema"].get("required", ()), "x")
    kinds: dict[str, tuple[type, ...]] = {"string": (str,), "integer": (int, float), "array": (list,)}
    kinds |= {"number": (int, float), "boolean": (bool,), "object": (dict,)}
    for name, rule in tool["inputSchema"]["properties"].items():
        for value in EXTREMES:
            odd = (-1, 1.5, 2**70, [1], *([{"a": 1}] if "additionalProperties" in rule else []))
            if value is None or (type(value) in kinds[rule["type"]] and value not in odd):
                continue
            text = talk.refusal(tool["name"], **{**fitting, name: value})
            told = f"`{name}`" in text or text.startswith(f"{name} must be")
            assert told or (name in ("bank", "workspace") and text == "invalid bank id"), (name, value)


def test_an_argument_that_the_tool_does_not_have(talk: Talk) -> None:
    names = "content, context, tags, document_id, update_mode, created_at, bank"
    assert talk.refusal("memory_retain", content="x", tag="bird") == f"unknown argument `tag`; there are: {names}"
    assert talk.refusal("search", query="x", bank="b").startswith("unknown argument `bank`; there are: query, workspace")
    assert talk.value("memory_list") == []


def test_a_value_outside_an_enumeration(talk: Talk) -> None:
    assert talk.refusal("memory_retain", content="x", update_mode="merge") == "`update_mode` must be replace or append"
    assert talk.refusal("memory_recall", query="x", format="bare") == "`format` must be full"
    assert talk.value("memory_list") == []


def test_a_whole_number_may_be_written_as_a_fraction_and_null_is_absent(talk: Talk) -> None:
    talk.value("memory_retain", content="one two three")
    assert talk.value("memory_recall", query="one", budget=1.0, tags=None, format=None) != []
    assert talk.value("memory_recall", query="one", budget=0) == []


def test_values_that_the_service_refuses(talk: Talk) -> None:
    assert talk.refusal("memory_retain", content=" ") == "invalid content"
    assert talk.refusal("memory_retain", content="x", created_at="soon").startswith("invalid created_at")
    talk.failing = StorageError("the disk is on fire")
    assert talk.refusal("memory_recall", query="x") == "storage error"


def test_calls_that_are_none(talk: Talk) -> None:
    for params in ({"name": "memory_erase"}, {"name": ""}, {"name": "x" * 5_000}):
        found = talk.ask("tools/call", params)["error"]
        assert found["code"] == -32602 and found["message"] == f"unknown tool: {params['name'][:128]}"
    for odd in ({}, {"name": 5}, {"name": "memory_list", "arguments": []}, {"name": "memory_list", "arguments": "x"}):
        assert talk.ask("tools/call", odd)["error"]["code"] == -32602
    assert talk.ask("tools/call", {"name": "memory_banks", "arguments": None})["result"]["isError"] is False
    assert talk.ask("tools/call", {"name": "memory_banks"})["result"]["isError"] is False


# banks -----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bank", ["", "  ", 5, [], {}, True])
def test_a_bank_that_is_none(bank: object, talk: Talk) -> None:
    assert talk.refusal("memory_list", bank=bank) == "invalid bank id"


def test_a_named_bank_wins_unless_one_is_pinned(tmp_path: Path) -> None:
    talk = Talk(tmp_path)
    talk.value("memory_retain", content="elsewhere", bank="other")
    talk.value("memory_retain", content="here")
    assert talk.value("memory_list", bank="other")[0]["content"] == "elsewhere"
    talk.peer.pinned = True
    assert talk.value("memory_list", bank="b")[0]["content"] == "here"
    assert talk.refusal("memory_list", bank="other") == "`bank` is pinned to `b` by this endpoint; refusing `other`"
    assert [row["bank"] for row in talk.value("memory_banks")["banks"]] == ["b"]
    assert talk.ask("resources/read", {"uri": "memory://other/1"})["error"]["message"].startswith("`bank` is pinned to `b`")
    argument = {"ref": {"type": "ref/resource", "uri": "memory://{bank}/{id}"}, "argument": {"name": "bank", "value": ""}}
    assert talk.ask("completion/complete", argument)["result"]["completion"]["values"] == ["b"]
    talk.memory.close()
    assert not talk.errors
