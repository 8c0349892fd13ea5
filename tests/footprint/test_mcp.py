"""An agent's protocol used once: the server comes to rest where it does without, and the process a host starts stays small."""

from __future__ import annotations

from pathlib import Path

from bench.footprint import probe
from bench.footprint.server import Server
from tests.footprint.test_footprint import MIB, QUIET, holds, idle
from tests.mcp.child import Child

SESSION: list[tuple[str, dict[str, object]]] = [
    ("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}),
    ("tools/list", {}),
    ("resources/list", {}),
    ("prompts/get", {"name": "memory_historian"}),
    ("tools/call", {"name": "memory_retain", "arguments": {"content": "The harbour pilot sleeps in Rotterdam."}}),
    ("tools/call", {"name": "memory_recall", "arguments": {"query": "harbour pilot"}}),
]


def test_a_server_comes_to_rest_after_it(tmp_path: Path) -> None:
    with Server(tmp_path, *QUIET) as server:
        for number, (method, params) in enumerate(SESSION):
            status, answer = server.ask("POST", "/mcp/b", {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            assert status == 200 and b'"result"' in answer, answer
        holds(server, 15)
        idle(server)
        holds(server, 10.7, anonymous=8.5)
        assert server.stop() == 0
        assert "warning" not in server.log.read_text()


def test_the_process_of_a_host_is_small(tmp_path: Path) -> None:
    with Child(tmp_path) as child:
        child.begin()
        assert probe.reading(child.process.pid).rss < 14 * MIB
        for method, params in SESSION[1:]:
            assert "result" in child.ask(method, params)
        assert probe.reading(child.process.pid).rss < 19 * MIB
        assert child.end() == 0
