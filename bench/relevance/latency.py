"""Latency of an injection for a prompt over HTTP, on a bank of 10,000 memories: one keep-alive connection, a new session each time."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.relevance.battery import memories, prompts
from bench.speed import corpus
from memory_wire import Client
from memory_wire import types as t
from memory_wire.wire import alive

BANK = "atlas"
ROWS = 10_000
BATCH = 1_000
ROUNDS = 5


def measure(data: Path) -> tuple[float, float, int]:
    """(p50, p95 in milliseconds, number of prompts) with full syncs, ledger included."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "memory_wire", "serve", "--db", f"{folder}/memory.db", "--addr", "127.0.0.1:0"]
        with subprocess.Popen(command) as server:
            try:
                with Client(address(Path(folder), server)) as client:
                    fill(client, data)
                    return asked(client)
            finally:
                server.terminate()
                server.wait(20)


def address(folder: Path, server: subprocess.Popen[bytes]) -> str:
    state = folder / "serve.json"
    while True:
        if state.exists():
            url = f"http://{json.loads(state.read_text())['addr']}"
            if alive(url):
                return url
        if server.poll() is not None:
            raise RuntimeError("the server did not start")
        time.sleep(0.02)


def fill(client: Client, data: Path) -> None:
    own = [t.Retain(content=row.text, created_at=row.date) for row in memories()]
    rest = [t.Retain(content=text) for text in corpus.corpus(data, ROWS - len(own))]
    items = own + rest
    for at in range(0, len(items), BATCH):
        client.retain_batch(items[at : at + BATCH], bank=BANK)


def asked(client: Client) -> tuple[float, float, int]:
    taken: list[float] = []
    for number in range(ROUNDS):
        for prompt in prompts():
            request = t.Inject(event="prompt", session=f"{number}-{prompt.id}", prompt=prompt.prompt, previous=prompt.previous)
            start = time.perf_counter()
            client.inject(request, bank=BANK)
            taken.append((time.perf_counter() - start) * 1000)
    taken.sort()
    return taken[len(taken) // 2], taken[len(taken) * 95 // 100], len(taken)
