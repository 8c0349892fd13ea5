"""`memory-wire sweep`: deletes what is older than its bank's `ttl_days`. The lines are the contract's."""

from __future__ import annotations

from memory_wire import types as t
from memory_wire.cli.args import COMMON, Command, Option, Value
from memory_wire.cli.show import as_json, line
from memory_wire.cli.target import connect

BANK_WIDTH = 10


def commands() -> list[Command]:
    options = (Option("dry-run", "flag", "only say what would be deleted"), *(option for option in COMMON if option.name != "bank"))
    return [Command("sweep", "Delete memories older than their bank's ttl_days.", sweep, options=options)]


def sweep(values: dict[str, Value]) -> int:
    with connect(values) as target:
        done = target.sweep(dry_run=bool(values.get("dry_run")))
    if values.get("json"):
        as_json(done)
    else:
        for text in report(done):
            line(text)
    return 0


def report(done: t.Swept) -> list[str]:
    """What was done, bank by bank: the swept ones, then the skipped ones."""
    swept = [bank for bank in done.banks if not bank.skipped]
    verb, total = ("would delete", "would be deleted") if done.dry_run else ("deleted", "deleted")
    lines = ["memory-wire sweep"]
    lines += [f"  {bank.bank:<{BANK_WIDTH}}  ttl {bank.ttl_days}d  cutoff {bank.cutoff}  {verb} {bank.deleted}" for bank in swept]
    lines += [f"  {bank.bank}  skipped ({bank.skipped})" for bank in done.banks if bank.skipped]
    lines += [f"  {bank.bank}  {'would purge' if done.dry_run else 'purged'} {bank.purged} forgotten" for bank in done.banks if bank.purged]
    lines.append(f"total {done.deleted} {total}")
    if all(bank.ttl_days is None for bank in done.banks):
        lines.append("nothing was ever a candidate: no bank sets ttl_days")
    return lines
