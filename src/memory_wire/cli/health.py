"""`memory-wire health`: whether a server answers, for scripts and service managers."""

from __future__ import annotations

import os

from memory_wire.cli.args import DB, JSON, Command, Value
from memory_wire.cli.show import as_json, line
from memory_wire.cli.target import db_path, serving


def commands() -> list[Command]:
    summary = "Say whether a server answers for this store."
    return [Command("health", summary, health, options=(DB, JSON), exits="Exit status 1: none does.")]


def health(values: dict[str, Value]) -> int:
    """0 and `ok` when the server named by MEMORY_WIRE_URL, or the one that serves the store, answers its health route."""
    from memory_wire.wire import alive

    named = os.environ.get("MEMORY_WIRE_URL")
    url = (named if alive(named) else None) if named else serving(db_path(values))
    if values.get("json"):
        as_json({"ok": bool(url), "url": url or named})
        return 0 if url else 1
    line("ok" if url else f"no server answers at {named}" if named else f"no server answers for {db_path(values)}")
    return 0 if url else 1
