"""The files that run inside a host: package data with the launcher and the bank written in.

A TypeScript plugin is data/hosts/core.ts, which all share, and the host's own part in one file, since hosts load single files. Each file
names its version in a marker line; a file at its place without that line is somebody else's.
"""

from __future__ import annotations

import ast
import json
import os

from memory_wire.hosts.base import Wiring
from memory_wire.hosts.file import File

FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "hosts")
MARKERS = {
    "opencode": "MEMORY_WIRE_OPENCODE_PLUGIN_VERSION",
    "omp": "MEMORY_WIRE_EXTENSION_VERSION",
    "pi": "MEMORY_WIRE_EXTENSION_VERSION",
    "hermes": "MEMORY_WIRE_PROVIDER_VERSION",
}
VERSION = 4
PARTS = {"opencode": ("opencode.ts",), "omp": ("pi.ts",), "pi": ("pi.ts",)}  # omp is built on pi and takes the same extension
HERMES = ("__init__.py", "plugin.yaml", "README.md")


class Script(File):
    """The TypeScript file of opencode, omp or pi at its place."""

    def __init__(self, path: str, host: str, wiring: Wiring) -> None:
        super().__init__(path, script(host, wiring), (MARKERS[host], "memory-wire"), os.path.basename(path))

    def bank(self, text: str | None) -> str | None:
        return baked(text or "")


class ProviderFile(File):
    """One of the files of HERMES at its place."""

    def __init__(self, path: str, name: str, wiring: Wiring) -> None:
        super().__init__(path, provider(name, wiring), (MARKERS["hermes"], "memory-wire"), name)

    def bank(self, text: str | None) -> str | None:
        return baked(text or "")


def script(host: str, wiring: Wiring) -> str:
    """The TypeScript file of opencode, omp or pi."""
    head = (
        f"// {MARKERS[host]} {VERSION}\n"
        f"// memory-wire for {host}: written by `memory-wire connect`, removed by `memory-wire connect {host} --uninstall`.\n\n"
    )
    own = "" if host == "opencode" else f"const HOST = {json.dumps(host)}\n\n"
    body = "\n".join(read(name) for name in ("core.ts", *PARTS[host]))
    baked = {
        'const BANK = ""': f"const BANK = {json.dumps(wiring.bank or '')}",
        'const COMMAND: string[] = ["memory-wire"]': f"const COMMAND: string[] = {json.dumps([wiring.launcher])}",
    }
    return head + own + filled(body, baked)


def provider(name: str, wiring: Wiring) -> str:
    """One of the files of HERMES."""
    text = read(f"hermes/{name}")
    if name != "__init__.py":
        return text
    return filled(text, {'BANK = ""': f"BANK = {wiring.bank or ''!r}"})


def filled(text: str, baked: dict[str, str]) -> str:
    """The text with every line of the table replaced; each must be there exactly once."""
    lines = text.split("\n")
    for line, written in baked.items():
        assert lines.count(line) == 1, line
        lines[lines.index(line)] = written
    return "\n".join(lines)


def baked(text: str) -> str | None:
    """The bank written into one of these files, if any."""
    for line in text.split("\n"):
        name, equals, value = line.removeprefix("const ").partition(" = ")
        if name == "BANK" and equals:
            return str(ast.literal_eval(value)) or None
    return None


def read(name: str) -> str:
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()
