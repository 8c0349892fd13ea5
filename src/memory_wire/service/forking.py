"""What a process that forks must have loaded: a module that another thread is just importing would stay locked in the child for good.

So before a fork of a process with an open store, every module that is otherwise loaded at its first use is loaded.
"""

from __future__ import annotations

import os

from memory_wire.store.fork import stores

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGES = ("guard", "index", "retrieve", "service", "store")
OTHERS = ("binascii", "datetime", "fcntl", "memory_wire.outside", "msgspec.msgpack", "unicodedata")


def load() -> None:
    """Imports them all; waits for the thread that is importing one of them."""
    if all(store.closed for store in stores):
        return
    for package in PACKAGES:
        for file in sorted(os.listdir(os.path.join(ROOT, package))):
            if file.endswith(".py") and file != "__init__.py":
                __import__(f"memory_wire.{package}.{file.removesuffix('.py')}")
    for name in OTHERS:
        __import__(name)


os.register_at_fork(before=load)
