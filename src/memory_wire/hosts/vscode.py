"""VS Code's own agent: the server in the user's mcp.json. Its hooks are those of Claude Code or Copilot CLI, whose files it reads.

Hooks are wired for it only where Claude Code's are not, and then in the file that Copilot CLI reads as well: nothing fires twice.
"""

from __future__ import annotations

import json
import os

from memory_wire.hosts import claude_code, copilot_cli, editors, files
from memory_wire.hosts.base import Environment, Host, Refused, Slot, Trace, Wiring
from memory_wire.hosts.shapes import server

PAYLOAD = {
    "timestamp": "2026-01-01T00:00:00.000Z",
    "cwd": "/",
    "sessionId": "75c0de00-0000-4000-8000-000000000000",
    "hookEventName": "SessionStart",
    "transcript_path": "/nonexistent/transcript.json",
    "source": "new",
}


class VsCode(Host):
    name = "vscode"
    title = "VS Code"
    binaries = ("code", "code-insiders", "codium")
    probe = ("session-start", json.dumps(PAYLOAD))

    def folders(self, env: Environment) -> list[str]:
        return editors.users(env)

    def slots(self, env: Environment, wiring: Wiring) -> list[Slot]:
        users = [user for user in editors.users(env) if os.path.isdir(user)] or editors.users(env)[:1]
        hooks = [] if shared(env, wiring) else copilot_cli.HOST.hooks(env, wiring)
        return [*hooks, *(server(os.path.join(user, "mcp.json"), "servers", self.name, wiring, "stdio") for user in users)]


def shared(env: Environment, wiring: Wiring) -> bool:
    """Whether Claude Code's hooks are wired, which VS Code runs too."""
    try:
        return any(
            slot.look(files.text(files.read(slot.path)), Trace()) in ("same", "stale", "changed")
            for slot in claude_code.HOST.hooks(env, wiring)
        )
    except Refused:
        return False


HOST = VsCode()
