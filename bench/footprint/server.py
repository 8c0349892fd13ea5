"""A server started as users start it, in a process of its own, and the requests that bring it into a state."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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


HAND_OVER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
os.execv(sys.argv[2], sys.argv[2:])
"""  # what a service manager does with the socket that a request came in on


@contextmanager
def handed_over(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], float]]:
    """A server started for a request that waits in a socket already, and the seconds until that is answered."""
    folder.mkdir(parents=True, exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()) as client:
        client.settimeout(PATIENCE)
        client.sendall(b"GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        command = [
            sys.executable,
            "-I",
            "-S",
            "-c",
            HAND_OVER,
            str(listener.fileno()),
            *launcher(),
            "serve",
            "--db",
            str(folder / "memory.db"),
        ]
        begun = time.perf_counter()
        process = subprocess.Popen(command, pass_fds=[listener.fileno()], stderr=subprocess.DEVNULL)
        try:
            head = client.recv(4096)
            seconds = time.perf_counter() - begun
            assert head.startswith(b"HTTP/1.1 200"), head
            yield process, seconds
        finally:
            process.kill()
            process.wait()
