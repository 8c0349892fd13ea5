"""Claude Code: hooks in settings.json, the server in .claude.json of the home folder (of the configuration folder where that is moved).

VS Code reads the same settings.json, so do Cursor's imported hooks.
"""

from __future__ import annotations

import json
import os

from memory_wire.hosts import capture
from memory_wire.hosts.base import Environment, Host, Slot, Wiring
from memory_wire.hosts.shapes import groups, server

EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "Stop": "stop",
    "PreCompact": "pre-compact",
    "SessionEnd": "session-end",
}
PAYLOAD = {
    "session_id": "5a3c1f0e-0000-4000-8000-000000000000",
    "transcript_path": "/nonexistent/5a3c1f0e.jsonl",
    "cwd": "/",
    "hook_event_name": "SessionStart",
    "source": "startup",
}


class ClaudeCode(Host):
    name = "claude-code"
    title = "Claude Code"
    binaries = ("claude",)
    probe = ("session-start", json.dumps(PAYLOAD))

    def folders(self, env: Environment) -> list[str]:
        return [env.folder("CLAUDE_CONFIG_DIR", ".claude")]

    def slots(self, env: Environment, wiring: Wiring) -> list[Slot]:
        moved = env.folder("CLAUDE_CONFIG_DIR")
        entry = server(os.path.join(moved, ".claude.json"), "mcpServers", self.name, wiring, "stdio")
        return [*self.hooks(env, wiring), entry, *capture.slots(self.name, env)]

    def hooks(self, env: Environment, wiring: Wiring) -> list[Slot]:
        return groups(os.path.join(env.folder("CLAUDE_CONFIG_DIR", ".claude"), "settings.json"), self.name, wiring, EVENTS)


HOST = ClaudeCode()
