"""The end of a daemon's log and what comes after it, across rotations."""

from __future__ import annotations

import os
import sys
import time

from memory_wire.config import LOG_FILES

LINES = 50
POLL_SECONDS = 0.2


def tail(path: str, count: int) -> str | None:
    """The last lines, from older files too when the newest has too few; None when there is no log."""
    found: list[str] = []
    seen = False
    for name in (path, *(f"{path}.{number}" for number in range(1, LOG_FILES))):
        try:
            with open(name, encoding="utf-8", errors="replace") as file:
                found = file.readlines() + found
        except FileNotFoundError:
            continue
        seen = True
        if len(found) >= count:
            break
    return "".join(found[-count:] if count else []) if seen else None


def follow(path: str) -> int:
    """Prints what is written until interrupted; goes over to the fresh file after a rotation."""
    file = None
    try:
        while True:
            if file is None and os.path.exists(path):
                file = open(path, encoding="utf-8", errors="replace")  # noqa: SIM115 - outlives this step
                file.seek(0, os.SEEK_END)
            if file is not None:
                sys.stdout.write(file.read())
                sys.stdout.flush()
                if moved(path, file.fileno()):
                    sys.stdout.write(file.read())  # what came between the last look and the rotation
                    file.close()
                    file = open(path, encoding="utf-8", errors="replace")  # noqa: SIM115
                    continue
            time.sleep(POLL_SECONDS)
    except (KeyboardInterrupt, BrokenPipeError):
        return 0
    finally:
        if file is not None:
            file.close()


def moved(path: str, descriptor: int) -> bool:
    """Whether the name stands for another file by now."""
    try:
        return not os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False
