"""Gemini CLI: hooks and the server in one settings.json. Its timeouts are milliseconds."""

from __future__ import annotations

import json

from memory_wire.hosts import capture
from memory_wire.hosts.base import Environment, Host, Slot, Wiring
from memory_wire.hosts.entries import Hook
from memory_wire.hosts.jsonc import Value
from memory_wire.hosts.shapes import NAME, SECONDS, server

EVENTS = {
    "SessionStart": "session-start",
    "BeforeAgent": "prompt",
    "AfterAgent": "stop",
    "PreCompress": "pre-compact",
    "SessionEnd": "session-end",
}
PAYLOAD = {
    "session_id": "9e311100-0000-4000-8000-000000000000",
    "transcript_path": "/nonexistent/session.json",
    "cwd": "/",
    "hook_event_name": "SessionStart",
    "timestamp": "2026-01-01T00:00:00.000Z",
    "source": "startup",
}


class GeminiCli(Host):
    name = "gemini-cli"
    title = "Gemini CLI"
    binaries = ("gemini",)
    probe = ("session-start", json.dumps(PAYLOAD))

    def folders(self, env: Environment) -> list[str]:
        return [env.at(".gemini")]

    def slots(self, env: Environment, wiring: Wiring) -> list[Slot]:
        path = env.at(".gemini", "settings.json")
        found: list[Slot] = []
        for theirs, event in EVENTS.items():
            command = wiring.command(event, self.name)
            handler: Value = {"name": NAME, "type": "command", "command": command, "timeout": SECONDS * 1000}
            found.append(Hook(path, ("hooks", theirs), {"hooks": [handler]}))
        return [*found, server(path, "mcpServers", self.name, wiring), *capture.slots(self.name, env)]


HOST = GeminiCli()
