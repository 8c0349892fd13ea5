"""The launchers that a host's entries run, as its files have them: one that was moved or uninstalled makes every hook fail in silence."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from memory_wire.hosts import files, ours, tables
from memory_wire.hosts.base import Environment, Host, Refused, Slot, Wiring
from memory_wire.hosts.entries import Json, blank
from memory_wire.hosts.file import File

COMMAND = "const COMMAND: string[] = "  # in plugins
YAML = "command: "


def gone(host: Host, env: Environment, wiring: Wiring) -> list[str]:
    """The paths of launchers in the host's entries that nothing runnable is at; a file that can't be read has none."""
    found = set()
    for slot in host.slots(env, wiring):
        try:
            text = files.text(files.read(slot.path))
            found |= set() if text is None else set(programs(slot, text))
        except (Refused, ValueError):
            continue
    return sorted(path for path in found if os.path.isabs(path) and not (os.path.isfile(path) and os.access(path, os.X_OK)))


def programs(slot: Slot, text: str) -> Iterator[str]:
    """The programs in one entry. Raises Refused, ValueError for a file that can't be read."""
    if isinstance(slot, Json):
        node = None if blank(text) else slot.container(text)
        for child in slot.found(node) if node and slot.counts else ():
            yield from started(child.plain())
    elif isinstance(slot, tables.Server):
        yield from started(slot.entry(text))
    elif isinstance(slot, File) and all(word in text for word in slot.marker):
        for line in text.splitlines():
            words = ours.words(line.removeprefix("exec "))
            yield from words[:1]
            if line.startswith(COMMAND):
                yield json.loads(line.removeprefix(COMMAND))[0]
            elif line.strip().startswith(YAML + '"'):
                yield json.loads(line.strip().removeprefix(YAML))


def started(value: object) -> Iterator[str]:
    """The programs that a value of ours runs, as hook or as server."""
    for command in ours.commands(value):
        yield ours.words(command)[0]
    if isinstance(value, dict) and ours.starts(value):
        command = value["command"]
        yield command[0] if isinstance(command, list) else command
