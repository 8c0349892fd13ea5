"""Load over HTTP: compiles the generator in load.c when needed and runs it against a server with a list of requests."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

SOURCE = Path(__file__).with_name("load.c")


def generator() -> Path:
    """The compiled load generator; compiled anew when its source is newer."""
    binary = Path(tempfile.gettempdir()) / f"memory-wire-load-{os.getuid()}"
    if not binary.exists() or binary.stat().st_mtime < SOURCE.stat().st_mtime:
        fresh = binary.with_suffix(f".{os.getpid()}")
        subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O2", "-Wall", "-Wextra", "-o", str(fresh), str(SOURCE)], check=True)
        fresh.replace(binary)
    return binary


def post(bank: str, operation: str, body: object) -> bytes:
    """One request to a bank's operation as it goes over the wire."""
    text = json.dumps(body, ensure_ascii=False).encode()
    head = f"POST /banks/{quote(bank, safe='')}/{operation} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text


def load(address: str, requests: Sequence[bytes], connections: int = 1, seconds: float = 5.0) -> dict[str, float]:
    """Sends the requests round and round over keep-alive connections.

    `address` is ip:port or the path of a Unix socket. Returns requests, errors, seconds, rps and p50_us, p90_us, p99_us, max_us.
    Raises CalledProcessError when a connection is lost.
    """
    with tempfile.NamedTemporaryFile(prefix="memory-wire-load-", suffix=".bin") as file:
        file.write(b"".join([struct.pack("<I", len(request)) + request for request in requests]))
        file.flush()
        command = [str(generator()), address, str(connections), str(seconds), file.name]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout))
