"""Integrations as tools of their own: what is listed and refused, what a call needs and gives, and how long a list holds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire import Memory
from memory_wire.errors import Invalid
from memory_wire.service.exposed import shelf
from memory_wire.types import Empty
from tests.mcp.talk import Talk
from tests.outside.server import Handler, Server

SECRET = "s3cr3t-of-the-calculator"


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    talk = Talk(tmp_path)
    yield talk
    talk.memory.close()


@pytest.fixture
def memory(talk: Talk) -> Memory:
    return talk.memory


def tools(talk: Talk) -> dict[str, dict[str, object]]:
    """What `tools/list` shows beside the memory's own."""
    found = {str(tool["name"]): tool for tool in talk.ask("tools/list")["result"]["tools"]}
    return {name: tool for name, tool in found.items() if not name.startswith("memory_")}


def test_tools_of_a_server_as_it_describes_them(talk: Talk, memory: Memory, plain: str) -> None:
    memory.set_integration("calc", plain, kind="mcp", tools=["add", "fail"], headers={"Authorization": SECRET})
    assert tools(talk) == {}
    memory.set_integration("calc", plain, kind="mcp", tools=["add", "fail"], headers={"Authorization": SECRET}, expose=["add"])
    [tool] = tools(talk).values()
    told = memory.gateway_call("calc").result
    assert isinstance(told, dict)
    [said] = [given for given in told["tools"] if given["name"] == "add"]
    kept = {"title", "description", "inputSchema", "outputSchema", "annotations"} & set(said)
    assert (
        tool == {**{key: said[key] for key in kept}, "name": "calc_add", "_meta": {"memory-wire/integration": "calc"}}
        and "outputSchema" in kept
    )
    memory.set_integration("calc", plain, kind="mcp", tools=["add", "fail"], headers={"Authorization": SECRET}, expose=True)
    assert set(tools(talk)) == {"calc_add", "calc_fail"} and SECRET not in json.dumps(tools(talk))
    answer = talk.call("calc_add", a=2, b=3)
    assert answer["structuredContent"] == {"result": 5} and answer["content"][0]["text"] == "5" and answer["isError"] is False
    failed = talk.call("calc_fail")
    assert failed["isError"] is True and "[REDACTED:secret]" in str(failed) and SECRET not in str(failed)


def test_an_integration_of_http_is_one_tool(talk: Talk, memory: Memory, world: Server) -> None:
    url = f"{world.url}/echo/{{city}}"
    memory.set_integration("weather", url, arguments={"days": "integer?"}, description="Weather of a city.", expose=True)
    assert tools(talk)["weather"] == {
        "name": "weather",
        "description": "Weather of a city.",
        "inputSchema": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
        "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True},
        "_meta": {"memory-wire/integration": "weather"},
    }
    asked = json.loads(talk.call("weather", city="Bern", days=2)["content"][0]["text"])
    assert asked["path"] == "/echo/Bern?days=2"
    memory.set_integration("weather", f"{world.url}/status/503", method="POST", expose=True)
    assert tools(talk)["weather"]["annotations"]["readOnlyHint"] is False  # type: ignore[index]
    assert talk.refusal("weather") == "weather answered with status 503: as asked"


def test_arguments_are_checked_before_anybody_is_asked(talk: Talk, memory: Memory, world: Server) -> None:
    memory.set_integration("weather", f"{world.url}/echo/{{city}}", arguments={"days": "integer?"}, expose=True)
    asked = len(world.asked)
    assert talk.refusal("weather") == "`city` is required"
    assert talk.refusal("weather", city="Bern", day=2) == "invalid arguments: day is unknown; there are: city (string), days (integer?)"
    assert talk.refusal("weather", city="Bern", days="two") == "`days` must be integer"
    assert len(world.asked) == asked


