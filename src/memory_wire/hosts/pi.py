"""pi: an extension that recalls before an agent starts and stores what it did. The host has no MCP."""

from __future__ import annotations

import os

from memory_wire.hosts import capture, plugin
from memory_wire.hosts.base import Environment, Host, Slot, Wiring


class Pi(Host):
    name = "pi"
    title = "pi"
    binaries = ("pi",)

    def folders(self, env: Environment) -> list[str]:
        return [env.at(".pi"), env.folder("PI_CODING_AGENT_DIR", ".pi", "agent")]

    def slots(self, env: Environment, wiring: Wiring) -> list[Slot]:
        folder = env.folder("PI_CODING_AGENT_DIR", ".pi", "agent")
        return [
            plugin.Script(os.path.join(folder, "extensions", "memory-wire", "index.ts"), self.name, wiring),
            *capture.slots(self.name, env),
        ]


HOST = Pi()
