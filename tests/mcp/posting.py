"""Messages as HTTP requests, for the tests of `/mcp`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.mcp.tried import META, Json
from tests.serve.serving import Reply, Serving, request

BOTH = {"Accept": "application/json, text/event-stream"}
MODERN = {**BOTH, "MCP-Protocol-Version": "2026-07-28"}
NOTHING: Json = {}


def message(method: str, params: object = {}, id: object = 1) -> Json:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def post(serving: Serving, body: object, headers: Mapping[str, str] = BOTH, path: str = "/mcp") -> Reply:
    return serving.ask("POST", path, body, headers)


def modern(method: str, params: Json = NOTHING, **more: str) -> tuple[Json, dict[str, str]]:
    """A modern request: body and headers."""
    return message(method, {**params, "_meta": META}), {**MODERN, "Mcp-Method": method, **more}


def calling(tool: str, id: object = 1, **arguments: object) -> Json:
    """A call of a tool."""
    return message("tools/call", {"name": tool, "arguments": arguments}, id)


def sent(body: object, path: str = "/mcp", headers: Mapping[str, str] = BOTH) -> bytes:
    """A request as bytes."""
    return request("POST", path, body, headers)


def code(reply: Reply) -> int:
    found: Any = reply.json
    assert "result" not in found, found
    number: int = found["error"]["code"]
    return number
