"""Sockets handed over by a service manager, and a server that ends when nobody needs it."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import pytest

from bench.footprint.server import PATIENCE, launcher

PASS_ON = """
import os, sys
for target, source in enumerate(map(int, sys.argv[1].split(",")), 3):
    os.dup2(source, target)
os.environ["LISTEN_FDS"] = str(len(sys.argv[1].split(",")))
os.environ["LISTEN_PID"] = str(os.getpid() + int(sys.argv[2]))
os.execv(sys.argv[3], sys.argv[3:])
"""


def start(folder: Path, sockets: Sequence[socket.socket | BinaryIO], *words: str, off: int = 0) -> subprocess.Popen[bytes]:
    """The server as a service manager starts it, with the sockets from descriptor 3 on."""
    numbers = [sock.fileno() for sock in sockets]
    command = [sys.executable, "-c", PASS_ON, ",".join(map(str, numbers)), str(off), *launcher()]
    words = ("serve", "--db", str(folder / "memory.db"), *words)
    return subprocess.Popen([*command, *words], pass_fds=numbers, stderr=subprocess.PIPE)


def listening(family: int = socket.AF_INET, address: object = ("127.0.0.1", 0)) -> socket.socket:
    sock = socket.socket(family)
    sock.bind(address)  # type: ignore[arg-type]
    sock.listen()
    return sock


def health(sock: socket.socket) -> float:
    """Seconds from the request to the answer; connecting works before the server runs."""
    begun = time.perf_counter()
    connection = http.client.HTTPConnection("localhost", timeout=PATIENCE)
    connection.sock = socket.socket(sock.family)
    connection.sock.settimeout(PATIENCE)
    connection.sock.connect(sock.getsockname())
    connection.request("GET", "/health")
    assert connection.getresponse().read() == b"ok"
    connection.close()
    return time.perf_counter() - begun


def test_sockets_that_were_handed_over_are_served_and_left(tmp_path: Path) -> None:
    path = tmp_path / "there.sock"
    with listening() as tcp, listening(socket.AF_UNIX, str(path)) as unix:
        server = start(tmp_path, [tcp, unix])
        health(tcp)
        health(unix)
        server.terminate()
        _, log = server.communicate(timeout=PATIENCE)
        assert server.returncode == 0, log
        assert f"http://127.0.0.1:{tcp.getsockname()[1]} and unix://{path}".encode() in log
        assert path.exists()  # it is the service manager's
        second = start(tmp_path, [tcp, unix])
        health(unix)
        second.terminate()
        second.communicate(timeout=PATIENCE)


def test_it_ends_when_nobody_is_connected_and_is_started_by_the_next(tmp_path: Path) -> None:
    with listening() as tcp:
        for _ in range(2):
            server = start(tmp_path, [tcp], "--exit-idle", "0.5", "--quiet", "0.2")
            for _ in range(3):
                health(tcp)
                time.sleep(0.2)
            held = socket.create_connection(tcp.getsockname())
            time.sleep(1.0)
            assert server.poll() is None  # somebody is connected
            held.close()
            _, log = server.communicate(timeout=PATIENCE)
            assert server.returncode == 0, log
            assert not (tmp_path / "serve.json").exists()


def test_sockets_of_another_process_are_not_taken(tmp_path: Path) -> None:
    with listening() as tcp:
        server = start(tmp_path, [tcp], "--addr", "127.0.0.1:0", "--exit-idle", "0", off=1)
        _, log = server.communicate(timeout=PATIENCE)
        assert server.returncode == 0
        assert str(tcp.getsockname()[1]).encode() not in log


@pytest.mark.parametrize("kind", ["datagram", "not listening", "file"])
def test_a_descriptor_that_cannot_be_served_is_named(kind: str, tmp_path: Path) -> None:
    if kind == "file":
        with open(tmp_path / "file", "wb") as file:
            server = start(tmp_path, [file])
    else:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM if kind == "datagram" else socket.SOCK_STREAM) as sock:
            server = start(tmp_path, [sock])
    _, log = server.communicate(timeout=PATIENCE)
    assert server.returncode == 1
    assert b"descriptor 3" in log and (b"no listening stream socket" in log or b"non-socket" in log), log
