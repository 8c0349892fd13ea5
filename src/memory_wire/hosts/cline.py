"""Cline: one executable an event in its hooks folder, and the server in the settings of the extension and of the command line."""

from __future__ import annotations

import json
import os

from memory_wire.hosts import editors
from memory_wire.hosts.base import Environment, Host, Slot, Wiring
from memory_wire.hosts.file import File
from memory_wire.hosts.shapes import server

EVENTS = {
    "TaskStart": "session-start",
    "TaskResume": "session-start",
    "UserPromptSubmit": "prompt",
    "TaskComplete": "stop",
    "TaskCancel": "session-end",
    "PreCompact": "pre-compact",
}
MARKER = "# Written by `memory-wire connect`, removed by `memory-wire disconnect`."
EXTENSION = "saoudrizwan.claude-dev"
PAYLOAD = {
    "clineVersion": "3.40.0",
    "hookName": "TaskStart",
    "timestamp": "1767225600000",
    "taskId": "1767225600000",
    "workspaceRoots": ["/"],
    "userId": "0",
    "taskStart": {"taskMetadata": {"initialTask": ""}},
}


class Cline(Host):
    name = "cline"
    title = "Cline"
    binaries = ("cline",)
    probe = ("session-start", json.dumps(PAYLOAD))

    def folders(self, env: Environment) -> list[str]:
        return [env.at(".cline"), env.at("Documents", "Cline"), *editors.storage(env, EXTENSION)]

    def slots(self, env: Environment, wiring: Wiring) -> list[Slot]:
        hooks, other = env.at("Documents", "Cline", "Hooks"), env.at("Documents", "Cline", "Rules", "Hooks")
        if os.path.isdir(other) and not os.path.isdir(hooks):  # versions differ
            hooks = other
        found: list[Slot] = []
        for theirs, event in EVENTS.items():
            script = f"#!/bin/sh\n{MARKER}\nexec {wiring.command(event, self.name)}\n"
            found.append(File(os.path.join(hooks, theirs), script, (MARKER, "hook"), f"Hooks/{theirs}", 0o755))
        settings = [os.path.join(folder, "settings") for folder in editors.storage(env, EXTENSION)]
        if os.path.isdir(env.at(".cline")) or not settings:
            settings.append(env.at(".cline", "data", "settings"))
        return [*found, *(server(os.path.join(folder, "cline_mcp_settings.json"), "mcpServers", self.name, wiring) for folder in settings)]


HOST = Cline()
