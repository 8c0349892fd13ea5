"""`memory-wire hook EVENT`: what agent hosts run. Always exits 0, prints only what the host expects, ends within its time.

The words are read by hand and nothing else of the command line is imported.
"""

from __future__ import annotations

import os
import sys
import time

from memory_wire.config import HOOK_SECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_wire.hooks.run import Firing

HELP = """memory-wire hook EVENT [--host NAME] [--bank ID]
  Run by agent hosts with a JSON object on stdin; prints what the host puts into the model's context. Exit status always 0.
    EVENT                   session-start, prompt, stop, pre-compact or session-end
    --host NAME             whose payload and answer these are; without it the answer is plain text
    --bank ID               bank to act in (default: the project's)
  MEMORY_WIRE_DISABLE=1 switches hooks off; MEMORY_WIRE_URL, _KEY, _BANK and _FORMAT are read."""

COMMANDS = ("memory-wire", "__main__.py")  # as which a process is started that ends with the hook


def hook(words: Sequence[str]) -> int:
    """0. What goes wrong is silent: a memory may never break the host that asks it."""
    if "--help" in words or "-h" in words:
        print(HELP)
        return 0
    try:
        fire(words)
    except (Exception, KeyboardInterrupt):
        return ended()
    return ended()


def ended() -> int:
    """0, or at once the end of a process that is nothing but a hook: taking the interpreter down would be a tenth of its time."""
    started = getattr(sys.modules["__main__"], "__file__", None) or ""
    if os.path.basename(started) in COMMANDS:
        os._exit(0)
    return 0


def fire(words: Sequence[str]) -> None:
    """Runs one firing beside a watch that ends it when its time is up."""
    from memory_wire.hooks.payload import EVENTS
    from memory_wire.hooks.run import Firing, silent

    name, host, bank = words_of(words)
    environ = dict(os.environ)
    if name not in EVENTS or silent(environ):
        return
    os.environ["MEMORY_WIRE_HOOK"] = "1"  # for whatever this process starts
    firing = Firing(name, host, bank, environ)
    watch(firing)
    finish(firing, firing.output())


def watch(firing: Firing) -> None:
    """Has a thread finish the firing and end the process when the first one hangs, be it in a name lookup or on a dead disk."""
    import _thread

    def end() -> None:
        time.sleep(HOOK_SECONDS)
        try:
            finish(firing, firing.late())
        finally:
            os._exit(0)

    _thread.start_new_thread(end, ())


def finish(firing: Firing, printed: bytes) -> None:
    """Prints, once, whichever thread comes first."""
    if firing.printing.acquire(blocking=False):
        while printed:
            printed = printed[os.write(1, printed) :]


def words_of(words: Sequence[str]) -> tuple[str, str | None, str | None]:
    """(event, host, bank): the options on either side of the event; what isn't known is passed over."""
    name = ""
    given: dict[str, str] = {}
    queue = list(words)
    while queue:
        word = queue.pop(0)
        option, equals, value = word.partition("=")
        if option in ("--host", "--bank"):
            given[option] = value if equals else queue.pop(0) if queue else ""
        elif not word.startswith("-"):
            name = name or word
    return name, given.get("--host") or None, given.get("--bank") or None
