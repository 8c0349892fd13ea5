"""What is installed here and what a running server runs: versions, compiled modules, a server older than its package. For `doctor`."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from importlib.util import cache_from_source

from memory_wire import __version__
from memory_wire.cli.running import Running
from memory_wire.process import words_of
from memory_wire.serve import slim

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def versions() -> dict[str, str]:
    """Of this program, Python, SQLite and what the server is made of."""
    from sqlite3 import sqlite_version

    found = {"memory-wire": __version__, "python": platform.python_version(), "sqlite": sqlite_version}
    for name in ("uvloop", "msgspec", "httptools"):
        try:
            found[name] = slim.version(name)
        except ImportError:
            found[name] = "missing"
    return found


def reasons() -> list[tuple[str, str]]:
    """(what keeps the server from being small, the command that helps), one a reason."""
    found: dict[str, list[str]] = {}
    try:
        wanted = slim.wanted()
    except ValueError as error:
        return [(str(error), "unset MEMORY_WIRE_SLIM")]
    for level in slim.LEVELS:
        try:
            why = slim.untested(level) if level in wanted else "MEMORY_WIRE_SLIM says so"
        except ImportError as error:
            why = str(error)
        if why:
            found.setdefault(why, []).append(level)
    return [(f"the server takes more memory, {', '.join(levels)} is off: {why}", mend(why)) for why, levels in found.items()]


def mend(why: str) -> str:
    if why.startswith("MEMORY_WIRE_SLIM"):
        return "unset MEMORY_WIRE_SLIM"
    for tested in slim.TESTED.values():
        for name, names in tested.items():
            if why.startswith(f"{name} ") or f"package {name}" in why:
                return f"{os.path.basename(sys.executable)} -m pip install {name}=={names[-1]}"
    return ""


def compiled() -> tuple[str, int]:
    """(the package's folder, how many of its modules lie there uncompiled)."""
    return PACKAGE, sum(not os.path.exists(cache_from_source(path)) for path in sources())


def sources() -> Iterator[str]:
    for folder, inner, names in os.walk(PACKAGE):
        inner[:] = [name for name in inner if name not in ("__pycache__", "data")]
        yield from (os.path.join(folder, name) for name in names if name.endswith(".py"))


def installation(server: Running) -> list[str]:
    """Why the running server is not what is installed here."""
    found = []
    words = words_of(server.pid)
    boot = next((word for word in words if word.endswith(os.path.join("cli", "boot.py"))), "")
    if boot and os.path.dirname(os.path.dirname(boot)) != PACKAGE:
        found.append(f"the server runs another installation: {os.path.dirname(os.path.dirname(boot))}")
    elif server.started_at and newest() > server.started_at + 1:
        found.append(f"the server (process {server.pid}) is older than what is installed: it runs the files of before")
    try:
        if os.readlink(f"/proc/{server.pid}/exe").endswith(" (deleted)"):
            found.append(f"the interpreter of process {server.pid} was replaced")
    except OSError:
        return found
    return found


def newest() -> float:
    """When the package's modules changed last; what has vanished meanwhile doesn't count."""
    latest = 0.0
    for path in sources():
        try:
            latest = max(latest, os.stat(path).st_mtime)
        except FileNotFoundError:
            continue
    return latest
