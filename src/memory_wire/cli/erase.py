"""`memory-wire erase`: memories and records leave the store for good, `--dry-run` tells which."""

from __future__ import annotations

import sys

from memory_wire import erasure as e
from memory_wire.cli.args import COMMON, Command, Option, Usage, Value
from memory_wire.cli.show import as_json, escaped, line
from memory_wire.cli.target import bank_name, connect


def commands() -> list[Command]:
    options = (
        Option("id", help="one memory, record, document, bundle or uploaded session, also one that was forgotten"),
        Option("source", help="all of a source", field="source_id"),
        Option(
            "subject", help="all that is said by, tagged with or kept under this name: speaker, session, source, scope, fact key, alias"
        ),
        Option("content", "flag", "of a subject also what speaks of it, in uploaded sessions as well"),
        Option("all-banks", "flag", "in every bank of the project"),
        Option("dry-run", "flag", "change nothing, tell what is meant"),
        Option("yes", "flag", "don't ask"),
        *COMMON,
    )
    return [Command("erase", "Remove memories, records and documents for good: text, index and log.", erase, options=options)]


def erase(values: dict[str, Value]) -> int:
    given = {name: str(values[name]) for name in ("id", "source_id", "subject") if values.get(name) is not None}
    if len(given) != 1:
        raise Usage("erase takes one of --id, --source and --subject")
    if values.get("content") and "subject" not in given:
        raise Usage("--content goes with --subject")
    with connect(values) as target:
        request = e.Erase(**given, content=bool(values.get("content")), all_banks=bool(values.get("all_banks")), dry_run=True)
        bank = bank_name(values, target)
        if not values.get("dry_run"):
            if not values.get("yes") and not confirmed(target.call("erase", request, bank=bank)):
                return 1
            request.dry_run = False
        answer = target.call("erase", request, bank=bank)
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
    for item in answer.erased:
        where = f"  {item.bank}" if item.bank and len(answer.banks) > 1 else ""
        line(f"{item.id}  {item.kind}{where}  {item.why}" + (f"  {escaped(item.text)}" if item.text else ""))
    if len(answer.erased) < answer.count:
        line(f"and {answer.count - len(answer.erased):,} more")
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in answer.kinds.items())
    banks = f"in bank {answer.banks[0]}" if len(answer.banks) == 1 else f"in {len(answer.banks):,} banks" if answer.banks else "in no bank"
    line(f"{answer.count:,} {'meant' if answer.dry_run else 'erased'} {banks}" + (f": {kinds}" if kinds else ""))
    for id in answer.derived:
        line(f"derived   {id}  was made from it: look at it, or erase it too")
    for copy in answer.backups:
        line(f"backup    {copy.path}  of {copy.made_at[:10]} may still have it")
