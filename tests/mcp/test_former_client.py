"""Official Python clients of former years against the product, each in an environment of its own. Long tier."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.mcp.node import cache
from tests.serve.serving import Serving

CLIENTS = {  # version -> what it settles on, what it needs beside it
    "1.8.1": ("2024-11-05", ["pydantic==2.11.7"]),
    "1.30.0": ("2025-11-25", []),
}


def python(version: str) -> Path:
    """The interpreter of an environment with that client, made when it isn't there yet."""
    folder = cache() / f"client-{version}-{sys.version_info.major}.{sys.version_info.minor}"
    cache().mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(cache() / f"client-{version}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ready = folder / "ready"
        if not ready.exists():
            venv.create(folder, clear=True, with_pip=True)
            wanted = [f"mcp=={version}", *CLIENTS[version][1]]
            subprocess.run([folder / "bin" / "pip", "install", "-q", *wanted], check=True, timeout=300)
            ready.touch()
    return folder / "bin" / "python"


@pytest.mark.parametrize("version", CLIENTS)
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_all_tools(version: str, transport: str, tmp_path: Path) -> None:
    with Serving(tmp_path) as serving:
        host, port = serving.address
        target = [f"http://{host}:{port}/mcp/former"]
        if transport == "stdio":
            target = [sys.executable, "-m", "memory_wire", "mcp", "--db", str(tmp_path / "other.db"), "--bank", "former"]
        script = Path(__file__).with_name("former.py")
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run([python(version), script, *target], check=False, capture_output=True, text=True, timeout=60, env=env)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert found["version"] == CLIENTS[version][0]
        called = [name for name in found["tools"] if name in found]
        assert called == found["tools"] and not any(found[name]["error"] for name in called)
        assert "[2024-05-16] The heron moved north." in found["memory_recall"]["text"]
        if transport == "stdio":  # over HTTP, clients that old say no version, so that they get what they don't know
            assert (found["memory_recall"]["structured"] is not None) == (version == "1.30.0")  # there since 2025-06-18
        assert found["prompts"] and found["resources"]
