"""`memory-wire mcp`, or another verb that speaks the protocol, as a process with pipes, spoken to in raw lines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

PATIENCE = 30.0
START = """
import sys
from memory_wire import config
for name, value in {config!r}.items():
    assert hasattr(config, name), name
    setattr(config, name, value)
sys.argv = ["memory-wire", *{words!r}]
from memory_wire.__main__ import main
sys.exit(main())
"""


class Child:
    """Answers are collected as they come: `answers` by id (every one of them), `lines` in order. `config` replaces limits."""

    def __init__(
        self,
        folder: Path,
        *words: str,
        env: Mapping[str, str] = {},
        db: str = "memory.db",
        config: Mapping[str, object] = {},
        verb: str = "mcp",
    ) -> None:
        where = ("--db", str(folder / db)) if verb == "mcp" else ()
        code = START.format(config=dict(config), words=[verb, *where, *words])
        command = [sys.executable, "-W", "error", "-c", code]
        self.log = folder / f"mcp-{time.monotonic_ns()}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=folder,
                env={**os.environ, "HOME": str(folder), "MEMORY_WIRE_BANK": "child", **env},
            )
        self.lines: list[dict[str, object]] = []
        self.answers: dict[object, list[dict[str, object]]] = {}
        self.news = threading.Condition()
        self.ended = False
        self.sent = 0
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            with self.news:
                self.lines.append(message)
                self.answers.setdefault(message.get("id"), []).append(message)
                self.news.notify_all()
        with self.news:
            self.ended = True
            self.news.notify_all()

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, method: str, params: object = None, id: object = None) -> None:
        message = {"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params}) | ({} if id is None else {"id": id})
        self.write(json.dumps(message).encode() + b"\n")

    def answer(self, id: object) -> dict[str, object]:
        """The first answer with that id; fails when the process ends or takes too long."""
        with self.news:
            assert self.news.wait_for(lambda: id in self.answers or self.ended, PATIENCE), f"no answer to {id!r}"
            assert id in self.answers, self.stderr
            return self.answers[id][0]

    def ask(self, method: str, params: object = None) -> dict[str, object]:
        self.sent += 1
        self.send(method, params, f"ask-{self.sent}")
        return self.answer(f"ask-{self.sent}")

    def call(self, tool: str, **arguments: object) -> dict[str, object]:
        """The result of a tool."""
        found = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert "result" in found, found
        result: dict[str, object] = found["result"]  # type: ignore[assignment]
        return result

    def begin(self, version: str = "2025-11-25") -> dict[str, object]:
        """The handshake."""
        client = {"name": "tests", "version": "1"}
        found = self.ask("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client})
        self.send("notifications/initialized")
        return found["result"]  # type: ignore[return-value]

    @property
    def stderr(self) -> str:
        return self.log.read_text()

    def end(self) -> int:
        """The exit status after the end of its input."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        return status

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *exc: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None and not pipe.closed:
                with suppress(BrokenPipeError):
                    pipe.close()
