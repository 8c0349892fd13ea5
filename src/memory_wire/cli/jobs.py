"""`memory-wire jobs`: what waits to be done in the background; `jobs run` does it now."""

from __future__ import annotations

from memory_wire.cli.args import COMMON, Command, Option, Value
from memory_wire.cli.show import as_json, line, table
from memory_wire.cli.target import connect


def commands() -> list[Command]:
    options = (
        Option("retry", "flag", "with run: also what was given up"),
        *(option for option in COMMON if option.name != "bank"),
    )
    exits = "Exit status 1: something was given up."
    summary = "Work in the background: what waits and what was given up; `jobs run` does it now."
    return [Command("jobs", summary, jobs, optional=("action",), options=options, choices=("run", "status"), exits=exits)]


def jobs(values: dict[str, Value]) -> int:
    with connect(values) as target:
        found = target.run_jobs(retry=bool(values.get("retry"))) if values.get("action") == "run" else target.jobs()
    if values.get("json"):
        as_json(found)
    elif found.jobs:
        table(("kind", "waiting", "given up", "failure"), [(row.kind, row.waiting, row.failed, row.failure or "-") for row in found.jobs])
    else:
        line("nothing waits")
    return 1 if any(row.failed for row in found.jobs) else 0
