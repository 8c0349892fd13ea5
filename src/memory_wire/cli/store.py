"""Verbs over the whole store: reindex, check, export, backup. They open the database itself, also beside a running server."""

from __future__ import annotations

from memory_wire.cli.args import COMMON, Command, Value
from memory_wire.cli.show import Progress, as_json, line
from memory_wire.cli.target import db_path


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
        line("ok" if not errors else f"{len(errors)} errors; `memory-wire reindex` builds the index anew")
    return 1 if errors else 0


def export(values: dict[str, Value]) -> int:
    from memory_wire.service import transfer

    name = str(values["file"])
    bar = Progress("export")
    count = transfer.export(db_path(values), None if name == "-" else name, banks(values), bar)
    bar.close()
    if name != "-":
        report(values, {"memories": count, "file": name}, f"{count:,} memories written to {name}")
    return 0


def backup(values: dict[str, Value]) -> int:
    from memory_wire.service import maintenance

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
