"""The last firing of each host's hooks, one small file a host, so that `doctor` can say whether a host is wired in truth."""

from __future__ import annotations

import os
import time

from memory_wire.hooks import files
from memory_wire.hooks.values import dumps, mapping, whole

FOLDER = "hooks"


def write(folder: str, host: str, event: str, outcome: str, bank: str, session: str) -> None:
    """Notes one firing: `{event, at, outcome, bank, session}`, `at` in Unix seconds. A disk that takes nothing keeps the former one.

    outcome: injected, nothing, no prompt, captured, noted, not ours, no input, `spooled: why`, `failed: why`, and where a key is
    missing or doesn't count `refused: why` or `refused, spooled: why`.
    """
    said = {"event": event, "at": int(time.time()), "outcome": whole(outcome), "bank": whole(bank), "session": whole(session)}
    try:
        files.put(os.path.join(folder, FOLDER, f"{host}.json"), dumps(said).encode())
    except OSError:
        return


def read(folder: str, host: str) -> dict[str, object] | None:
    """The last firing of a host; None when there was none."""
    return mapping(files.get(os.path.join(folder, FOLDER, f"{host}.json"))) or None
