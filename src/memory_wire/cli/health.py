"""`memory-wire health`: whether a server answers, for scripts and service managers."""

from __future__ import annotations

import os

from memory_wire.cli.args import Command, Option, Value
from memory_wire.cli.show import line
from memory_wire.cli.target import db_path, serving


def commands() -> list[Command]:
    summary = "Say whether a server answers for this store; exit status 1 when none does."
    return [Command("health", summary, health, options=(Option("db", help="path of the store"),))]


def health(values: dict[str, Value]) -> int:
    """0 and `ok` when the server named by MEMORY_WIRE_URL, or the one that serves the store, answers its health route."""
    from memory_wire.wire import alive

    named = os.environ.get("MEMORY_WIRE_URL")
    url = (named if alive(named) else None) if named else serving(db_path(values))
    line("ok" if url else f"no server answers at {named}" if named else f"no server answers for {db_path(values)}")
    return 0 if url else 1
