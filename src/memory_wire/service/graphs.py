"""Graphs over a service's large files of vectors: the child program has them built, loaded and asked, so that this process stays small.

Used by spaces.py. A graph only says where to look: without one, while it is made or loaded, or when it fails, all is searched.
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock, start_new_thread
from array import array

from memory_wire import config
from memory_wire.errors import MemoryWireError, OutsideTimeout
from memory_wire.index.vector_file import SUM
from memory_wire.outside.table import MODEL
from memory_wire.store.place import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service

PAUSE_SECONDS = 60.0  # after one couldn't be made or loaded


class Graphs:
    """What is known of them. Thread-safe; asked outside transactions only."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._loaded: dict[tuple[str, int], int] = {}  # file and its stamp -> the child that has loaded its graph
        self._busy = allocate_lock()  # held while one is made or loaded
        self._pause_until = 0.0

    def near(self, path: str, stamp: int, vector: bytes, k: int) -> list[int]:
        """Numbers of rows of a file that are near to a vector, best first; empty when its graph isn't ready, which it then becomes."""
        if not os.path.exists(path + SUM):
            self._aside(self._build, path, stamp)
        elif self._loaded.get((path, stamp)) != self._child():
            self._aside(self._load, path, stamp)
        else:
            asked: dict[str, object] = {"path": path, "stamp": stamp, "vector": vector, "k": k}
            try:
                answer = self.service.outside.ask("nearest", asked, config.GRAPH_SECONDS)
            except MemoryWireError:
                self._loaded.pop((path, stamp), None)
                return []
            rows = answer["rows"]
            assert isinstance(rows, bytes)
            return array("I", rows).tolist()
        return []

    def _child(self) -> int:
        """The child that has what it loaded; -1 while there is none."""
        return self.service.outside.lanes[MODEL][0].pid or -1

    def _aside(self, work: Callable[[str, int], None], path: str, stamp: int) -> None:
        if time.monotonic() >= self._pause_until and not frozen(self.service.path) and self._busy.acquire(blocking=False):
            start_new_thread(self._work, (work, path, stamp))

    def _work(self, work: Callable[[str, int], None], path: str, stamp: int) -> None:
        try:
            work(path, stamp)
        except MemoryWireError:
            self._pause_until = time.monotonic() + PAUSE_SECONDS
        finally:
            self._busy.release()

    def _build(self, path: str, stamp: int) -> None:
        self.service.outside.ask("build_graph", {"path": path}, config.GRAPH_BUILD_SECONDS)

    def _load(self, path: str, stamp: int) -> None:
        """Has the graph loaded; one that can't be is made anew the next time."""
        try:
            self.service.outside.ask("nearest", {"path": path, "stamp": stamp, "vector": b"", "k": 0}, config.GRAPH_LOAD_SECONDS)
        except OutsideTimeout:
            raise
        except MemoryWireError:
            remove(path + SUM)
            raise
        self._loaded[path, stamp] = self._child()


def remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
