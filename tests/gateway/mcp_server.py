"""A server of the official package at a port, started as a program: `mcp_server.py PORT [json|stateless]`."""

from __future__ import annotations

import sys
import time

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("calculator")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
def whoami(ctx: Context) -> str:  # type: ignore[type-arg]
    """Says what it was let in with."""
    return str(ctx.headers["authorization"]) if ctx.headers else ""


@server.tool()
async def slowly(ctx: Context) -> str:  # type: ignore[type-arg]
    """Tells of its progress first."""
    await ctx.info("working")
    return "done"


@server.tool()
def fail(ctx: Context) -> str:  # type: ignore[type-arg]
    """Always fails, and says more than it should."""
    raise ToolError(f"no such key: {whoami(ctx)}")


@server.tool()
def sleep() -> str:
    """Takes longer than anybody waits."""
    time.sleep(20)
    return "late"


@server.tool()
def much() -> str:
    """Says more than anybody reads."""
    return "x" * 3_000_000


@server.tool()
def secret() -> str:
    """Is on nobody's list."""
    return "never"


if __name__ == "__main__":
    port, *how = sys.argv[1:]
    server.run("streamable-http", port=int(port), json_response="json" in how, stateless_http="stateless" in how)
