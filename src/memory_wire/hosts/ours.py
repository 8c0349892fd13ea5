"""What is ours in a host's file: told by the program that an entry runs, never by a word somewhere in its text.

`normal` takes launcher, host and bank out of a value, so that entries of another launcher path or bank are recognised as ours.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

from memory_wire.hosts.base import EVENTS

BINARY = "memory-wire"
KEYS = ("command", "bash")


def words(command: str) -> list[str]:
    """The words of a hook command of ours, whichever launcher and bank; empty for anything else."""
    if BINARY not in command:
        return []
    try:
        found = shlex.split(command)
    except ValueError:
        return []
    ours = len(found) > 2 and os.path.basename(found[0]) == BINARY and found[1] == "hook" and found[2] in EVENTS
    return found if ours else []


def commands(value: object) -> Iterator[str]:
    """What a hook runs, as the member that hosts call so says: every command of ours in a value."""
    if isinstance(value, dict):
        for key, part in value.items():
            if isinstance(part, str):
                yield from [part] if key in KEYS and words(part) else []
            else:
                yield from commands(part)
    elif isinstance(value, list):
        for part in value:
            yield from commands(part)


def event(value: object) -> str | None:
    """The event of the first hook command of ours in a value."""
    return next((words(command)[2] for command in commands(value)), None)


def starts(value: object) -> bool:
    """Whether the entry of a server starts our program."""
    command = value.get("command") if isinstance(value, dict) else None
    first = command[0] if isinstance(command, list) and command else command
    return isinstance(first, str) and os.path.basename(first) == BINARY


def normal(value: object) -> object:
    """The value with our launcher, host and bank taken out; anything foreign is as it was."""
    if isinstance(value, str):
        found = words(value)
        return f"hook {found[2]}" if found else BINARY if os.path.basename(value) == BINARY else value
    if isinstance(value, dict):
        return {key: normal(part) for key, part in value.items()}
    if isinstance(value, list):
        if "mcp" in value[:2] and "--bank" in value[:-1]:
            at = value.index("--bank")
            value = value[:at] + value[at + 2 :]
        return [normal(part) for part in value]
    return value


def within(wanted: object, found: object) -> bool:
    """Whether everything wanted is found; members that somebody added to an object don't count."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(key in found and within(part, found[key]) for key, part in wanted.items())
    if isinstance(wanted, list) and isinstance(found, list):
        return len(wanted) == len(found) and all(within(part, other) for part, other in zip(wanted, found, strict=True))
    return type(wanted) is type(found) and wanted == found


def bank(value: object) -> str | None:
    """The first bank baked into a value of ours."""
    if isinstance(value, str):
        found: list[object] = list(words(value))
    elif isinstance(value, dict):
        return next((found for found in map(bank, value.values()) if found), None)
    elif isinstance(value, list):
        found = value if "mcp" in value[:2] else []
        inner = next((name for name in map(bank, value) if name), None)
        if inner:
            return inner
    else:
        return None
    return str(found[found.index("--bank") + 1]) if "--bank" in found[:-1] else None
