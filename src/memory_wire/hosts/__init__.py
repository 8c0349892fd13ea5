"""Agent hosts: what `connect` writes for each, and how it is taken out again. One module per host, named as the host with underscores.

Owned by the command line; nothing of the serving path may import it. `base` has the interface, `engine` carries plans out.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.hosts.base import Host

NAMES = (
    "claude-code",
    "codex",
    "copilot-cli",
    "cursor",
    "opencode",
    "omp",
    "hermes",
    "pi",
    "gemini-cli",
    "windsurf",
    "vscode",
    "zed",
    "cline",
    "roo-code",
    "continue",
)
ON_REQUEST = ("hermes",)  # not wired by a bare `connect`


def load(name: str) -> Host:
    """The host of that name, one of NAMES. Its module's `HOST` is the instance."""
    from importlib import import_module

    module = "continue_dev" if name == "continue" else name.replace("-", "_")
    host: Host = import_module(f"memory_wire.hosts.{module}").HOST
    return host
