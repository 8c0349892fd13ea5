"""What each host gets on a machine where it never ran, pinned by files; `python -m tests.hosts.bake` writes them anew."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.hosts.machine import HERE, Machine

GOLDEN = Path(__file__).parent / "golden"
FILLED = re.compile(r"(// MEMORY_WIRE|# MEMORY_WIRE|const (BANK|COMMAND|ADDR|HOST)\b|(BANK|ADDR) = |# memory-wire)")


@pytest.mark.parametrize("name", HERE)
def test_installed_shape(name: str, machine: Machine) -> None:
    machine.have(name)
    machine.install(name)
    assert installed(machine) == {
        str(path.relative_to(GOLDEN / name)): path.read_text() for path in (GOLDEN / name).rglob("*") if path.is_file()
    }


def installed(machine: Machine) -> dict[str, str]:
    """Every file that a fresh home holds now, with the launcher's path replaced; executable ones have a mark before their name."""
    found = {}
    for name, (mode, content) in machine.tree().items():
        if content:
            text = content.decode()
            if name.endswith((".ts", ".py", "README.md")):  # package data with own tests: what is written into it
                text = "\n".join(line for line in text.split("\n") if FILLED.match(line)) + "\n"
            for spelled in (
                json.dumps(machine.wiring.launcher)[1:-1],
                json.dumps(quote(machine))[1:-1],
                quote(machine),
                machine.wiring.launcher,
            ):
                text = text.replace(spelled, "/stable/memory-wire")
            found[name + ("!" if mode & 0o100 else ".txt" if name.endswith(".py") else "")] = text
    return found


def quote(machine: Machine) -> str:
    return machine.wiring.command("stop", "x").removesuffix(" hook stop --host x")