def test_names_that_no_tool_can_have(talk: Talk, memory: Memory, plain: str, world: Server) -> None:
    for name, how, why in (
        ("my wiki", {}, "'my wiki' is no name of a tool: letters, digits, `_`, `.` and `-` only"),
        ("search", {}, "'search' is a tool of the memory itself"),
        ("wiki", {"expose": ["page"]}, "is true or false for http, which has one tool"),
        ("calc", {"kind": "mcp", "tools": ["add"], "expose": ["sub"]}, "'sub' is none of its tools that may be called"),
        ("memory", {"kind": "mcp", "tools": ["*"], "expose": ["recall"]}, "'memory_recall' is a tool of the memory itself"),
        ("calc", {"kind": "mcp", "tools": ["*"], "expose": ["a" * 125]}, f"'calc_{'a' * 125}' is longer than 128 characters"),
    ):
        with pytest.raises(Invalid) as raised:
            memory.set_integration(name, world.url, **{"expose": True, **how})
        assert str(raised.value) == f"invalid expose: {why}"
    memory.set_integration("a", plain, kind="mcp", tools=["*"], expose=["add", "gone"])
    memory.set_integration("a_add", f"{world.url}/echo", expose=True)
    assert list(tools(talk)) == ["a_add"]
    assert [(row.server, row.tool, row.why) for row in memory.exposed_tools().refused] == [
        ("a", "gone", "it has no such tool"),
        ("a_add", None, "a_add: another tool has the name"),
    ]
    assert talk.ask("tools/call", {"name": "a_gone"})["error"]["message"] == "unknown tool: a_gone"


def test_a_list_holds_for_a_while_and_outlives_a_silence(talk: Talk, memory: Memory, world: Server, plain: str) -> None:
    now = [memory.service.now()]
    memory.service.now = lambda: now[0]
    retold: list[str] = []
    memory.service.retold = retold.append
    memory.set_integration("calc", plain, kind="mcp", tools=["add"], expose=True)
    memory.set_integration("gone", f"{world.url}/status/500", kind="mcp", tools=["*"], expose=True)
    assert retold == ["default", "default"]
    asked = len(world.asked)
    assert set(tools(talk)) == {"calc_add"} and len(world.asked) == asked + 1
    assert set(tools(talk)) == {"calc_add"} and len(world.asked) == asked + 1
    [row] = memory.exposed_tools().refused
    assert (row.server, row.tool, row.why) == ("gone", None, "127.0.0.1: answered with status 500")
    now[0] += 31_000
    tools(talk)
    assert len(world.asked) == asked + 2  # the one that didn't answer is asked again soon
    found = shelf(memory.service)["default", "calc"]
    now[0] += 5 * 60_000
    assert shelf(memory.service)["default", "calc"] is found and set(tools(talk)) == {"calc_add"}
    assert shelf(memory.service)["default", "calc"] is not found
    shelf(memory.service)["default", "calc"].tools.clear()
    now[0] += 6 * 60_000
    assert set(tools(talk)) == {"calc_add"} and retold == ["default"] * 3
    memory.service.idle()
    assert memory.service.kept == {}


