"""What a slim server has loaded: the list beside this file, nothing else. A new module is named before its memory breaks a limit."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from bench.footprint.server import Server

ALLOWED = set(Path(__file__).with_name("modules.txt").read_text().split())
HEADER = "imported package"


def imported(log: str) -> list[str]:
    """Modules in the order in which the last interpreter of an `-X importtime` log has loaded them."""
    lines = log[log.rindex(HEADER) :].splitlines()
    return [line.split("|")[2].strip() for line in lines if line.startswith("import time:") and line.count("|") == 2]


def bare() -> list[str]:
    """What every interpreter loads by itself."""
    done = subprocess.run([sys.executable, "-I", "-S", "-X", "importtime", "-c", "pass"], capture_output=True, text=True, check=True)
    return imported(done.stderr)


def test_a_server_loads_what_is_listed(tmp_path: Path) -> None:
    with Server(tmp_path, "--quiet", "0.5", options=("-X", "importtime")) as server:
        server.retain("b", {"content": "loaded", "tags": ["a"], "created_at": "2026-01-02", "session": "s"})
        server.retain("b", {"items": [{"content": f"memory {number}"} for number in range(200)]})
        server.recall("b", "loaded in january", exclude_tags=["b"], format="full", explain=True)
        for path in ("/health", "/metrics", "/ready", "/banks/b/memories?format=toon"):
            assert server.ask("GET", path)[0] == 200, path
        time.sleep(1.5)
        assert server.stop() == 0
        loaded = [name for name in imported(server.log.read_text()) if name.partition(".")[0] != "memory_wire"]
    culprits = [name for name in loaded if name not in ALLOWED.union(bare())]
    assert not culprits, f"{culprits[0]} is new (in order: {culprits})"
    assert set(loaded) >= {"uvloop.loop", "msgspec._core", "httptools.parser.parser", "_sqlite3"}
