"""Waits for files to change. Everything that is written in a folder counts, also by editors that put a new file in the old one's place."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from memory_wire.config import WATCH_DEBOUNCE_MS
from memory_wire.errors import MemoryWireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Event


class CannotWatch(MemoryWireError):
    """Changes can't be followed; the message says why and what to do."""

    code = "cannot_watch"


WAIT_MS = 5_000  # that a wait lasts at most before `stop` is looked at again


def watch(paths: Sequence[str], debounce_ms: int = WATCH_DEBOUNCE_MS, stop: Event | None = None, quiet_ms: int = 0) -> Iterator[set[str]]:
    """Sets of absolute paths that changed, as they come, once they are quiet; ends when `stop` is set. Folders are watched whole.

    With `quiet_ms` an empty set comes whenever so long nothing has changed: whoever looked before can look again then.

    Raises CannotWatch for a path that isn't there, and when watchfiles isn't installed.
    """
    try:
        from watchfiles import watch as changes
    except ImportError:
        raise CannotWatch("watching needs watchfiles, which isn't installed: `pip install 'memory-wire[watch]'`") from None
    for path in paths:
        if not os.path.exists(path):
            raise CannotWatch(f"{path} is not there; name a folder that is")
    found = changes(
        *paths,
        debounce=debounce_ms * 4,
        step=debounce_ms,
        stop_event=stop,
        rust_timeout=quiet_ms or WAIT_MS,
        yield_on_timeout=quiet_ms > 0,
        raise_interrupt=False,
        ignore_permission_denied=True,
    )
    for batch in found:
        yield {os.path.abspath(path) for _, path in batch}
