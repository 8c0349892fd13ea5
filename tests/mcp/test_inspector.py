"""The official inspector's command line against the product: its strict look at the tools finds nothing. Long tier."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.mcp.node import run, script
from tests.serve.serving import Serving

ERAS = ("legacy", "auto", "modern")
TRANSPORTS = ("http", "stdio")
CARELESS = """
import json, sys
tool = {"name": "careless", "description": "x", "inputSchema": {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}}
about = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "careless", "version": "1"}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        answer = about if asked["method"] == "initialize" else {"tools": [tool]}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("served")) as server:
        yield server


def inspect(folder: Path, target: list[str], method: str, *words: str, era: str = "auto") -> CompletedProcess[str]:
    return run([script("inspector"), "--cli", "--method", method, "--format", "json", "--protocol-era", era, *words, *target], cwd=folder)


def target(transport: str, serving: Serving, folder: Path) -> list[str]:
    if transport == "http":
        host, port = serving.address
        return ["--transport", "http", f"http://{host}:{port}/mcp"]
    return ["--", sys.executable, "-m", "memory_wire", "mcp", "--db", str(folder / "memory.db"), "--bank", "default"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_strict_finds_nothing(transport: str, era: str, serving: Serving, tmp_path: Path) -> None:
    done = inspect(tmp_path, target(transport, serving, tmp_path), "tools/list", "--strict", era=era)
    assert (done.returncode, done.stderr) == (0, "")
    assert "memory_recall" in [tool["name"] for tool in json.loads(done.stdout)["result"]["tools"]]


def test_strict_finds_what_is_careless(tmp_path: Path) -> None:
    """Otherwise its silence would mean nothing."""
    done = inspect(tmp_path, ["--", sys.executable, "-c", CARELESS], "tools/list", "--strict", era="legacy")
    assert "inputSchema.properties.a" in done.stderr


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_it_reads_what_it_stores(transport: str, era: str, serving: Serving, tmp_path: Path) -> None:
    def result(method: str, *words: str) -> dict[str, object]:
        done = inspect(tmp_path, target(transport, serving, tmp_path), method, *words, era=era)
        assert done.returncode == 0, done.stderr
        found: dict[str, object] = json.loads(done.stdout)["result"]
        return found

    said = f"The {era} heron of {transport}."
    stored = result("tools/call", "--tool-name", "memory_retain", "--tool-arg", f"content={said}")
    assert said in str(result("tools/call", "--tool-name", "memory_recall", "--tool-arg", f"query={said}"))
    uri = f"memory://default/{stored['structuredContent']['id']}"  # type: ignore[index]
    assert uri in str(result("resources/list"))
    assert said in str(result("resources/read", "--uri", uri))
    assert result("prompts/list")["prompts"]
