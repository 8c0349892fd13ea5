"""`memory-wire watch`: looks at the sources of records whenever their files change, until it is interrupted."""

from __future__ import annotations

import os
import signal
import sys
from threading import Event

from memory_wire.cli.args import COMMON, Command, Value
from memory_wire.cli.show import as_json, escaped, line
from memory_wire.cli.target import bank_name, connect
from memory_wire.cli.verify import FRESH, MISSING, ROOT, STALE, checked, roots_of
from memory_wire.errors import MemoryWireError
from memory_wire.sources.hashing import Folders
from memory_wire.sources.watching import watch as changes


def commands() -> list[Command]:
    summary = "Look at the sources of records whenever their files change; ends with Ctrl-C."
    return [Command("watch", summary, watch, options=(ROOT, *COMMON))]


def watch(values: dict[str, Value]) -> int:
    """A line for each source that went stale or agrees again. Raises CannotWatch."""
    roots = roots_of(values)
    folders, stop = Folders(roots), Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    was: dict[str, str] = {}
    as_json({"watching": roots}) if values.get("json") else line(f"watching {', '.join(roots)}")
    sys.stdout.flush()
    for paths in changes(roots, stop=stop):
        only = {os.path.realpath(path) for path in paths if f"{os.sep}.git{os.sep}" not in path}
        try:
            look(values, folders, roots[0], only, was)
        except MemoryWireError as error:  # a server that is away comes back; what changed meanwhile shows with the next change
            sys.stderr.write(f"memory-wire: {error}\n")
        sys.stdout.flush()
    return 0


def look(values: dict[str, Value], folders: Folders, root: str, only: set[str], was: dict[str, str]) -> None:
    """Tells of the sources of these files whose state is another one than when they were last looked at."""
    if not only:
        return
    with connect(values) as target:
        for one in checked(target, bank_name(values, target), folders, root, only):
            before = was.get(one.source_id)
            if one.state != before and (one.state in (STALE, MISSING) or (one.state == FRESH and before in (STALE, MISSING))):
                if values.get("json"):
                    as_json(one)
                else:
                    line(escaped(f"{one.state:<8} {one.source_id}" + (f"  {', '.join(one.stale)}" if one.stale else "")))
            was[one.source_id] = one.state
