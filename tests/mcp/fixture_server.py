"""Serves the fixtures as the product serves its own tools: same dispatcher, same HTTP server. `python -m tests.mcp.fixture_server DB`."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from pathlib import Path

from tests.serve.serving import Peer

PATIENCE = 20.0


class Fixture:
    """That process, and where it listens: `url`."""

    def __init__(self, folder: Path, *words: str, module: str = "tests.mcp.fixture_server") -> None:
        command = [sys.executable, "-W", "error", "-m", module, str(folder / "memory.db"), *words]
        self.log = folder / "stderr"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, stderr=log, cwd=Path(__file__).parents[2])
        found = folder / "serve.json"
        limit = time.monotonic() + PATIENCE
        while not found.exists():
            assert self.process.poll() is None and time.monotonic() < limit, self.log.read_text()
            time.sleep(0.01)
        self.url = f"http://{json.loads(found.read_text())['addr']}/mcp"

    def dial(self) -> Peer:
        """A raw connection."""
        host, _, port = self.url.removeprefix("http://").removesuffix("/mcp").rpartition(":")
        return Peer(socket.create_connection((host, int(port)), PATIENCE))

    def __enter__(self) -> Fixture:
        return self

    def __exit__(self, *exc: object) -> None:
        self.process.terminate()
        assert self.process.wait(PATIENCE) == 0
        assert "Traceback" not in self.log.read_text(), self.log.read_text()


def main(db: str) -> int:
    from memory_wire.serve.loop import run
    from memory_wire.serve.settings import Settings
    from tests.mcp.fixtures import Fixtures

    return run(Settings(db=db, addr="127.0.0.1:0"), provider=Fixtures())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
