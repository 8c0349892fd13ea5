"""`memory-wire audit`: the log of what was done, as a table, as JSON lines for keeping elsewhere, and whether it is whole."""

from __future__ import annotations

import os
import sys

import msgspec

from memory_wire import grants
from memory_wire.cli.args import COMMON, Command, Option, Usage, Value
from memory_wire.cli.show import as_json, line, table
from memory_wire.cli.target import connect
from memory_wire.config import PAGE_MAX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_wire.client import Client, Memory

SHOWN = 50


def commands() -> list[Command]:
    options = (
        Option("since", help="not before this date"),
        Option("actor", help="only what this one did: local, member:NAME or key:ID"),
        Option("kind", help="only these actions, as record.forget, or record for all of that kind"),
        Option("limit", "int", f"at most so many (default {SHOWN}; all with --export)"),
        Option("export", "path", "write JSON lines to a file, `-` for standard output"),
        Option("verify", "flag", "whether every line is there as it was written"),
        Option("head", help="with --verify: a chain noted before, which must still be in the log"),
        *(option for option in COMMON if option.name != "bank"),
    )
    exits = "Exit status 1 with --verify: lines are missing or were changed."
    return [Command("audit", "What was done by whom, oldest first; never with content.", audit, options=options, exits=exits)]


def audit(values: dict[str, Value]) -> int:
    if values.get("head") is not None and not values.get("verify"):
        raise Usage("--head goes with --verify")
    with connect(values) as target:
        if values.get("verify"):
            return verify(values, target)
        if values.get("export") is not None:
            return export(values, target)
        found = list(events(values, target, int(str(values.get("limit") or SHOWN))))
    if values.get("json"):
        as_json(grants.AuditLog(events=found))
    else:
        rows = [(row.at, row.actor, row.action, row.target or "-", where(row), row.detail or "") for row in found]
        table(("at", "actor", "action", "target", "where", "detail"), rows)
    return 0


def where(row: grants.Event) -> str:
    return "/".join(name for name in (row.project, row.bank) if name) or "-"


def events(values: dict[str, Value], target: Client | Memory, most: int) -> Iterator[grants.Event]:
    """Lines of the log, page by page."""
    asked = {name: str(values[name]) for name in ("since", "actor", "kind") if values.get(name) is not None}
    cursor = None
    while most > 0:
        page = target.audit(**asked, limit=min(most, PAGE_MAX), cursor=cursor)
        yield from page.events
        most -= len(page.events)
        cursor = page.cursor
        if cursor is None:
            return


def verify(values: dict[str, Value], target: Client | Memory) -> int:
    head = values.get("head")
    verdict = target.verify_audit(str(head) if head is not None else None)
    if values.get("json"):
        as_json(verdict)
    elif verdict.whole:
        line(f"whole: {verdict.events:,} lines, chain {verdict.head or '-'}")
    else:
        line(f"not whole: {verdict.fault}; {verdict.events:,} lines before it hold, chain {verdict.head or '-'}")
    return 0 if verdict.whole else 1


def export(values: dict[str, Value], target: Client | Memory) -> int:
    """JSON lines; a file is made for its owner alone."""
    name, most = str(values["export"]), int(str(values.get("limit") or sys.maxsize))
    encoded = (msgspec.json.encode(event) + b"\n" for event in events(values, target, most))
    if name == "-":
        sys.stdout.buffer.writelines(encoded)
        return 0
    with open(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.writelines(encoded)
    return 0
