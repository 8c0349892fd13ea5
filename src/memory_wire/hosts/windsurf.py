"""Windsurf (Cascade): a hook that captures, the server in mcp_config.json, and a rule, since its hooks can't add to the context."""

from __future__ import annotations

import json

from memory_wire.hosts import capture
from memory_wire.hosts.base import Environment, Host, Slot, Wiring
from memory_wire.hosts.entries import Hook
from memory_wire.hosts.rules import Rule
from memory_wire.hosts.shapes import server

EVENTS = {"pre_user_prompt": "prompt", "post_cascade_response_with_transcript": "stop"}  # the first only tells what was asked
PAYLOAD = {
    "agent_action_name": "post_cascade_response_with_transcript",
    "trajectory_id": "0",
    "execution_id": "0",
    "timestamp": "2026-01-01T00:00:00Z",
    "tool_info": {"transcript_path": "/nonexistent/0.jsonl"},
}


class Windsurf(Host):
    name = "windsurf"
    title = "Windsurf"
    binaries = ("windsurf",)
    reply = "none"
    probe = ("stop", json.dumps(PAYLOAD))

    def folders(self, env: Environment) -> list[str]:
        return [env.at(".codeium", "windsurf")]

    def slots(self, env: Environment, wiring: Wiring) -> list[Slot]:
        path = env.at(".codeium", "windsurf", "hooks.json")
        hooks: list[Slot] = []
        for theirs, event in EVENTS.items():
            hooks.append(Hook(path, ("hooks", theirs), {"command": wiring.command(event, self.name), "show_output": False}))
        return [
            *hooks,
            server(env.at(".codeium", "windsurf", "mcp_config.json"), "mcpServers", self.name, wiring),
            Rule(env.at(".codeium", "windsurf", "memories", "global_rules.md")),
            *capture.slots(self.name, env),
        ]

    def notes(self, env: Environment) -> list[str]:
        return ["Windsurf: press Refresh in its list of MCP servers"]


HOST = Windsurf()
