"""A real server whose clock is a file, so that three days pass in a minute."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from memory_wire.wire import alive

CODE = """
import sys
from memory_wire.service.service import Service
def now():
    with open({clock!r}) as file:
        return int(file.read())
Service.__init__.__kwdefaults__["now"] = now
sys.argv = ["memory-wire", "serve", "--db", {db!r}, "--addr", "127.0.0.1:0", "--sync", "normal"]
from memory_wire.__main__ import main
sys.exit(main())
"""
PATIENCE = 20.0


class Clocked:
    def __init__(self, url: str, clock: Path) -> None:
        self.url, self.clock = url, clock

    def set(self, at: str) -> None:
        """Moves the server's clock to an RFC 3339 time."""
        fresh = self.clock.with_suffix(".new")
        fresh.write_text(str(int(datetime.fromisoformat(at).timestamp() * 1000)))
        fresh.replace(self.clock)


@contextmanager
def clocked(folder: Path, at: str) -> Iterator[Clocked]:
    """The server, its clock at `at`."""
    db, clock = folder / "memory.db", folder / "clock"
    server = Clocked("", clock)
    server.set(at)
    code = CODE.format(clock=str(clock), db=str(db))
    with subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "MEMORY_WIRE_SLIM": "0"}) as process:
        try:
            limit = time.monotonic() + PATIENCE
            state = folder / "serve.json"
            while not state.exists() or not alive(f"http://{json.loads(state.read_text())['addr']}"):
                if process.poll() is not None or time.monotonic() > limit:
                    raise RuntimeError("the server did not start")
                time.sleep(0.02)
            server.url = f"http://{json.loads(state.read_text())['addr']}"
            yield server
        finally:
            process.terminate()
            process.wait(PATIENCE)
