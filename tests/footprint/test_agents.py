"""What serving agents costs a server: nothing before the first message, little after it, and no module that isn't on the list."""

from __future__ import annotations

import json
import time
from pathlib import Path

from bench.footprint.server import Server
from tests.footprint.test_footprint import QUIET, holds, idle
from tests.footprint.test_modules import ALLOWED, bare, imported

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
METHODS = (
    ("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}),
    ("tools/list", {}),
    ("tools/call", {"name": "memory_retain", "arguments": {"content": "The harbour pilot sleeps in Rotterdam."}}),
    ("tools/call", {"name": "memory_recall", "arguments": {"query": "harbour pilot"}}),
    ("tools/call", {"name": "memory_list", "arguments": {}}),
    ("resources/list", {}),
    ("prompts/get", {"name": "memory_historian"}),
    ("completion/complete", {"ref": {"type": "ref/resource", "uri": "memory://{bank}/{id}"}, "argument": {"name": "bank", "value": "b"}}),
)


def converse(server: Server) -> None:
    """Everything once, as a client of each era asks for it."""
    connection = server.dial()
    for method, params in METHODS:
        for meta in ({}, META) if method != "initialize" else ({},):
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, **({"_meta": meta} if meta else {})}}
            headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
            if meta:
                headers |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": str(params.get("name", ""))}
            connection.request("POST", "/mcp/b", json.dumps(body), headers)
            reply = connection.getresponse()
            assert "result" in json.loads(reply.read()), method
    connection.close()


def test_after_one_conversation(tmp_path: Path) -> None:
    with Server(tmp_path, *QUIET) as server:
        converse(server)
        holds(server, 14.5)
        for _ in range(2):
            idle(server)
            holds(server, 10.7, anonymous=8.5)
            assert server.recall("b", "harbour pilot") == ["The harbour pilot sleeps in Rotterdam."]
            converse(server)
        idle(server)
        holds(server, 10.7, anonymous=8.5)
        assert server.stop() == 0


def test_a_server_without_agents_loads_nothing_for_them(tmp_path: Path) -> None:
    with Server(tmp_path, "--quiet", "0.5", options=("-X", "importtime")) as server:
        server.retain("b", {"content": "loaded"})
        assert server.recall("b", "loaded") == ["loaded"]
        before = imported(server.log.read_text())
        assert not [name for name in before if name.startswith(("memory_wire.mcp", "memory_wire.serve.mcp", "memory_wire.serve.stream"))]
        converse(server)
        time.sleep(1.5)
        assert server.stop() == 0
        loaded = imported(server.log.read_text())
    assert "memory_wire.mcp.dispatch" in loaded
    culprits = [name for name in loaded if name.partition(".")[0] != "memory_wire" and name not in ALLOWED.union(bare())]
    assert not culprits, f"{culprits[0]} is new (in order: {culprits})"