def test_what_says_too_much_of_itself_is_not_passed_on(talk: Talk, memory: Memory, plain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory_wire.config.GATEWAY_TOOL_BYTES", 64)
    memory.set_integration("calc", plain, kind="mcp", tools=["add"], expose=True)
    assert tools(talk) == {}
    assert [row.why for row in memory.exposed_tools().refused] == ["it says more than 0 KiB of itself"]


def test_long_answers_are_cut_and_those_with_a_schema_are_errors(talk: Talk, memory: Memory, plain: str, world: Server) -> None:
    memory.set_integration("calc", plain, kind="mcp", tools=["much"], cap=8_000_000, expose=True)
    assert "structuredContent" not in (answer := talk.call("calc_much")) and answer["isError"] is True
    assert answer["content"][0]["text"] == "calc answers with more than 32,000 characters; ask for less"
    memory.set_integration("long", f"{world.url}/bytes/900000", expose=True)
    assert len(talk.call("long")["content"][0]["text"]) == 32_000


def test_a_secret_that_is_not_set_says_which_and_where(talk: Talk, memory: Memory, world: Server, tmp_path: Path) -> None:
    memory.set_integration("wiki", world.url, headers={"Authorization": "Bearer env:WIKI_TOKEN_NOT_SET"}, expose=True)
    lacks = "the environment variable WIKI_TOKEN_NOT_SET (secret of wiki's header Authorization) isn't set"
    assert talk.refusal("wiki") == f"{lacks} where the memory-wire server runs"
    assert "WIKI_TOKEN_NOT_SET" not in os.environ
    assert [event.action for event in memory.audit().events] == ["integration.set"]  # nobody was called


def test_who_lists_asks_nobody_when_nothing_is_exposed(memory: Memory) -> None:
    assert memory.exposed_tools() == memory.call("exposed_tools", Empty())
    assert memory.exposed_tools().tools == [] and memory.service.kept == {}


OBJECT: dict[str, object] = {"type": "object"}


class Scripted(Handler):
    """An MCP server that says whatever it was told to, however wrong."""

    tools: object = []
    result: object = {}

    def do_POST(self) -> None:  # noqa: N802
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        results = {"initialize": {"protocolVersion": "2025-06-18"}, "tools/list": {"tools": Scripted.tools}, "tools/call": Scripted.result}
        said = {"jsonrpc": "2.0", "id": asked.get("id"), "result": results.get(asked["method"], {})}
        self.give(200, json.dumps(said).encode(), Content_Type="application/json")


@pytest.fixture
def hostile() -> Iterator[Server]:
    with Server(handler=Scripted) as server:
        yield server


@pytest.mark.parametrize(
    ("tool", "why"),
    [
        ({"inputSchema": {**OBJECT, "required": [["x"]]}}, "its inputSchema requires what is no name"),
        ({"inputSchema": {**OBJECT, "required": "abc"}}, "its inputSchema requires what is no name"),
        ({"inputSchema": {**OBJECT, "properties": ["x"]}}, "its inputSchema has properties that are no schemas"),
        ({"inputSchema": {**OBJECT, "properties": {"x": 1}}}, "its inputSchema has properties that are no schemas"),
        ({"inputSchema": OBJECT, "outputSchema": {"type": "array"}}, "its outputSchema is none of an object"),
    ],
)
def test_what_would_cost_clients_the_whole_list_is_left_out(
    talk: Talk, memory: Memory, hostile: Server, tool: dict[str, object], why: str
) -> None:
    Scripted.tools = [{"name": "bad", **tool}, {"name": ["x"], "inputSchema": OBJECT}, None, {"name": "good", "inputSchema": OBJECT}]
    memory.set_integration("m", hostile.url, kind="mcp", tools=["*"], expose=True)
    assert set(tools(talk)) == {"m_good"}
    assert [(row.tool, row.why) for row in memory.exposed_tools().refused] == [("bad", why)]
    assert talk.ask("tools/call", {"name": "m_bad", "arguments": {}})["error"]["message"] == "unknown tool: m_bad"


def test_hints_are_passed_on_where_they_are_some(talk: Talk, memory: Memory, hostile: Server) -> None:
    hints = {"readOnlyHint": True, "destructiveHint": "no", "title": 5, "openWorldHint": None}
    Scripted.tools = [{"name": "t", "inputSchema": OBJECT, "annotations": hints}]
    memory.set_integration("m", hostile.url, kind="mcp", tools=["*"], expose=True)
    assert tools(talk)["m_t"]["annotations"] == {"readOnlyHint": True}


@pytest.mark.parametrize("listed", [None, 5, "abc", {}])
def test_a_list_that_is_none(talk: Talk, memory: Memory, hostile: Server, listed: object) -> None:
    Scripted.tools = listed
    memory.set_integration("m", hostile.url, kind="mcp", tools=["*"], expose=True)
    assert tools(talk) == {} and [row.why for row in memory.exposed_tools().refused] == ["127.0.0.1: no proper list of tools"]


def test_content_is_blocks_and_bounded(talk: Talk, memory: Memory, hostile: Server) -> None:
    Scripted.tools = [{"name": "t", "inputSchema": OBJECT}]
    memory.set_integration("m", hostile.url, kind="mcp", tools=["*"], cap=4_000_000, expose=True)
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    page = {"type": "resource", "resource": {"uri": "file:///a", "text": "x" * 1_000_000}}
    Scripted.result = {
        "content": [1, None, {"foo": 1}, {"type": "text"}, {"type": "text", "text": 5}, image, page, {"type": "text", "text": "y"}]
    }
    content = talk.call("m_t")["content"]
    assert [block["type"] for block in content] == ["image", "resource"] and content[0] == image
    assert content[1]["resource"]["uri"] == "file:///a" and len(content[1]["resource"]["text"]) == 32_000


@pytest.mark.parametrize("headers", [{}, {"Authorization": SECRET}])
def test_what_is_nested_too_deeply_is_told(talk: Talk, memory: Memory, hostile: Server, headers: dict[str, str]) -> None:
    Scripted.tools = [{"name": "t", "inputSchema": OBJECT}]
    memory.set_integration("m", hostile.url, kind="mcp", tools=["*"], headers=headers, expose=True)
    nested: list[object] = []
    for _ in range(120):
        nested = [nested]
    Scripted.result = {"structuredContent": {"a": nested}, "content": []}
    assert talk.call("m_t")["structuredContent"] == {"a": nested}
    for _ in range(400):
        nested = [nested]
    Scripted.result = {"structuredContent": {"a": nested}, "content": []}
    assert talk.refusal("m_t") == "an answer that is nested more than 128 deep"
