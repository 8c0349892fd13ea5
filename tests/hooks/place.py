"""A machine of its own for hooks: a home, a project, a data folder, and the command run in it as hosts run it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from bench.footprint.server import Server, launcher
from memory_wire.process import start_ticks

HANG = 60.0  # a hook that is still there then has hung


class Place:
    """Runs `memory-wire hook` for a project in `folder`; `url` is the server it asks, None: whatever the data folder names."""

    def __init__(self, folder: Path, url: str | None = None) -> None:
        self.home = folder / "home"
        self.project = self.home / "pilots"
        self.data = folder / "share" / "memory-wire"
        self.project.mkdir(parents=True)
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("MEMORY_WIRE_", "CLAUDE_", "DEVIN_", "GEMINI_"))}
        self.env = {**kept, "HOME": str(self.home), "XDG_DATA_HOME": str(folder / "share"), "MEMORY_WIRE_BANK": "pilots"}
        if url:
            self.env["MEMORY_WIRE_URL"] = url

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*launcher(), "hook", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.env,
            cwd=self.project,
        )

    def hook(self, *words: str, given: object = b"") -> bytes:
        """What a hook prints for a payload (bytes, or an object sent as JSON). It exits 0 and is silent on stderr."""
        data = given if isinstance(given, bytes) else json.dumps(given).encode()
        process = self.start(*words)
        printed, noise = process.communicate(data, timeout=HANG)
        assert process.returncode == 0
        assert noise == b""
        return printed

    def names(self, server: Server) -> None:
        """Has the state file name a server that runs, as that server itself would."""
        said = {"pid": server.pid, "addr": f"127.0.0.1:{server.port}", "start_ticks": start_ticks(server.pid)}
        self.data.mkdir(parents=True, exist_ok=True)
        (self.data / "serve.json").write_text(json.dumps(said))

    def spooled(self) -> list[Path]:
        folder = self.data / "spool"
        return sorted(folder.iterdir()) if folder.exists() else []


def transcript(path: Path, *messages: tuple[str, str], session: str | None = None) -> str:
    """Adds messages (role, text) to a transcript in Claude Code's form; its path."""
    with open(path, "a") as file:
        for number, (role, text) in enumerate(messages):
            line = {"type": role, "message": {"role": role, "content": text}, "timestamp": f"2026-11-30T10:00:{number:02d}.000Z"}
            file.write(json.dumps(line | ({"sessionId": session} if session else {})) + "\n")
    return str(path)
