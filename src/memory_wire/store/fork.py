"""What stores do when their process forks. SQLite must not be carried over a fork: not its connections, not a mutex another thread holds.

Before a fork every store waits, shortly, until no call is inside SQLite. The child never closes what it inherited and begins afresh.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from _weakref import ref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from sqlite3 import Connection

    from memory_wire.store.sqlite import Store


class Stores:
    """Every store that lives, none kept alive."""

    def __init__(self) -> None:
        self._refs: dict[int, ref[Store]] = {}

    def add(self, store: Store) -> None:
        """Called by a store when it is made."""
        key = id(store)
        self._refs[key] = ref(store, lambda _: self._refs.pop(key, None))

    def __iter__(self) -> Iterator[Store]:
        return iter([store for found in list(self._refs.values()) if (store := found()) is not None])


stores = Stores()
_quiet: list[Store] = []
_forking = allocate_lock()  # one fork at a time: the hooks of two must not mix


def leak(connection: Connection) -> None:
    """Takes a reference nobody drops, not even the interpreter's end.

    An inherited connection that is closed when the parent has none any more deletes the log by its name, whoever's it is by then.
    """
    try:
        from _ctypes import Py_INCREF
    except ImportError:  # a Python without ctypes: closed at once, while the parent still holds its own
        connection.close()
    else:
        Py_INCREF(connection)


def _before() -> None:
    _forking.acquire()
    for store in [store for store in stores if not store.closed]:
        _quiet.append(store)
        store.quiet()


def _after_in_parent() -> None:
    while _quiet:
        _quiet.pop().resume()
    _forking.release()


def _after_in_child() -> None:
    global _forking
    _forking = allocate_lock()
    _quiet.clear()
    for store in list(stores):
        store.disown()


os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
