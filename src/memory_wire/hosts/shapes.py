"""Shapes that several hosts share: the groups of handlers that Claude Code has introduced, and the entry of a stdio server."""

from __future__ import annotations

from collections.abc import Mapping

from memory_wire.hosts.base import Slot, Wiring
from memory_wire.hosts.entries import Hook, Member
from memory_wire.hosts.jsonc import Value

SECONDS = 5  # far above the hook's own deadline; what a host grants
NAME = "memory-wire"


def groups(path: str, host: str, wiring: Wiring, events: Mapping[str, str]) -> list[Slot]:
    """A group with one handler for each of the host's events, which the mapping gives ours for."""
    found: list[Slot] = []
    for theirs, event in events.items():
        handler: Value = {"type": "command", "command": wiring.command(event, host), "timeout": SECONDS}
        found.append(Hook(path, ("hooks", theirs), {"matcher": "", "hooks": [handler]}))
    return found


def server(path: str, place: str, host: str, wiring: Wiring, kind: Value = None, **more: Value) -> Member:
    """The stdio server in the object at `place`: `kind` as its `type` where the host has one, `more` as the host's own members."""
    return Member(path, (place, NAME), {**({"type": kind} if kind else {}), **stdio(host, wiring), **more})


def stdio(host: str, wiring: Wiring) -> dict[str, Value]:
    """What every host takes; the variable tells the server whose memories it keeps."""
    return {"command": wiring.launcher, "args": [*wiring.server()], "env": {"MEMORY_WIRE_HOST": host}}
