"""A bank with an embedder: what it loads goes with the helper process, but for our own few modules."""

from __future__ import annotations

from pathlib import Path

from bench.footprint.server import Server
from tests.embed.endpoint import WORDLLAMA
from tests.footprint.test_footprint import QUIET, holds, idle

HEAVY = ("numpy", "onnxruntime", "hnswlib", "_typing", "_ssl")


def test_vectors_used_once_and_left(tmp_path: Path) -> None:
    with Server(tmp_path, *QUIET) as server:
        for number in range(30):
            server.retain("b", {"content": f"Owl {number} sleeps at noon in spring {number % 7}."})
        config = {"embedder": {**WORDLLAMA, "seconds": 30}, "fusion": "dense"}
        assert server.ask("PUT", "/banks/b/config", config)[0] == 200
        assert server.ask("POST", "/v1/banks/b/embed", {"texts": ["one"]})[0] == 200
        assert server.ask("POST", "/v1/banks/b/embedding/run", {})[0] == 200
        assert server.recall("b", "birds that snooze")
        idle(server)
        holds(server, 10.7, anonymous=9.5)
        maps = Path(f"/proc/{server.pid}/maps").read_text()
        assert not [name for name in HEAVY if f"{name}." in maps or f"/{name}/" in maps]
        assert server.recall("b", "birds that snooze")
