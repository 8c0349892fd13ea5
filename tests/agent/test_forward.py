"""The tools of a remote server through `memory-wire agent`: as they are, with one more; and what is told while the server is away."""

from __future__ import annotations

import asyncio
import sys

import mcp
from jsonschema import Draft202012Validator
from mcp.client.stdio import StdioServerParameters

from tests.agent.conftest import Site, told
from tests.mcp.child import Child
from tests.outside.server import Server


def names(agent: Child) -> list[str]:
    return [tool["name"] for tool in agent.ask("tools/list")["result"]["tools"]]  # type: ignore[index]


def test_the_tools_are_the_servers_and_one_more(site: Site) -> None:
    site.serve()
    with site.client() as client:
        client.retain("Something, so that there is a bank.")
        client.put_config({"mcpTools": "records"})
    with Child(site.home, "--db", str(site.store / "memory.db"), db="unused") as direct:
        direct.begin()
        expected = direct.ask("tools/list")["result"]["tools"]  # type: ignore[index]
    agent = site.agent()
    found = agent.ask("tools/list")["result"]["tools"]  # type: ignore[index]
    assert found[:-1] == expected and len(found) > 8
    assert found[-1]["name"] == "mmw_sync_status" and found[-1]["annotations"]["readOnlyHint"]
    site.kill()
    assert agent.ask("tools/list")["result"]["tools"] == found  # type: ignore[index]
    assert site.agent().ask("tools/list")["result"]["tools"] == found  # type: ignore[index]


def test_a_server_that_is_down_at_the_start(site: Site) -> None:
    agent = site.agent()
    assert "memory_recall" in names(agent) and names(agent)[-1] == "mmw_sync_status"
    answer = agent.call("memory_recall", query="anything")
    assert answer["isError"] is True and "can't be asked now" in str(answer["content"])
    site.serve()
    assert agent.call("memory_retain", content="Kestrels hover into the wind.")["isError"] is False
    assert "Kestrels" in str(agent.call("memory_recall", query="kestrels")["content"])
    assert site.contents() == ["Kestrels hover into the wind."]


def test_an_integration_of_the_server_gets_its_own_arguments_only(site: Site) -> None:
    site.serve()
    with Server() as world, site.client() as client:
        client.set_integration("tracker", f"{world.url}/echo", arguments={"workspace": "string?", "bank": "string?"}, expose=True)
        agent = site.agent()
        assert "tracker" in names(agent)
        assert '"path":"/echo"' in str(agent.call("tracker")["content"])
        assert '"path":"/echo?workspace=ours"' in str(agent.call("tracker", workspace="ours")["content"])


def test_refusals_are_the_servers(site: Site) -> None:
    site.serve()
    agent = site.agent()
    assert agent.ask("tools/call", {"name": "no_such_tool"})["error"]["code"] == -32602  # type: ignore[index]
    answer = agent.call("memory_retain", content=7)
    assert answer["isError"] is True and "`content`" in str(answer["content"])
    state = told(agent)
    assert (state["waiting"], state["set_aside"], state["consent"], state["server"]) == (0, 0, False, site.url)
    assert agent.end() == 0


def test_the_official_client(site: Site) -> None:
    site.serve()

    async def calls() -> None:
        words = ["-W", "error", "-m", "memory_wire", "agent"]
        environment = {**site.environment(), "MEMORY_WIRE_BANK": "child"}
        target = StdioServerParameters(command=sys.executable, args=words, cwd=site.home, env=environment)
        async with mcp.Client(target, read_timeout_seconds=30) as agent:
            tools = {tool.name: tool for tool in (await agent.list_tools()).tools}
            stored = await agent.call_tool("memory_retain", {"content": "The release is on Thursday."})
            assert not stored.is_error and stored.structured_content["id"]
            found = await agent.call_tool("memory_recall", {"query": "When is the release?"})
            assert "Thursday" in str(found.structured_content)
            state = await agent.call_tool("mmw_sync_status", {})
            Draft202012Validator(tools["mmw_sync_status"].output_schema).validate(state.structured_content)
            site.kill()
            waits = await agent.call_tool("memory_retain", {"content": "Said while nobody listened."})
            Draft202012Validator(tools["memory_retain"].output_schema).validate(waits.structured_content)
            assert waits.structured_content["waiting"] is True and not waits.is_error

    asyncio.run(calls())
