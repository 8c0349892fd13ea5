"""Integrations of kind mcp: the official package is the server, with streams and sessions, and with neither."""

from __future__ import annotations

import pytest

from memory_wire import Memory
from memory_wire.errors import Forbidden, OutsideFailed, OutsideTimeout
from tests.outside.server import Server

SECRET = "Bearer s3cr3t-of-the-calculator"
TOOLS = ["add", "whoami", "slowly", "fail", "sleep", "much", "gone"]


@pytest.fixture(params=["stateful", "plain"])
def agent(request: pytest.FixtureRequest, memory: Memory) -> Memory:
    url = request.getfixturevalue(request.param)
    memory.set_integration("calc", url, kind="mcp", tools=TOOLS, headers={"Authorization": SECRET}, seconds=10.0)
    return memory


def text(result: object) -> str:
    assert isinstance(result, dict)
    return str(result["content"][0]["text"])


def test_a_tool_answers(agent: Memory) -> None:
    found = agent.gateway_call("calc", "add", {"a": 2, "b": 3})
    assert found.ok and found.status is None and text(found.result) == "5"
    assert text(agent.gateway_call("calc", "slowly").result) == "done"


def test_without_a_tool_those_that_are_allowed_are_listed(agent: Memory) -> None:
    found = agent.gateway_call("calc")
    assert isinstance(found.result, dict)
    tools = {tool["name"]: tool for tool in found.result["tools"]}
    assert sorted(tools) == sorted(set(TOOLS) - {"gone"}) and tools["add"]["inputSchema"]["required"] == ["a", "b"]


def test_no_other_tool_is_called(agent: Memory) -> None:
    with pytest.raises(Forbidden, match="the tool 'secret' of 'calc' is not allowed; allowed are: add, whoami"):
        agent.gateway_call("calc", "secret")


def test_all_tools_where_that_was_said(memory: Memory, plain: str) -> None:
    memory.set_integration("calc", plain, kind="mcp", tools=["*"])
    assert text(memory.gateway_call("calc", "secret").result) == "never"


def test_the_secret_arrives_and_is_not_told(agent: Memory) -> None:
    assert text(agent.gateway_call("calc", "whoami").result) == "[REDACTED:secret]"
    found = agent.gateway_call("calc", "fail")
    assert not found.ok and "[REDACTED:secret]" in text(found.result) and "s3cr3t" not in str(found.result)


def test_errors_are_answers(agent: Memory) -> None:
    assert not agent.gateway_call("calc", "add", {"a": "no number"}).ok
    assert not agent.gateway_call("calc", "gone").ok


def test_time_and_size(agent: Memory, request: pytest.FixtureRequest) -> None:
    [row] = agent.integrations().integrations
    agent.set_integration("calc", row.url, kind="mcp", tools=TOOLS, seconds=1.0)
    with pytest.raises(OutsideTimeout):
        agent.gateway_call("calc", "sleep")
    agent.set_integration("calc", row.url, kind="mcp", tools=TOOLS, cap=100_000)
    with pytest.raises(OutsideFailed, match=r"too long an answer|more than [\d,]+ bytes"):
        agent.gateway_call("calc", "much")


def test_what_is_no_server_of_mcp(memory: Memory, world: Server) -> None:
    for path, why in (("status/401", "answered with status 401"), ("echo", "no proper answer to initialize"), ("status/200", "no JSON")):
        memory.set_integration("calc", f"{world.url}/{path}", kind="mcp", tools=["*"], headers={"Authorization": SECRET})
        with pytest.raises(OutsideFailed, match=why) as raised:
            memory.gateway_call("calc", "add")
        assert "s3cr3t" not in str(raised.value)
