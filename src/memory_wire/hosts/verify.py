"""Runs a hook command as the host would: through a shell, with a recorded payload, against no server and a scratch data folder.

So it shows that the program starts, reads this host's payload and answers in this host's form, and leaves nothing behind.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import tempfile
from collections.abc import Sequence

from memory_wire.hosts import ours
from memory_wire.hosts.base import Environment, Host, Refused, Slot
from memory_wire.hosts.entries import Hook
from memory_wire.hosts.file import File

SECONDS = 10.0  # far above the hook's own deadline: a busy machine is no fault
NOWHERE = "unix:///nonexistent/memory-wire.sock"


def run(host: Host, slots: Sequence[Slot], env: Environment) -> None:
    """Raises Refused when the installed command fails or prints something that the host does not take."""
    if host.probe is None:
        return
    event, payload = host.probe
    command = next((command for slot in slots if (command := installed(slot, event))), None)
    if command is None:  # another host's hooks serve this one
        return
    with tempfile.TemporaryDirectory(prefix="memory-wire-") as scratch:
        variables = {**env.variables, "HOME": env.home, "XDG_DATA_HOME": scratch, "MEMORY_WIRE_URL": NOWHERE}
        for name in ("MEMORY_WIRE_DISABLE", "MEMORY_WIRE_HOOK"):
            variables.pop(name, None)
        words = ["/bin/sh", "-c", command]
        try:
            done = subprocess.run(
                words, input=payload.encode(), capture_output=True, check=False, env=variables, cwd=scratch, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            raise Refused(f"the hook command took more than {SECONDS:g} s: {command}") from None
    fault = judged(host, done.returncode, done.stdout)
    if fault:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise Refused(f"the hook command {fault}: {command}" + (f" ({said[-1]})" if said else ""))


def installed(slot: Slot, event: str) -> str | None:
    """What the host runs for an event of ours by this slot."""
    if isinstance(slot, Hook) and slot.event == event:
        return next(ours.commands(slot.value))
    if isinstance(slot, File) and slot.mode & 0o100:
        lines = [ours.words(line.removeprefix("exec ")) for line in slot.text.splitlines()]
        return shlex.quote(slot.path) if any(line and line[2] == event for line in lines) else None
    return None


def judged(host: Host, status: int, output: bytes) -> str:
    """What is wrong with an answer; empty when nothing is."""
    if status:
        return f"ended with status {status}"
    try:
        text = output.decode()
    except UnicodeDecodeError:
        return "printed something that is not UTF-8"
    if host.reply == "none":
        return "printed something that this host has no use for" if text.strip() else ""
    if host.reply == "json" and text.strip():
        try:
            return "" if isinstance(json.loads(text), dict) else "printed no JSON object"
        except ValueError:
            return "printed no JSON"
    return ""
