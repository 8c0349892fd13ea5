"""memory-wire: agent memory you can run anywhere.

`Memory` is the embedded store, `Client` speaks to a running server; both have the same methods. Importing this package starts no thread
and loads nothing else: public names are resolved on first use.
"""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["Client", "Hit", "Item", "Memory", "MemoryWireError", "Page", "Stats", "__version__"]

_HOMES = {
    "Client": "client",
    "Hit": "types",
    "Item": "types",
    "Memory": "client",
    "MemoryWireError": "errors",
    "Page": "types",
    "Stats": "types",
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.client import Client, Memory
    from memory_wire.errors import MemoryWireError
    from memory_wire.types import Hit, Item, Page, Stats


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
