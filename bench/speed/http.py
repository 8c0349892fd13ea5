"""Speed over HTTP, keep-alive, the load from a generator in C (load.c, compiled when needed) so that it costs the server little."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from bench.report import Report
from bench.speed import corpus

SOURCE = Path(__file__).with_name("load.c")
BANK = 10_000
CLIENTS = 16
SECONDS = 4.0
WRITES = 400


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
    """Sends the requests over keep-alive connections, round and round, or each once with 0 seconds.

    `address` is ip:port or the path of a Unix socket. Returns requests, errors, seconds, rps and p50_us, p90_us, p99_us, max_us.
    Raises CalledProcessError when a connection is lost.
    """
    with tempfile.NamedTemporaryFile(prefix="memory-wire-load-", suffix=".bin") as file:
        file.write(b"".join([struct.pack("<I", len(request)) + request for request in requests]))
        file.flush()
        command = [str(generator()), address, str(connections), str(seconds), file.name]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout))


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """A server with its store in the folder; its address."""
    command = [sys.executable, "-m", "memory_wire", "serve", "--addr", "127.0.0.1:0", "--db", str(folder / "memory.db")]
    state = folder / "serve.json"
    process = subprocess.Popen(command)
    try:
        while not state.exists():
            if process.poll() is not None:
                raise RuntimeError("the server did not start")
            time.sleep(0.02)
        yield json.loads(state.read_text())["addr"]
    finally:
        process.terminate()
        process.wait()


def counters(address: str) -> dict[str, float]:
    """The numbers of /metrics by name."""
    with urllib.request.urlopen(f"http://{address}/metrics") as page:
        lines = page.read().decode().splitlines()
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if not line.startswith("#")}


def row(name: str, found: dict[str, float]) -> list[object]:
    return [name, f"{found['p50_us']:.0f}", f"{found['p99_us']:.0f}", f"{found['rps']:,.0f}", f"{found['errors']:.0f}"]


def run(report: Report, data: Path) -> None:
    """Two tables: recalls against a bank of 10,000 memories, durable retains into another."""
    with tempfile.TemporaryDirectory(dir=".") as name, serving(Path(name)) as address:
        recalls(report, data, address)
        retains(report, data, address, Path(name))


def recalls(report: Report, data: Path, address: str) -> None:
    texts, asked = corpus.corpus(data, BANK), corpus.questions(data)
    batches = [{"items": [{"content": text} for text in texts[at : at + 1000]]} for at in range(0, BANK, 1000)]
    done = load(address, [post("speed", "retain/batch", batch) for batch in batches], 1, 0)
    assert done["errors"] == 0, "loading failed"
    best = [post("speed", "recall", {"query": text, "k": 10}) for text in asked]
    all_of_them = [post("speed", "recall", {"query": text}) for text in asked]
    load(address, best, 1, 1)
    health = [b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"]
    rows = [
        row("/health, 1 client", load(address, health, 1, 2)),
        row("recall k = 10, 1 client", load(address, best, 1, SECONDS)),
        row("recall, default 100 results, 1 client", load(address, all_of_them, 1, SECONDS)),
        row(f"recall k = 10, {CLIENTS} clients", load(address, best, CLIENTS, SECONDS)),
    ]
    report.text(f"Recall over HTTP, bank of {BANK:,}, {len(asked)} natural questions, load from C on the same machine.")
    report.table(["requests", "p50 µs", "p99 µs", "per second", "errors"], rows)


def retains(report: Report, data: Path, address: str, folder: Path) -> None:
    from bench.speed.write import sync_floor

    texts = corpus.corpus(data, WRITES * (CLIENTS + 1), seed=23)
    requests = [post("writes", "retain", {"content": text}) for text in texts]
    load(address, [post("warm", "retain", {"content": text}) for text in texts[:50]], 1, 0)
    floor = sync_floor(folder, texts[:WRITES])
    one = load(address, requests[:WRITES], 1, 0)
    before = counters(address)
    many = load(address, requests[WRITES:], CLIENTS, 0)
    after = counters(address)
    group = [after[f"memory_wire_{key}_total"] - before[f"memory_wire_{key}_total"] for key in ("acknowledged", "commits")]
    rows = [
        ["append + fdatasync, bare", f"{floor[0]:.0f}", f"{floor[1]:.0f}", f"{1e6 / floor[0]:,.0f}", ""],
        row("retain, durable, 1 client", one),
        row(f"retain, durable, {CLIENTS} clients", many),
    ]
    report.text("Durable retains over HTTP.")
    report.table(["write", "p50 µs", "p99 µs", "per second", "errors"], rows)
    against, faster = one["p50_us"] / floor[0], many["rps"] / one["rps"]
    report.text(f"One client: {against:.2f}x the bare append.")
    report.text(f"{CLIENTS} clients: {faster:.1f}x one client's rate, {group[0] / group[1]:.1f} acknowledgements a commit.")
