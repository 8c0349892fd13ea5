"""Cursor, editor and command line: hooks in hooks.json, the server in mcp.json."""

from __future__ import annotations

import json

from memory_wire.hosts import capture
from memory_wire.hosts.base import Environment, Host, Slot, Wiring
from memory_wire.hosts.entries import Default, Hook
from memory_wire.hosts.shapes import SECONDS, server

EVENTS = {
    "sessionStart": "session-start",
    "beforeSubmitPrompt": "prompt",
    "afterAgentResponse": "stop",  # has the answer, where no transcript is given
    "stop": "stop",
    "preCompact": "pre-compact",
    "sessionEnd": "session-end",
}
PAYLOAD = {
    "conversation_id": "c0950000-0000-4000-8000-000000000000",
    "generation_id": "0",
    "model": "none",
    "hook_event_name": "sessionStart",
    "cursor_version": "3.6.31",
    "workspace_roots": ["/"],
    "user_email": None,
}


class Cursor(Host):
    name = "cursor"
    title = "Cursor"
    binaries = ("cursor-agent", "cursor")
    probe = ("session-start", json.dumps(PAYLOAD))

    def folders(self, env: Environment) -> list[str]:
        return [env.at(".cursor")]

    def slots(self, env: Environment, wiring: Wiring) -> list[Slot]:
        path = env.at(".cursor", "hooks.json")
        found: list[Slot] = [Default(path, ("version",), 1)]
        for theirs, event in EVENTS.items():
            found.append(Hook(path, ("hooks", theirs), {"command": wiring.command(event, self.name), "timeout": SECONDS}))
        return [*found, server(env.at(".cursor", "mcp.json"), "mcpServers", self.name, wiring), *capture.slots(self.name, env)]


HOST = Cursor()
