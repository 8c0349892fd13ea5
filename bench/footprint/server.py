"""A server started as users start it, in a process of its own, and the requests that bring it into a state."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

PATIENCE = 30.0


def launcher() -> list[str]:
    """The installed `memory-wire`, or its module where it isn't installed as a script."""
    script = Path(sys.executable).with_name("memory-wire")
    return [str(script)] if script.exists() else [sys.executable, "-m", "memory_wire"]


class Server:
    """`memory-wire serve` on a free port with its store in `folder`. `options` go to the interpreter, `env` adds to the environment."""

    def __init__(self, folder: Path, *words: str, options: Sequence[str] = (), env: Mapping[str, str] = {}) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.log = folder / "stderr"
        command = [sys.executable, *options, "-m", "memory_wire"] if options else launcher()
        command += ["serve", "--addr", "127.0.0.1:0", "--db", str(folder / "memory.db"), *words]
        surrounding = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        with open(self.log, "wb") as log:
            begun = time.perf_counter()
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env={**surrounding, **env})
        try:
            self.port = self.bound()
            assert self.ask("GET", "/ready")[0] == 200
        except BaseException:
            self.__exit__()
            raise
        self.seconds = time.perf_counter() - begun  # from the start of the process to the answer of /ready

    @property
    def pid(self) -> int:
        return self.process.pid

    def bound(self) -> int:
        path = self.folder / "serve.json"
        end = time.monotonic() + PATIENCE
        while not path.exists():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the server did not start: {self.log.read_text()}")
            time.sleep(0.001)
        return int(json.loads(path.read_text())["addr"].rpartition(":")[2])

    def dial(self) -> http.client.HTTPConnection:
        """A connection of its own, for many requests."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, verb: str, path: str, body: object = None, over: http.client.HTTPConnection | None = None) -> tuple[int, bytes]:
        """Status and body of one request; on a connection that ends with it unless one is given."""
        connection = over or self.dial()
        data = None if body is None else json.dumps(body)
        try:
            connection.request(verb, path, data, {"content-type": "application/json"} if data else {})
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            if over is None:
                connection.close()

    def retain(self, bank: str, body: object, over: http.client.HTTPConnection | None = None) -> None:
        """One memory, or a batch when `body` has items. Raises AssertionError when it isn't stored."""
        batch = "/batch" if isinstance(body, dict) and "items" in body else ""
        status, answer = self.ask("POST", f"/banks/{bank}/retain{batch}", body, over)
        assert status == 200, f"{answer!r}\n{self.log.read_text()}"

    def recall(self, bank: str, query: str, over: http.client.HTTPConnection | None = None, **fields: object) -> list[str]:
        """What is found. Raises AssertionError when the request is refused."""
        status, answer = self.ask("POST", f"/banks/{bank}/recall", {"query": query, **fields}, over)
        assert status == 200, f"{answer!r}\n{self.log.read_text()}"
        found: list[str] = json.loads(answer)
        return found

    def stop(self) -> int:
        """The exit status after SIGTERM."""
        self.process.terminate()
        return self.process.wait(PATIENCE)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *exc: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
