"""Who is asked: the children of a service, few and started when needed. The only way out of this process.

`ask` blocks: never on a server's loop thread, never within a transaction.
"""

from __future__ import annotations

import os
from _weakref import ref

from memory_wire.config import OUTSIDE_CHILDREN
from memory_wire.errors import OutsideFailed, OutsideTimeout
from memory_wire.outside.child import Child
from memory_wire.outside.table import BUILD, FETCH, MODEL, OPS, PAGES


class Outside:
    """The children of one service. Thread-safe; a forked process begins with none."""

    def __init__(self) -> None:
        self.lanes = {MODEL: [Child()], FETCH: [Child() for _ in range(OUTSIDE_CHILDREN)], BUILD: [Child()], PAGES: [Child()]}
        self.turn = 0
        self.closed = False
        key = id(self)
        _living[key] = ref(self, lambda _: _living.pop(key, None))

    def ask(self, op: str, payload: dict[str, object], seconds: float) -> dict[str, object]:
        """What the child program answers. A text of an error never has what was sent in it.

        Raises OutsideFailed, OutsideTimeout.
        """
        child = self.take(OPS[op][2], seconds)
        try:
            if self.closed:
                raise OutsideFailed("the service is closed")
            return child.ask(op, payload, seconds)
        finally:
            child.lock.release()

    def take(self, lane: str, seconds: float) -> Child:
        """A child that is free, its lock held: one that runs, else a new one, else the one whose turn it is. Raises OutsideTimeout."""
        children = self.lanes[lane]
        for child in sorted(children, key=lambda child: not child.pid):
            if child.lock.acquire(False):
                return child
        self.turn += 1
        child = children[self.turn % len(children)]
        if not child.lock.acquire(timeout=seconds):
            raise OutsideTimeout(f"all helper processes were busy for {seconds:g} s")
        return child

    def idle(self) -> None:
        """Ends the children that nobody is asking."""
        for children in self.lanes.values():
            for child in children:
                if child.lock.acquire(False):
                    try:
                        child.end()
                    finally:
                        child.lock.release()

    def close(self) -> None:
        """Ends them all; one that is being asked right away, and whoever asked it is told so."""
        self.closed = True
        self.idle()
        for children in self.lanes.values():
            for child in children:
                if child.pid:
                    kill(child.pid)

    def disown(self) -> None:
        for children in self.lanes.values():
            for child in children:
                child.disown()


def kill(pid: int) -> None:
    """Has a child that is being asked end; who asks collects it."""
    try:
        os.kill(pid, 9)
    except ProcessLookupError:
        return


_living: dict[int, ref[Outside]] = {}


def _after_in_child() -> None:
    for found in list(_living.values()):
        outside = found()
        if outside is not None:
            outside.disown()


os.register_at_fork(after_in_child=_after_in_child)
