"""Verbs over the whole store: reindex, check, export, backup. They open the database itself, also beside a running server."""

from __future__ import annotations

import os

from memory_wire.cli.args import COMMON, Command, Value
from memory_wire.cli.show import Progress, as_json, line, tell
from memory_wire.cli.target import connect, db_path, exists
from memory_wire.errors import StoreRefused


def commands() -> list[Command]:
    options = tuple(option for option in COMMON if option.name in {"bank", "db", "json"})
    return [
        Command("backup", "Copy the store to a new file, safe under load.", backup, positional=("file",), options=options),
        Command(
            "check", "Verify the store, the index and that they agree.", check, options=options, exits="Exit status 1: something is wrong."
        ),
        Command("export", "Write everything as JSON lines, to a file or `-`.", export, positional=("file",), options=options),
        Command("reindex", "Build the index anew from the store.", reindex, options=options),
    ]


def banks(values: dict[str, Value]) -> str | None:
    """The one bank to act on, or None for all."""
    return str(values["bank"]) if values.get("bank") else None


def reindex(values: dict[str, Value]) -> int:
    from memory_wire.service import maintenance

    bar = Progress("reindex")
    done = maintenance.reindex(db_path(values), banks(values), bar)
    bar.close()
    report(values, done, f"{done['banks']} banks, {done['memories']:,} memories indexed")
    return 0


def check(values: dict[str, Value]) -> int:
    from memory_wire.service import maintenance

    bar = Progress("check")
    findings = maintenance.check(db_path(values), bar)
    bar.close()
    errors = [finding for finding in findings if not finding.startswith("note: ")]
    if values.get("json"):
        as_json({"ok": not errors, "findings": findings})
    else:
        for finding in findings:
            line(finding)
        line("ok" if not errors else f"{len(errors)} errors; {mended(errors, db_path(values))}")
    return 1 if errors else 0


def mended(errors: list[str], path: str) -> str:
    """How to go on: the index can be built anew, the database can't."""
    from memory_wire.cli.words import restored

    of_index = all(text.startswith("bank ") and ": " in text for text in errors)
    return "`memory-wire reindex` builds the index anew" if of_index else restored(path)


def export(values: dict[str, Value]) -> int:
    from memory_wire.service import transfer

    name = str(values["file"])
    bar = Progress("export")
    count = transfer.export(db_path(values), None if name == "-" else name, banks(values), bar)
    bar.close()
    if not count and banks(values):
        with connect(values) as target:
            if not exists(target, str(banks(values))):
                tell(f"there is no bank {banks(values)}; `memory-wire banks` lists them")
    if name != "-":
        report(values, {"memories": count, "file": name}, f"{count:,} memories written to {name}")
    return 0


def backup(values: dict[str, Value]) -> int:
    from memory_wire.service import maintenance

    if os.path.lexists(str(values["file"])):
        raise StoreRefused(f"{values['file']} exists, and a backup replaces nothing; name a new file: `memory-wire backup NEWFILE`")
    bar = Progress("backup")
    done = maintenance.backup(db_path(values), str(values["file"]), bar)
    bar.close()
    report(values, done, f"{done['bytes']:,} bytes written to {values['file']}")
    return 0


def report(values: dict[str, Value], facts: dict[str, object], text: str) -> None:
    """The outcome as one line, or as JSON."""
    if values.get("json"):
        as_json(facts)
    else:
        line(text)
