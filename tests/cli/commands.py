"""A machine of its own for command lines: scratch home and data folder, free ports, and no daemon left behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests import package


class Machine:
    """Runs `memory-wire` in processes that see nothing of the surroundings."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home, self.work = root / "home", root / "work"
        self.home.mkdir()
        self.work.mkdir()
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_WIRE_", "XDG_"))}
        self.env |= {"HOME": str(self.home), "PYTHONPATH": str(package.FOLDER)}
        self.data = self.home / ".local" / "share" / "memory-wire"
        self.state = self.data / "serve.json"

    def start(self, *words: str, cwd: Path | None = None, **env: str) -> subprocess.Popen[str]:
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        command = [sys.executable, "-P", "-m", "memory_wire", *words]
        return subprocess.Popen(command, cwd=cwd or self.work, env=self.env | env, text=True, **pipes)  # type: ignore[call-overload,no-any-return]

    def run(self, *words: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        with self.start(*words, cwd=cwd, **env) as process:
            out, err = process.communicate(timeout=60)
            return subprocess.CompletedProcess(words, process.returncode, out, err)

    def out(self, *words: str, cwd: Path | None = None, **env: str) -> str:
        """Standard output of a command that must succeed."""
        done = self.run(*words, cwd=cwd, **env)
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout

    def said(self) -> dict[str, Any]:
        """The state file."""
        found: dict[str, Any] = json.loads(self.state.read_text())
        return found

    def servers(self) -> list[int]:
        """Processes that serve a store of this machine."""
        found = []
        for name in os.listdir("/proc"):
            try:
                words = Path("/proc", name, "cmdline").read_bytes().split(b"\0")
                env = Path("/proc", name, "environ").read_bytes()
            except OSError:
                continue
            if b"serve" in words and f"HOME={self.home}\0".encode() in env:
                found.append(int(name))
        return found

    def clear(self) -> None:
        for pid in self.servers():
            os.kill(pid, signal.SIGKILL)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
