"""opencode: the MCP entry in its configuration and a plugin that recalls into the system prompt and stores finished turns."""

from __future__ import annotations

import os

from memory_wire.hosts import capture, plugin
from memory_wire.hosts.base import Environment, Host, Slot, Wiring
from memory_wire.hosts.entries import Member
from memory_wire.hosts.jsonc import Value


class OpenCode(Host):
    name = "opencode"
    title = "opencode"
    binaries = ("opencode",)

    def folders(self, env: Environment) -> list[str]:
        return [env.config("opencode")]

    def slots(self, env: Environment, wiring: Wiring) -> list[Slot]:
        names = ("opencode.json", "opencode.jsonc", "config.json")  # the one that exists; all three are read by the host
        paths = [env.config("opencode", name) for name in names]
        path = next((path for path in paths if os.path.exists(path)), paths[0])
        server: Value = {
            "type": "local",
            "command": [wiring.launcher, *wiring.server()],
            "environment": {"MEMORY_WIRE_HOST": self.name},
            "enabled": True,
        }
        script = env.config("opencode", "plugins", "memory-wire.ts")
        return [Member(path, ("mcp", "memory-wire"), server), plugin.Script(script, self.name, wiring), *capture.slots(self.name, env)]

    def notes(self, env: Environment) -> list[str]:
        return ["restart opencode: plugins are loaded when it starts"]


HOST = OpenCode()
