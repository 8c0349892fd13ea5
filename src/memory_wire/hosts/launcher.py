"""The program that entries name: a console script whose path outlives upgrades, since hosts keep it and some trust only what they know."""

from __future__ import annotations

import os
import re
import shutil
import sys

from memory_wire.errors import MemoryWireError
from memory_wire.hosts.base import Environment
from memory_wire.hosts.ours import BINARY

CACHES = {".cache", "Caches"}  # of uvx, pipx run and the like
VERSION = re.compile(r"v?\d+(\.\d+)+")


class NoLauncher(MemoryWireError):
    """There is no program that hosts could start tomorrow as well."""

    code = "no_launcher"


def launcher(env: Environment) -> str:
    """The absolute path that entries name; links stay as they are. Raises NoLauncher.

    First the switchable one in the data folder, then the program that runs, then the one on PATH, then the one beside this Python; a path
    with a version in it only when there is no other.
    """
    named = sys.argv[0] if os.path.basename(sys.argv[0]) == BINARY else ""
    found = [
        os.path.join(env.data, "bin", BINARY),
        os.path.abspath(named) if os.sep in named else "",
        shutil.which(BINARY, path=env.variables.get("PATH", "")) or "",
        os.path.join(os.path.dirname(sys.executable), BINARY),
    ]
    usable = [path for path in found if os.path.isabs(path) and os.access(path, os.X_OK) and os.path.isfile(path)]
    lasting = sorted((path for path in usable if not passing(path, env)), key=versioned)
    if lasting:
        return lasting[0]
    why = f"{usable[0]} is in a cache" if usable else "no `memory-wire` program on PATH"
    raise NoLauncher(f"{why}; install it to stay: `pipx install memory-wire`, `uv tool install memory-wire` or pip in an environment")


def passing(path: str, env: Environment) -> bool:
    """Whether the path lies in a cache that is cleaned now and then."""
    caches = [env.variables.get(name, "") for name in ("UV_CACHE_DIR", "XDG_CACHE_HOME")]
    parts = path.split(os.sep)
    return not CACHES.isdisjoint(parts) or any(cache and path.startswith(cache.rstrip(os.sep) + os.sep) for cache in caches)


def versioned(path: str) -> bool:
    return any(VERSION.fullmatch(part) for part in path.split(os.sep))
