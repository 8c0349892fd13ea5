"""Zed: the server in settings.json, and a rule in its global AGENTS.md, since it has no hooks."""

from __future__ import annotations

from memory_wire.hosts.base import Environment, Host, Slot, Wiring
from memory_wire.hosts.rules import Rule
from memory_wire.hosts.shapes import server


class Zed(Host):
    name = "zed"
    title = "Zed"
    binaries = ("zed", "zeditor")

    def folders(self, env: Environment) -> list[str]:
        return [env.config("zed")]

    def slots(self, env: Environment, wiring: Wiring) -> list[Slot]:
        entry = server(env.config("zed", "settings.json"), "context_servers", self.name, wiring, source="custom")
        return [entry, Rule(env.config("zed", "AGENTS.md"))]


HOST = Zed()
