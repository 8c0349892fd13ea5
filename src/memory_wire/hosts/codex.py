"""Codex: hooks in hooks.json, and in config.toml the switch that has them run and the table of the server.

Codex runs a hook only after the user approved its command, so the command may never change without need.
"""

from __future__ import annotations

import json
import os

from memory_wire.hosts import capture
from memory_wire.hosts.base import Environment, Host, Slot, Wiring
from memory_wire.hosts.claude_code import EVENTS
from memory_wire.hosts.shapes import NAME, groups, stdio
from memory_wire.hosts.tables import Server, Switch

PAYLOAD = {
    "session_id": "0199c0de-0000-7000-8000-000000000000",
    "transcript_path": None,
    "cwd": "/",
    "hook_event_name": "SessionStart",
    "model": "none",
    "turn_id": "0",
    "permission_mode": "default",
    "source": "startup",
}


class Codex(Host):
    name = "codex"
    title = "Codex"
    binaries = ("codex",)
    probe = ("session-start", json.dumps(PAYLOAD))

    def folders(self, env: Environment) -> list[str]:
        return [env.folder("CODEX_HOME", ".codex")]

    def slots(self, env: Environment, wiring: Wiring) -> list[Slot]:
        home = env.folder("CODEX_HOME", ".codex")
        config = os.path.join(home, "config.toml")
        hooks = groups(os.path.join(home, "hooks.json"), self.name, wiring, EVENTS)
        entry = Server(config, ("mcp_servers", NAME), {**stdio(self.name, wiring)})
        return [*hooks, Switch(config, ("features", "hooks")), entry, *capture.slots(self.name, env)]

    def notes(self, env: Environment) -> list[str]:
        return ["Codex: approve the hooks once with /hooks"]


HOST = Codex()
