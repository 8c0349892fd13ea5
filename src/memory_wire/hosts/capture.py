"""`/memory-capture`, a command that users type in hosts with commands of their own: has the agent store what a conversation settled.

`connect` writes it as a file of ours where the host looks. Hosts without such a folder have the skill instead.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from memory_wire.hosts.base import Environment, Slot
from memory_wire.hosts.file import File

NAME = "memory-capture"
DESCRIPTION = "Store what this conversation settled in long-term memory (memory-wire)"
MARKER = (DESCRIPTION, "memory_retain")
TEXT = """Store in this project's long-term memory: {given}

If that names nothing, pick what this conversation settled and a later session should know: decisions with their reasons, preferences of the
user, causes that took long to find. At most five; none is a good answer when nothing was settled.

For each, call the tool `memory_retain` of memory-wire once, or run `memory-wire retain "…"` when you don't have it. One fact a memory, in a
full sentence with its names, numbers and versions, so that it can be understood without this conversation. No secrets, no guesses, nothing
that the code or its history says. Then list what you stored, a line each with its id, and nothing else.
"""
FOLDERS: dict[str, Callable[[Environment], str]] = {
    "claude-code": lambda env: os.path.join(env.folder("CLAUDE_CONFIG_DIR", ".claude"), "commands"),
    "codex": lambda env: os.path.join(env.folder("CODEX_HOME", ".codex"), "prompts"),
    "cursor": lambda env: env.at(".cursor", "commands"),
    "opencode": lambda env: env.config("opencode", "commands"),
    "gemini-cli": lambda env: env.at(".gemini", "commands"),
    "windsurf": lambda env: env.at(".codeium", "windsurf", "global_workflows"),
    "pi": lambda env: os.path.join(env.folder("PI_CODING_AGENT_DIR", ".pi", "agent"), "prompts"),
}
GIVEN = {
    "cursor": "what the user wrote behind the command.",
    "windsurf": "what the user wrote behind the command.",
    "gemini-cli": "{{args}}",
}


def slots(host: str, env: Environment) -> list[Slot]:
    """The command as a file of the host's; none where it has no commands."""
    if host not in FOLDERS:
        return []
    path = os.path.join(FOLDERS[host](env), NAME + (".toml" if host == "gemini-cli" else ".md"))
    return [File(path, text(host), MARKER, "command")]


def text(host: str) -> str:
    """The file as the host reads it: Markdown with a front matter, for Gemini TOML."""
    body = TEXT.format(given=GIVEN.get(host, "$ARGUMENTS"))
    if host == "gemini-cli":
        return f'description = "{DESCRIPTION}"\nprompt = """\n{body}"""\n'
    return f"---\ndescription: {DESCRIPTION}\n---\n\n{body}"
