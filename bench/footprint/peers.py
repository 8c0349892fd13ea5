"""Memory servers of others that start without a model and without a network, where they are installed: what they hold after one memory.

They are found on the PATH: `npm install @modelcontextprotocol/server-memory` (in node_modules/.bin), `pip install mcp-memory-service`,
`pip install basic-memory` (Python 3.12 and newer), each in an environment of its own.
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
from typing import NamedTuple

from bench.footprint import probe

FACT = "The harbour pilot sleeps in Rotterdam."
CLIENT = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class Kind(NamedTuple):
    """How one peer is started and given a memory; `{folder}` in words and variables is its scratch folder."""

    name: str
    command: tuple[str, ...]
    variables: dict[str, str]
    tool: str
    arguments: dict[str, object]


KINDS = (
    Kind(
        "MCP reference memory server",
        ("mcp-server-memory",),
        {"MEMORY_FILE_PATH": "{folder}/memory.json"},
        "create_entities",
        {"entities": [{"name": "pilot", "entityType": "person", "observations": [FACT]}]},
    ),
    Kind(
        "mcp-memory-service (sqlite-vec)",
        ("memory", "server"),
        {"MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec", "MCP_MEMORY_SQLITE_PATH": "{folder}/memory.db", "HF_HUB_OFFLINE": "1"},
        "memory_store",
        {"content": FACT},
    ),
    Kind(
        "basic-memory (semantic search off)",
        ("basic-memory", "mcp"),
        {"BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false", "BASIC_MEMORY_HOME": "{folder}/notes"},
        "write_note",
        {"title": "pilot", "content": FACT, "directory": "notes"},
    ),
)


class Peer:
    """An MCP server on its standard streams."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.number = 0

    def send(self, message: dict[str, object]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def call(self, method: str, params: object) -> dict[str, object]:
        """The result of one request. Raises KeyError when the server answers with an error."""
        assert self.process.stdout is not None
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.number:
                result: dict[str, object] = message["result"]
                return result


@contextmanager
def running(kind: Kind, folder: str) -> Iterator[Peer]:
    variables = {name: value.format(folder=folder) for name, value in kind.variables.items()}
    environment = {**os.environ, "HOME": folder, **variables}
    process = subprocess.Popen(
        kind.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, cwd=folder
    )
    try:
        yield Peer(process)
    finally:
        process.kill()
        process.communicate()


def readings(quiet: float = 10.0) -> list[tuple[str, probe.Reading, str]]:
    """Each installed peer, initialised, and idle after it was given one memory, with what was seen. Empty when none is installed."""
    found = []
    for kind in KINDS:
        if shutil.which(kind.command[0]) is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "notes").mkdir()
            begun = time.perf_counter()
            with running(kind, folder) as peer:
                peer.call("initialize", CLIENT)
                seconds = time.perf_counter() - begun
                peer.send({"method": "notifications/initialized"})
                found.append((f"{kind.name}, ready", probe.reading(peer.process.pid), f"{seconds:.1f} s from start to the first answer"))
                answer = peer.call("tools/call", {"name": kind.tool, "arguments": kind.arguments})
                time.sleep(quiet)
                told = "it reports an error" if refused(answer) else ""
                found.append(("the same, idle after one memory", probe.reading(peer.process.pid), told))
    return found


def refused(answer: dict[str, object]) -> bool:
    """Whether the memory wasn't taken; some say so in the text only."""
    return bool(answer.get("isError")) or "error" in json.dumps(answer.get("content")).lower()
