"""The official Python client against the product, over both transports and in every mode it has.

All tools are called and what they answer is held to their schemas.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import mcp
import pytest
from jsonschema import Draft202012Validator
from mcp.client.stdio import StdioServerParameters

from tests.serve.serving import Serving

MODES = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}
TRANSPORTS = ("http", "stdio", "stdio beside a server")
WRONG: list[tuple[dict[str, object], str]] = [
    ({}, "query"),
    ({"query": 7}, "query"),
    ({"query": "a", "budget": "many"}, "budget"),
    ({"query": "a", "tags": "bird"}, "tags"),
    ({"query": "a", "tags": ["bird", 7]}, "tags"),
    ({"query": "a", "format": "brief"}, "format"),
    ({"query": "a", "bank": 7}, "bank"),
]
CORE = {"memory_retain", "memory_recall", "memory_reflect", "memory_bank_config_get", "memory_forget", "memory_list", "memory_banks"}


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("served")) as server:
        yield server
        assert server.stop() == 0
        assert "Traceback" not in server.stderr and '"internal"' not in server.stderr, server.stderr


def stdio(db: Path, folder: Path, *words: str) -> StdioServerParameters:
    """`memory-wire mcp` in a folder of its own."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-W", "error", "-m", "memory_wire", "mcp", "--db", str(db), *words],
        cwd=folder,
        env={"HOME": str(folder), "MEMORY_WIRE_BANK": "client"},
    )


@asynccontextmanager
async def client(transport: str, mode: str, serving: Serving, folder: Path) -> AsyncIterator[mcp.Client]:
    host, port = serving.address
    target: str | StdioServerParameters = f"http://{host}:{port}/mcp/client"
    if transport != "http":
        target = stdio(folder / "memory.db" if transport == "stdio" else serving.db, folder)
    async with mcp.Client(target, mode=mode, read_timeout_seconds=30) as connected:
        yield connected


def valid(schema: dict[str, object], value: object) -> None:
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(value)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_every_tool_answers_what_its_schema_says(transport: str, mode: str, serving: Serving, tmp_path: Path) -> None:
    async def calls() -> None:
        async with client(transport, mode, serving, tmp_path) as agent:
            assert agent.protocol_version == MODES[mode]
            tools = {tool.name: tool for tool in (await agent.list_tools()).tools}
            called: set[str] = set()

            async def call(name: str, **arguments: object) -> dict[str, object]:
                tool = tools[name]
                assert tool.output_schema is not None
                valid(tool.input_schema, arguments)
                answer = await agent.call_tool(name, arguments)
                assert not answer.is_error, answer.content
                assert answer.content and all(block.type == "text" and block.text for block in answer.content)
                valid(tool.output_schema, answer.structured_content)
                called.add(name)
                return dict(answer.structured_content)

            said = f"Deploys of {transport} in mode {mode} run on Thursdays."
            stored = await call("memory_retain", content=said, tags=["deploy"], created_at="2024-05-16T10:00:00Z")
            found = await call("memory_recall", query=f"When do deploys of {transport} in mode {mode} run?")
            assert said in json.dumps(found)
            assert said in json.dumps(await call("memory_reflect", query=said))
            await call("memory_bank_config_get")
            assert str(stored["id"]) in json.dumps(await call("memory_list"))
            assert "client" in json.dumps(await call("memory_banks"))
            await call("memory_forget", id=stored["id"])
            assert str(stored["id"]) not in json.dumps(await call("memory_list"))
            assert called == set(tools) == CORE

    asyncio.run(calls())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_resources_and_prompts(transport: str, mode: str, serving: Serving, tmp_path: Path) -> None:
    async def calls() -> None:
        async with client(transport, mode, serving, tmp_path) as agent:
            said = f"Resources of {transport} in mode {mode}."
            stored = (await agent.call_tool("memory_retain", {"content": said})).structured_content
            uri = f"memory://client/{stored['id']}"
            contents = (await agent.read_resource(uri)).contents
            assert said in contents[0].text
            assert uri in [resource.uri for resource in (await agent.list_resources()).resources]
            assert [template.uri_template for template in (await agent.list_resource_templates()).resource_templates]
            with pytest.raises(mcp.MCPError) as error:
                await agent.read_resource("memory://client/00000000-0000-4000-8000-000000000000")
            assert error.value.code == (-32002 if mode == "legacy" else -32602)
            prompts = (await agent.list_prompts()).prompts
            assert prompts and all(prompt.description for prompt in prompts)
            for prompt in prompts:
                given = {argument.name: "deploys" for argument in prompt.arguments or []}
                assert (await agent.get_prompt(prompt.name, given)).messages
            await agent.call_tool("memory_forget", {"id": stored["id"]})

    asyncio.run(calls())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_wrong_argument_is_a_result_that_names_it(transport: str, mode: str, serving: Serving, tmp_path: Path) -> None:
    async def calls() -> None:
        async with client(transport, mode, serving, tmp_path) as agent:
            for arguments, field in WRONG:
                answer = await agent.call_tool("memory_recall", arguments)
                assert answer.is_error and re.search(rf"\b{field}\b", answer.content[0].text), answer
            with pytest.raises(mcp.MCPError) as error:
                await agent.call_tool("memory_devour", {})
            assert error.value.code == -32602

    asyncio.run(calls())


def test_a_dated_memory_is_dated_in_the_text_only(serving: Serving, tmp_path: Path) -> None:
    async def calls() -> None:
        async with client("stdio", "auto", serving, tmp_path) as agent:
            await agent.call_tool("memory_retain", {"content": "The heron moved north.", "created_at": "2024-05-16T10:00:00Z"})
            answer = await agent.call_tool("memory_recall", {"query": "heron"})
            assert "[2024-05-16] The heron moved north." in answer.content[0].text
            assert "2024-05-16T10:00:00" in json.dumps(answer.structured_content)
            assert "[2024-05-16]" not in json.dumps(answer.structured_content)

    asyncio.run(calls())


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_what_the_budget_left_out_is_said(transport: str, serving: Serving, tmp_path: Path) -> None:
    async def calls() -> None:
        async with client(transport, "auto", serving, tmp_path) as agent:
            said = [f"The osprey of {transport}, part {number}. " + "x" * 20_000 for number in range(2)]
            stored = [(await agent.call_tool("memory_retain", {"content": part})).structured_content["id"] for part in said]
            asked = {"query": f"osprey of {transport}"}
            answer = await agent.call_tool("memory_recall", asked)
            assert len(answer.structured_content["memories"]) == 1 and answer.structured_content["truncated"] is True
            whole = await agent.call_tool("memory_recall", {**asked, "budget": 20_000})
            assert len(whole.structured_content["memories"]) == 2 and "truncated" not in whole.structured_content
            for id in stored:
                await agent.call_tool("memory_forget", {"id": id})

    asyncio.run(calls())
