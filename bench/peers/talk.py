"""Talking to a peer, a process and its children: a driver over lines of JSON, or an MCP server over stdio; its memory from outside."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.footprint import probe

REVISION = "2025-06-18"


class Lost(Exception):
    """The peer ended, or refused what it was asked."""


class Process:
    """A child with pipes. `environ` is all it gets beside PATH and a home of its own."""

    def __init__(self, command: Sequence[str | Path], home: Path, environ: Mapping[str, str]) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.errors = home / "stderr"
        env = {"PATH": os.environ["PATH"], "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), **environ}
        with open(self.errors, "wb") as errors:
            words = [str(word) for word in command]
            self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=env, cwd=home)

    def send(self, message: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> object:
        """The next line that is JSON. Raises Lost."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                return json.loads(line)
            except ValueError:
                continue
        raise Lost(self.errors.read_text()[-300:])

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Driver(Process):
    """A driver of drivers/."""

    def ask(self, op: str, **fields: object) -> object:
        self.send({"op": op, **fields})
        return self.receive()


class Tools(Process):
    """A server of the Model Context Protocol."""

    number = 0

    def request(self, method: str, **params: object) -> dict[str, object]:
        """Raises Lost when it is refused."""
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            answer = self.receive()
            if isinstance(answer, dict) and answer.get("id") == self.number:
                if "error" in answer:
                    raise Lost(str(answer["error"])[:300])
                return dict(answer["result"])

    def begin(self) -> None:
        self.request("initialize", protocolVersion=REVISION, capabilities={}, clientInfo={"name": "bench", "version": "1"})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: object) -> str:
        """The text of a tool's answer. Raises Lost when it says that it failed."""
        answer = self.request("tools/call", name=tool, arguments=arguments)
        text = "\n".join(str(part.get("text", "")) for part in answer["content"])
        if answer.get("isError"):
            raise Lost(text[:300])
        return text


def family(pid: int) -> list[int]:
    """A process and all that descend from it."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            parents.setdefault(parent, []).append(int(entry.name))
    found = [pid]
    for member in found:
        found += parents.get(member, [])
    return found


def memory(pid: int) -> tuple[float, float]:
    """RSS and PSS in MiB of a process and its descendants."""
    readings = [probe.reading(member) for member in family(pid)]
    return sum(one.rss for one in readings) / 1024, sum(one.pss for one in readings) / 1024
