"""Continue: the server in a file of its own, which is how Continue takes them, and a rule beside it; it has no hooks."""

from __future__ import annotations

import json

from memory_wire.hosts import ours
from memory_wire.hosts.base import Environment, Host, Slot, Wiring
from memory_wire.hosts.file import File
from memory_wire.hosts.rules import rule
from memory_wire.hosts.shapes import NAME

MARKER = "# Written by `memory-wire connect`, removed by `memory-wire disconnect`."
ARGS = "    args: "


class ServerFile(File):
    """A YAML file with the server as its only entry; JSON strings and lists are YAML."""

    def __init__(self, path: str, host: str, wiring: Wiring) -> None:
        lines = [
            MARKER,
            f"name: {NAME}",
            "version: 1.0.0",
            "schema: v1",
            "mcpServers:",
            f"  - name: {NAME}",
            f"    command: {json.dumps(wiring.launcher, ensure_ascii=False)}",
            ARGS + json.dumps(wiring.server(), ensure_ascii=False),
            "    env:",
            f"      MEMORY_WIRE_HOST: {host}",
        ]
        super().__init__(path, "".join(f"{line}\n" for line in lines), (MARKER,), f"mcpServers.{NAME}")

    def bank(self, text: str | None) -> str | None:
        found = next((line for line in (text or "").splitlines() if line.startswith(ARGS)), None)
        try:
            return ours.bank(json.loads(found.removeprefix(ARGS))) if found else None
        except ValueError:
            return None


class Continue(Host):
    name = "continue"
    title = "Continue"
    binaries = ("cn",)

    def folders(self, env: Environment) -> list[str]:
        return [env.at(".continue")]

    def slots(self, env: Environment, wiring: Wiring) -> list[Slot]:
        return [
            ServerFile(env.at(".continue", "mcpServers", "memory-wire.yaml"), self.name, wiring),
            rule(env.at(".continue", "rules", "memory-wire.md")),
        ]


HOST = Continue()
