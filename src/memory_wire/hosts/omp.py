"""omp (oh-my-pi): the MCP entry and an extension that recalls before an agent starts and stores what it did."""

from __future__ import annotations

from memory_wire.hosts import plugin
from memory_wire.hosts.base import Environment, Host, Slot, Wiring
from memory_wire.hosts.entries import Member
from memory_wire.hosts.jsonc import Value


class Omp(Host):
    name = "omp"
    title = "oh-my-pi"
    binaries = ("omp",)

    def folders(self, env: Environment) -> list[str]:
        return [env.at(".omp")]

    def slots(self, env: Environment, wiring: Wiring) -> list[Slot]:
        server: Value = {"type": "stdio", "command": wiring.launcher, "args": [*wiring.server()], "env": {"MEMORY_WIRE_HOST": self.name}}
        return [
            Member(env.at(".omp", "agent", "mcp.json"), ("mcpServers", "memory-wire"), server),
            plugin.Script(env.at(".omp", "agent", "extensions", "memory-wire.ts"), self.name, wiring),
        ]


HOST = Omp()
