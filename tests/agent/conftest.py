"""A server on an address that stays through restarts, an agent as a process, and a home with sessions of hosts."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_wire import Client
from tests.mcp.child import Child
from tests.serve.serving import Serving

PATIENCE = 20.0
QUICK = {"AGENT_RETRY_SECONDS": 0.05, "AGENT_RETRY_MAX_SECONDS": 0.2, "AGENT_CYCLE_SECONDS": 0.1, "AGENT_CYCLE_MAX_SECONDS": 0.4}


class Site:
    """`folder` holds the server's store and the agent's home."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.store, self.home = folder / "server", folder / "home"
        self.store.mkdir()
        self.home.mkdir()
        self.data = self.home / ".local" / "share" / "memory-wire"
        self.agents: list[Child] = []
        self.server: Serving | None = None

    def serve(self, **config: object) -> Serving:
        self.server = Serving(self.store, "--addr", f"127.0.0.1:{self.port}", config={"FIRST_KEY_SECONDS": 0.0, **config})
        return self.server

    def kill(self) -> None:
        if self.server is not None:
            self.server.__exit__()
            self.server = None

    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.home), "XDG_DATA_HOME": str(self.home / ".local" / "share"), "MEMORY_WIRE_URL": self.url}

    def agent(self, **config: object) -> Child:
        agent = Child(self.home, verb="agent", env=self.environment(), config={**QUICK, **config})
        self.agents.append(agent)
        agent.begin()
        return agent

    def client(self) -> Client:
        return Client(self.url, bank="child", db=self.store / "memory.db")

    def contents(self) -> list[str]:
        with self.client() as client:
            return [item.content for item in client.memories(limit=200).items]

    def consent(self) -> None:
        folder = self.data / "agent"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "consent.json").write_text(json.dumps({"uploads": True, "server": self.url}))
        os.chmod(folder / "consent.json", 0o600)

    def session(self, name: str = "one") -> Path:
        """The file of a session of Claude Code, not made yet."""
        path = self.home / ".claude" / "projects" / "-home-ann-work" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path)
    yield site
    for agent in site.agents:
        agent.__exit__()
    site.kill()


def until(holds: Callable[[], object]) -> None:
    """Waits for something to become true."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)


def told(agent: Child) -> dict[str, object]:
    """What `mmw_sync_status` shows."""
    found: dict[str, object] = agent.call("mmw_sync_status")["structuredContent"]  # type: ignore[assignment]
    return found
