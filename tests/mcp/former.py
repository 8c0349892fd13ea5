"""Run under an older official client: `python former.py URL | COMMAND WORD…`. Calls every core tool and prints what came as JSON.

Imports nothing of ours, as it lives in an environment of its own.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import AsyncExitStack

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


async def main(words: list[str]) -> None:
    async with AsyncExitStack() as stack:
        if words[0].startswith("http:"):
            streams = await stack.enter_async_context(streamablehttp_client(words[0]))
        else:
            streams = await stack.enter_async_context(stdio_client(StdioServerParameters(command=words[0], args=words[1:])))
        session = await stack.enter_async_context(ClientSession(*streams[:2]))
        settled = await session.initialize()
        found: dict[str, object] = {"version": settled.protocolVersion, "server": settled.serverInfo.name}
        found["tools"] = [tool.name for tool in (await session.list_tools()).tools]

        async def call(tool: str, **arguments: object) -> str:
            answer = await session.call_tool(tool, arguments)
            text: str = answer.content[0].text
            found[tool] = {"error": answer.isError, "text": text, "structured": getattr(answer, "structuredContent", None)}
            return text

        await call("memory_retain", content="The heron moved north.", created_at="2024-05-16T10:00:00Z")
        for tool, arguments in (
            ("memory_recall", {"query": "heron"}),
            ("memory_reflect", {"query": "heron"}),
            ("memory_bank_config_get", {}),
            ("memory_list", {}),
            ("memory_banks", {}),
            ("memory_forget", {"id": "00000000-0000-4000-8000-000000000000"}),
        ):
            await call(tool, **arguments)
        found["prompts"] = [prompt.name for prompt in (await session.list_prompts()).prompts]
        found["resources"] = [str(resource.uri) for resource in (await session.list_resources()).resources]
        await session.send_ping()
        print(json.dumps(found))


asyncio.run(main(sys.argv[1:]))
