"""Clients that leave before they are answered: what a modern one asked for and hasn't begun is not done, a legacy one's is."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path

from tests.mcp.posting import MODERN, calling, sent
from tests.mcp.tried import META, Json
from tests.serve.serving import Serving, request

PATIENCE = 20.0


def modern(body: Json) -> bytes:
    body = {**body, "params": {**body["params"], "_meta": META}}
    return sent(body, "/mcp/left", {**MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "memory_retain"})


def test_a_write_that_waits_for_its_turn(tmp_path: Path) -> None:
    with Serving(tmp_path) as server:
        server.ask("POST", "/banks/left/retain", {"content": "before"})
        other = sqlite3.connect(server.db, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")  # the server's next commit waits for this
        with server.dial() as first:
            first.send(request("POST", "/banks/left/retain", {"content": "under way"}))
            while server.counter("connections") != 2:  # ours and the one that asks
                time.sleep(0.01)
            time.sleep(0.1)  # the commit has begun: what comes now belongs to the next
            peers = [server.dial() for _ in range(40)]
            for number, peer in enumerate(peers):
                body = calling("memory_retain", content=f"{'modern' if number % 2 else 'legacy'} {number}")
                peer.send(modern(body) if number % 2 else sent(body, "/mcp/left"))
            while server.counter("connections") != 42:
                time.sleep(0.01)
            time.sleep(0.2)
            for peer in peers:
                peer.close()
            limit = time.monotonic() + PATIENCE
            while server.counter("connections") != 22:  # the legacy ones may have shut their side only
                assert time.monotonic() < limit
                time.sleep(0.01)
            other.execute("ROLLBACK")
            other.close()
            assert first.reply().status == 200
            while server.counter("connections") != 2:  # the next commit is answered
                assert time.monotonic() < limit
                time.sleep(0.01)
        stored = server.ask("GET", "/banks/left/memories?limit=500").json
        contents = [item["content"] for item in stored]  # type: ignore[attr-defined]
        assert contents[:2] == ["before", "under way"]
        assert sorted(contents[2:]) == sorted(f"legacy {number}" for number in range(0, 40, 2))
        assert json.loads(server.ask("POST", "/banks/left/recall", {"query": "way"}).body) == ["under way"]
        assert server.stop() == 0
