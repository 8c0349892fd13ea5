"""`memory-wire doctor`: looks at everything that a memory depends on and says of each fault which command mends it.

The lines up to `server` are the contract's. Exit status 0, with --strict 1 when something is wrong (error) or the server is down.
"""

from __future__ import annotations

import sys
import time

from msgspec.structs import asdict

from memory_wire.cli import examine
from memory_wire.cli.args import BANK, DB, JSON, Command, Option, Value
from memory_wire.cli.examine import ERROR, Health
from memory_wire.cli.home import size
from memory_wire.cli.show import as_json, line, paint
from memory_wire.service.overview import ago

STYLES = {"error": "bad", "warning": "warn", "note": "dim"}


def commands() -> list[Command]:
    options = (
        Option("strict", "flag", "exit status 1 when something is wrong or the server is down"),
        Option("all-hosts", "flag", "also the hosts that aren't on this machine"),
        BANK,
        DB,
        JSON,
    )
    exits = "Exit status 1 with --strict: an error, or the server is down."
    return [
        Command(
            "doctor", "Examine endpoint, store, server, hosts and hooks; say what mends each fault.", doctor, options=options, exits=exits
        )
    ]


def doctor(values: dict[str, Value]) -> int:
    health = examine.everything(values)
    if values.get("json"):
        as_json({"ok": not any(finding.level == ERROR for finding in health.findings), "bank": health.store.bank, **asdict(health)})
    else:
        show(health)
    reason = health.failed() if values.get("strict") else ""
    if reason:
        sys.stderr.write(f"memory-wire: {reason}\n")
    return 1 if reason else 0


def show(health: Health) -> None:
    """The report for a person."""
    store = health.store
    here = store.banks.get(store.bank)
    state = f"{size(store.size)}, ok" if store.state == "ok" else f"{store.state}: {store.why}" if store.why else store.state
    rows = [
        ("endpoint", health.endpoint),
        ("bank", f"{store.bank}  ({health.rule} {health.source})"),
        ("store", f"{store.path}  ({state})"),
        ("banks", f"{len(store.banks):,}"),
        ("memories", f"{here.memories if here else 0:,}"),
        ("server", f"up  {health.server_facts}" if not health.down else f"down: {health.down}"),
        ("spool", f"{health.spool[0]:,} captures wait ({size(health.spool[1])})" if health.spool[0] else "empty"),
        ("versions", "  ".join(f"{name} {version}" for name, version in health.versions.items())),
    ]
    for name, text in rows:
        line(f"{paint(name.ljust(8), 'name')}  {text}")
    for host in health.hosts:
        fired = f"{host.event} {ago(host.fired_at * 1000, time.time_ns() // 1_000_000)}: {host.outcome}" if host.fired_at else "never fired"
        fired = fired if host.hooks or host.fired_at else "no hooks"
        line(f"{paint('host'.ljust(8), 'name')}  {host.name:<12}  {f'wired={host.wired}':<13}  {fired if host.wired != 'no' else '-'}")
    for finding in health.findings:
        line(f"{paint(finding.level.ljust(8), STYLES[finding.level])}  {finding.text}")
        if finding.mend:
            line(f"{'':8}  → {finding.mend}")
    errors = sum(finding.level == ERROR for finding in health.findings)
    line("nothing wrong" if not errors else f"{errors} wrong")
