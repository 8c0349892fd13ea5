"""A real server process and raw sockets to talk to it, for all tests of this folder."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

START = """
import sys
from memory_wire import config
for name, value in {config!r}.items():
    assert hasattr(config, name), name
    setattr(config, name, value)
sys.argv = ["memory-wire", *{words!r}]
from memory_wire.__main__ import main
status = main()
{after}
sys.exit(status)
"""
PATIENCE = 20.0


class Serving:
    """`memory-wire serve` on a free port with its store in `folder`; `config` replaces limits, `after` is code run when it has ended."""

    def __init__(
        self,
        folder: Path,
        *words: str,
        config: Mapping[str, object] = {},
        env: Mapping[str, str] = {},
        after: str = "",
        wait: bool = True,
        db: str = "memory.db",
    ) -> None:
        self.folder = folder
        self.db = folder / db
        addr = () if any(word.startswith("--addr") for word in words) else ("--addr", "127.0.0.1:0")
        code = START.format(config=dict(config), words=["serve", "--db", str(self.db), *addr, *words], after=after)
        self.log = folder / f"stderr-{time.monotonic_ns()}"
        with open(self.log, "wb") as log:
            command = [sys.executable, "-W", "error", "-c", code]
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env={**os.environ, **env})
        if wait:
            try:
                self.found = self.ready()
            except BaseException:
                self.__exit__()
                raise

    def ready(self) -> dict[str, object]:
        """serve.json once the server accepts requests."""
        path = self.db.parent / "serve.json"
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.stderr
            if path.exists():
                found: dict[str, object] = json.loads(path.read_text())
                if found["pid"] == self.process.pid:
                    return found
            time.sleep(0.01)
        raise AssertionError(f"no serve.json after {PATIENCE} s: {self.stderr}")

    @property
    def stderr(self) -> str:
        return self.log.read_text()

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = str(self.found["addr"]).rpartition(":")
        return host.strip("[]"), int(port)

    def dial(self, receive_buffer: int = 0) -> Peer:
        sock = socket.socket()
        if receive_buffer:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        sock.settimeout(PATIENCE)
        try:
            sock.connect(self.address)
        except BaseException:
            sock.close()
            raise
        return Peer(sock)

    def ask(self, verb: str, path: str, body: object = None, headers: Mapping[str, str] = {}) -> Reply:
        """One request on a connection of its own."""
        with self.dial() as peer:
            peer.send(request(verb, path, body, headers))
            return peer.reply(bodiless=verb == "HEAD")

    def counter(self, name: str) -> int:
        """A number from /metrics."""
        lines = self.ask("GET", "/metrics").text.splitlines()
        return next(int(line.rpartition(" ")[2]) for line in lines if line.startswith(f"memory_wire_{name} "))

    def stop(self, *signals: int) -> int:
        """The exit status after SIGTERM (or the given signals)."""
        for number in signals or (signal.SIGTERM,):
            self.process.send_signal(number)
        self.output, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode

    def __enter__(self) -> Serving:
        return self

    def __exit__(self, *exc: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class Reply:
    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> object:
        return json.loads(self.body)

    def __repr__(self) -> str:
        return f"<{self.status} {self.headers} {self.body[:200]!r}>"


class Peer:
    """One raw connection."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.pending = b""

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def half_close(self) -> None:
        self.sock.shutdown(socket.SHUT_WR)

    def more(self) -> bytes:
        data = self.sock.recv(65536)
        self.pending += data
        return data

    def reply(self, bodiless: bool = False) -> Reply:
        """The next response; fails when the connection ends first."""
        while b"\r\n\r\n" not in self.pending:
            assert self.more(), f"connection ended after {self.pending!r}"
        head, _, self.pending = self.pending.partition(b"\r\n\r\n")
        line, *fields = head.decode("latin-1").split("\r\n")
        assert line.startswith("HTTP/1.1 "), line
        headers = {name.lower(): value for name, _, value in (field.partition(": ") for field in fields)}
        status = int(line.split(" ")[1])
        length = 0 if bodiless or status in (100, 304) else int(headers["content-length"])
        while len(self.pending) < length:
            assert self.more(), "connection ended within a body"
        body, self.pending = self.pending[:length], self.pending[length:]
        return Reply(status, headers, body)

    def closed(self) -> bool:
        """Waits for the end of the connection; False if something comes instead."""
        try:
            return not self.pending and self.sock.recv(1) == b""
        except ConnectionResetError:
            return True

    def close(self) -> None:
        self.sock.close()

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def request(verb: str, path: str, body: object = None, headers: Mapping[str, str] = {}) -> bytes:
    """A request as bytes. `body` is sent as JSON, bytes as they are."""
    fields = {"Host": "localhost", **headers}
    data = b""
    if body is not None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        fields = {"Content-Type": "application/json", "Content-Length": str(len(data)), **fields}
    return f"{verb} {path} HTTP/1.1\r\n".encode() + b"".join([f"{k}: {v}\r\n".encode() for k, v in fields.items()]) + b"\r\n" + data
