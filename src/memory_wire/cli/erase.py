"""`memory-wire erase`: memories and records leave the store for good, `--dry-run` tells which."""

from __future__ import annotations

import sys

from memory_wire import erasure as e
from memory_wire.cli.args import COMMON, Command, Option, Usage, Value
from memory_wire.cli.show import as_json, line
from memory_wire.cli.target import bank_name, connect


def commands() -> list[Command]:
    options = (
        Option("id", help="one memory or record, also one that was forgotten"),
        Option("source", help="all of a source", field="source_id"),
        Option(
            "subject", help="all that is said by, tagged with or kept under this name: speaker, session, source, scope, fact key, alias"
        ),
        Option("content", "flag", "of a subject also what speaks of it"),
        Option("dry-run", "flag", "change nothing, tell what is meant"),
        Option("yes", "flag", "don't ask"),
        *COMMON,
    )
    return [Command("erase", "Remove memories and records for good: text, index and log.", erase, options=options)]


def erase(values: dict[str, Value]) -> int:
    given = {name: str(values[name]) for name in ("id", "source_id", "subject") if values.get(name) is not None}
    if len(given) != 1:
        raise Usage("erase takes one of --id, --source and --subject")
    content, dry_run = bool(values.get("content")), bool(values.get("dry_run"))
    with connect(values) as target:
        bank = bank_name(values, target)
        if not dry_run and not values.get("yes"):
            found = target.erase(**given, content=content, dry_run=True, bank=bank)
            if not confirmed(found):
                return 1
        answer = target.erase(**given, content=content, dry_run=dry_run, bank=bank)
    if values.get("json"):
        as_json(answer)
    else:
        report(answer)
    return 0


def confirmed(found: e.Erased) -> bool:
    """Whether a person at a terminal agrees. Raises Usage where there is none to ask."""
    if not sys.stdin.isatty():
        raise Usage("nobody can be asked here: --dry-run tells what is meant, --yes erases it")
    report(found)
    sys.stdout.write("erase for good? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def report(answer: e.Erased) -> None:
    for unit in answer.erased:
        line(f"{unit.id}  {unit.why}")
    line(f"{answer.count:,} {'meant' if answer.dry_run else 'erased'}")
    for id in answer.derived:
        line(f"derived   {id}  was made from it: look at it, or erase it too")
    for copy in answer.backups:
        line(f"backup    {copy.path}  of {copy.made_at[:10]} still has it")
