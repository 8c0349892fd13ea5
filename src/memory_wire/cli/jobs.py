"""`memory-wire jobs`: what waits to be done in the background; `jobs run` does it now."""

from __future__ import annotations

from memory_wire.cli.args import COMMON, Command, Option, Value
from memory_wire.cli.show import as_json, line, table
from memory_wire.cli.target import connect
from memory_wire.config import JOB_DIED


def commands() -> list[Command]:
    options = (
        Option("retry", "flag", "with run: also what was given up"),
        *(option for option in COMMON if option.name != "bank"),
    )
    exits = "Exit status 1: something was given up."
    summary = "Work in the background: what waits and what was given up; `jobs run` does it now."
    return [Command("jobs", summary, jobs, optional=("action",), options=options, choices=("run", "status"), exits=exits)]


def explained(failure: str) -> str:
    """What a job ended with, in words."""
    return "Interrupted: its process was ended while it worked; it is begun again, five times at most" if failure == JOB_DIED else failure


def jobs(values: dict[str, Value]) -> int:
    with connect(values) as target:
        found = target.run_jobs(retry=bool(values.get("retry"))) if values.get("action") == "run" else target.jobs()
    if values.get("json"):
        as_json(found)
    elif found.jobs:
        table(("kind", "waiting", "failed before", "given up"), [(row.kind, row.waiting, row.retrying, row.failed) for row in found.jobs])
        for row in found.jobs:
            if row.failure:
                line(f"{row.kind}: {explained(row.failure)}")
        if any(row.failed for row in found.jobs):
            line("`memory-wire jobs run --retry` begins anew what was given up")
    else:
        line("nothing waits")
    return 1 if any(row.failed for row in found.jobs) else 0
