"""Roo Code: the server and a rule, in the extension's own settings and in a project that has a .roo folder; it has no hooks."""

from __future__ import annotations

import os

from memory_wire.hosts import editors
from memory_wire.hosts.base import Environment, Host, Slot, Wiring
from memory_wire.hosts.rules import rule
from memory_wire.hosts.shapes import server

EXTENSION = "rooveterinaryinc.roo-cline"
ALLOWED = ("memory_recall", "memory_retain")  # without being asked each time


class RooCode(Host):
    name = "roo-code"
    title = "Roo Code"
    local = True

    def folders(self, env: Environment) -> list[str]:
        return [*editors.storage(env, EXTENSION), env.at(".roo"), os.path.join(env.cwd, ".roo")]

    def slots(self, env: Environment, wiring: Wiring) -> list[Slot]:
        places = [os.path.join(folder, "settings", "mcp_settings.json") for folder in editors.storage(env, EXTENSION)]
        project = os.path.join(env.cwd, ".roo")
        if os.path.isdir(project) or not places:
            places.append(os.path.join(project if os.path.isdir(project) else env.at(".roo"), "mcp.json"))
        folder = env.at(".roo") if editors.storage(env, EXTENSION) else os.path.dirname(places[-1])
        entries = [server(path, "mcpServers", self.name, wiring, alwaysAllow=[*ALLOWED]) for path in places]
        return [*entries, rule(os.path.join(folder, "rules", "memory-wire.md"))]


HOST = RooCode()
