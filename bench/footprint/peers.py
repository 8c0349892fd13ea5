"""Memory servers of others that start without a model and without a network, where they are installed: what they hold after one memory.

`npm install @modelcontextprotocol/server-memory` puts `mcp-server-memory` into node_modules/.bin; it has to be on the PATH.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.footprint import probe

MEMORY = {"name": "pilot", "entityType": "person", "observations": ["The harbour pilot sleeps in Rotterdam."]}
CLIENT = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class Peer:
    """An MCP server on its standard streams."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.number = 0

    def send(self, message: dict[str, object]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def call(self, method: str, params: object) -> object:
        """The result of one request. Raises KeyError when the server answers with an error."""
        assert self.process.stdout is not None
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return json.loads(self.process.stdout.readline())["result"]


@contextmanager
def running(command: list[str], **env: str) -> Iterator[Peer]:
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **env})
    try:
        yield Peer(process)
    finally:
        process.kill()
        process.communicate()


def readings(quiet: float = 10.0) -> list[tuple[str, probe.Reading]]:
    """The MCP reference memory server: initialised, and idle after one memory was stored and found. Empty when it isn't installed."""
    command = shutil.which("mcp-server-memory")
    if command is None:
        return []
    with tempfile.TemporaryDirectory() as folder, running([command], MEMORY_FILE_PATH=str(Path(folder) / "memory.json")) as peer:
        peer.call("initialize", CLIENT)
        peer.send({"method": "notifications/initialized"})
        ready = probe.reading(peer.process.pid)
        peer.call("tools/call", {"name": "create_entities", "arguments": {"entities": [MEMORY]}})
        peer.call("tools/call", {"name": "search_nodes", "arguments": {"query": "pilot"}})
        time.sleep(quiet)
        return [("MCP reference memory server, ready", ready), ("the same, idle after one memory", probe.reading(peer.process.pid))]
