"""The official client on a server with two projects: what one has as tools of its own, the other neither sees nor calls nor hears of."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress

import httpx2
import mcp
import pytest
from mcp.client.streamable_http import streamable_http_client

from memory_wire import Client
from tests.serve.serving import Serving

MODES = ("legacy", "2026-07-28")
SECRET = "s3cr3t-of-the-calculator"


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("served"), config={"FIRST_KEY_SECONDS": 0.0}) as server:
        yield server


@pytest.fixture(scope="module")
def keys(serving: Serving, plain: str) -> dict[str, str]:
    """A key of each kind; the project `web` has the calculator."""
    host, port = serving.address
    url = f"http://{host}:{port}"
    with Client(url, db=serving.db) as first:
        owner = first.create_key("owner", rights="admin").key
    with Client(url, key=owner, db=serving.db) as admin:
        for project in ("web", "app"):
            admin.create_project(project)
        found = {project: admin.create_key(project, project=project).key for project in ("web", "app")}
        found["web-reader"] = admin.create_key("web-reader", project="web", rights="read").key
        how = {"kind": "mcp", "tools": ["add", "whoami"], "headers": {"Authorization": SECRET}, "expose": ["add"]}
        admin.set_integration("calc", plain, project="web", **how)
    return {**found, "owner": owner}


@asynccontextmanager
async def agent(serving: Serving, key: str, mode: str = "2026-07-28") -> AsyncIterator[mcp.Client]:
    host, port = serving.address
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=30) as http:
        transport = streamable_http_client(f"http://{host}:{port}/mcp", http_client=http)
        async with mcp.Client(transport, mode=mode, read_timeout_seconds=30) as connected:
            yield connected


@pytest.mark.parametrize("mode", MODES)
def test_one_project_sees_and_calls_it_the_other_does_neither(serving: Serving, keys: dict[str, str], mode: str) -> None:
    async def calls() -> None:
        async with agent(serving, keys["web"], mode) as inside:
            tools = {tool.name: tool for tool in (await inside.list_tools()).tools}
            assert tools["calc_add"].output_schema is not None and "calc_whoami" not in tools
            answer = await inside.call_tool("calc_add", {"a": 2, "b": 3})
            assert not answer.is_error and answer.structured_content == {"result": 5}
            wrong = await inside.call_tool("calc_add", {"a": 2, "b": "three"})
            assert wrong.is_error and "`b` must be integer" in str(wrong.content)
            assert SECRET not in str(tools)
        listed = {}
        for name in ("app", "web-reader", "owner"):
            async with agent(serving, keys[name], mode) as outside:
                listed[name] = [tool.name for tool in (await outside.list_tools()).tools]
                assert not [tool for tool in listed[name] if tool.startswith("calc")]
                with pytest.raises(mcp.MCPError) as refused:
                    await outside.call_tool("calc_add", {"a": 2, "b": 3})
                assert (refused.value.code, str(refused.value)) == (-32602, "unknown tool: calc_add")
        assert len({tuple(names) for names in listed.values()}) == 1

    asyncio.run(calls())


def test_who_listens_is_told_of_their_own_project_only(serving: Serving, keys: dict[str, str], plain: str) -> None:
    host, port = serving.address

    def change(project: str) -> None:
        with Client(f"http://{host}:{port}", key=keys["owner"], db=serving.db) as admin:
            admin.set_integration("more", plain, kind="mcp", tools=["add"], project=project, expose=True)
            admin.remove_integration("more", project=project)

    async def calls() -> None:
        async with agent(serving, keys["web"], "auto") as inside, agent(serving, keys["app"], "auto") as outside:
            assert inside.server_capabilities.tools.list_changed is True
            async with inside.listen(tools_list_changed=True) as near, outside.listen(tools_list_changed=True) as far:
                await asyncio.to_thread(change, "web")
                await asyncio.wait_for(anext(near), 10)
                with suppress(TimeoutError):
                    await asyncio.wait_for(anext(far), 0.3)
                    raise AssertionError("a project hears of another")
        async with agent(serving, keys["web"], "legacy") as former:
            assert not former.server_capabilities.tools.list_changed

    asyncio.run(calls())
