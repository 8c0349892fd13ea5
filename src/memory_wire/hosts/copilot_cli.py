"""GitHub Copilot CLI: a hook file of our own beside the user's, and the server in mcp-config.json.

VS Code reads the same folder of hook files, so the file is shared with `vscode`.
"""

from __future__ import annotations

import json
import os

from memory_wire.hosts.base import Environment, Host, Slot, Wiring
from memory_wire.hosts.entries import Default, Hook
from memory_wire.hosts.shapes import SECONDS, server

EVENTS = {
    "sessionStart": "session-start",
    "userPromptTransformed": "prompt",  # the one whose answer changes the prompt
    "agentStop": "stop",
    "preCompact": "pre-compact",
    "sessionEnd": "session-end",
}
PAYLOAD = {"sessionId": "c0b11070-0000-4000-8000-000000000000", "timestamp": 1767225600000, "cwd": "/", "source": "startup"}


class CopilotCli(Host):
    name = "copilot-cli"
    title = "GitHub Copilot CLI"
    binaries = ("copilot",)
    probe = ("session-start", json.dumps(PAYLOAD))

    def folders(self, env: Environment) -> list[str]:
        return [env.folder("COPILOT_HOME", ".copilot")]

    def slots(self, env: Environment, wiring: Wiring) -> list[Slot]:
        config = os.path.join(env.folder("COPILOT_HOME", ".copilot"), "mcp-config.json")
        return [*self.hooks(env, wiring), server(config, "mcpServers", self.name, wiring, "local", tools=["*"])]

    def hooks(self, env: Environment, wiring: Wiring) -> list[Slot]:
        path = os.path.join(env.folder("COPILOT_HOME", ".copilot"), "hooks", "memory-wire.json")
        found: list[Slot] = [Default(path, ("version",), 1)]
        for theirs, event in EVENTS.items():
            command = wiring.command(event, self.name)
            found.append(Hook(path, ("hooks", theirs), {"type": "command", "bash": command, "timeoutSec": SECONDS}))
        return found


HOST = CopilotCli()
