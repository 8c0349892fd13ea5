"""`memory-wire connect` and `disconnect`: wires agent hosts, shows what would change, takes everything out again.

What goes where is said by memory_wire.hosts; here are words, order and report. One host's failure stops no other.
"""

from __future__ import annotations

import os
from contextlib import nullcontext

from msgspec import Struct

from memory_wire.cli.args import JSON, Command, Option, Usage, Value
from memory_wire.cli.attend import keyed, left_running, mark, serving
from memory_wire.cli.show import as_json, line, paint
from memory_wire.config import BANK_CHARS
from memory_wire.hosts import NAMES, ON_REQUEST, engine, files, load, record, verify
from memory_wire.hosts.base import Environment, Host, Refused, Wiring
from memory_wire.hosts.engine import Plan
from memory_wire.hosts.launcher import NoLauncher, launcher
from memory_wire.hosts.record import Record

STYLES = {"wired": "good", "unwired": "good", "FAILED": "bad", "skipped": "dim"}
NEXT = "sessions that are open see it after a restart; `memory-wire doctor` checks it all, `memory-wire disconnect` takes it out again"
HERMES = "hermes is wired on request only, since it replaces its memory provider: `memory-wire connect hermes`"


class Outcome(Struct):
    """What became of one host. `outcome`: wired, unwired, already-wired, skipped, FAILED, or would-… of a dry run."""

    host: str
    outcome: str
    changed: list[str] = []
    left: list[str] = []
    backup: str | None = None
    reason: str | None = None
    snippet: str | None = None
    diff: str | None = None


class Job(Struct):
    """One run over some hosts."""

    env: Environment
    wiring: Wiring
    record: Record
    uninstall: bool
    dry: bool
    named: bool
    hosts: list[str]


def commands() -> list[Command]:
    options = (
        Option("list", "flag", "which hosts are here and which are wired; changes nothing"),
        Option("dry-run", "flag", "show the changes as a diff, make none"),
        Option("bank", help="bank to write into the entries (default: the one that is there, else the project's at run time)"),
        Option("uninstall", "flag", "take our entries out again"),
        Option("guidelines", "flag", "write the block for AGENTS.md and the like in this folder; with --uninstall remove it"),
        Option("preset", help="of --guidelines: memory, or records for facts with sources; others stay", choices=("memory", "records")),
        Option("no-daemon", "flag", "start no server, now or at session starts"),
        Option("addr", help="where the server that is started listens, HOST:PORT; remembered for later starts"),
        JSON,
    )
    exits = "Exit status 1: a host failed, each line says why; options that exclude each other."
    undo = tuple(option for option in options if option.name in ("dry-run", "guidelines", "preset", "json"))
    return [
        Command("connect", "Wire agent hosts: hooks and MCP server.", connect, options=options, exits=exits, rest="hosts"),
        Command("disconnect", "Take our entries out of agent hosts again.", disconnect, options=undo, exits=exits, rest="hosts"),
    ]


def disconnect(values: dict[str, Value]) -> int:
    """`connect --uninstall`."""
    return connect(values | {"uninstall": True})


def connect(values: dict[str, Value]) -> int:
    """The exit status; 1 when a host failed. Raises Usage, NoLauncher, OSError."""
    names = chosen(values.get("hosts"))
    clash = conflict(values, bool(names))
    if clash:
        from memory_wire.cli.main import say

        return say(clash)
    if values.get("guidelines"):
        return guide(values)
    env = Environment.current()
    if values.get("list"):
        return listed(env, bool(values.get("json")))
    return wire(values, names, env)


def guide(values: dict[str, Value]) -> int:
    """Writes the guidelines into the files of the working directory, or takes them out; 1 when one was refused."""
    from memory_wire.hosts import guidelines

    preset = values.get("preset")
    results = guidelines.update(os.getcwd(), bool(values.get("uninstall")), bool(values.get("dry_run")), str(preset) if preset else None)
    if values.get("json"):
        as_json(results)
    else:
        for result in results:
            line(
                f"{result.file:<32} {result.word:<9} {result.reason or ''}".rstrip() + (f"\n{result.diff.rstrip()}" if result.diff else "")
            )
    return 1 if any(result.word == "REFUSED" for result in results) else 0


def chosen(given: Value) -> list[str]:
    """The hosts named, commas and repetitions allowed, in the order of reports. Raises Usage."""
    parts = given if isinstance(given, list) else []
    words = [word for part in parts for word in part.replace(",", " ").split()]
    if parts and not words:
        raise Usage("the name of a host is empty")
    for word in words:
        if word not in NAMES:
            raise Usage(f"unknown host {word!r}; {near(word)}hosts are {', '.join(NAMES)}")
    return [name for name in NAMES if name in words]


def near(word: str) -> str:
    """The host that is probably meant, as a question; empty when none is near."""
    from difflib import get_close_matches

    found = [name for name in NAMES if name.startswith(word.lower())] or get_close_matches(word.lower(), NAMES, 1)
    return f"did you mean {found[0]}? " if found else ""


def bank_of(given: Value) -> str | None:
    """The bank named, None for none. Raises Usage."""
    bank = "" if given is None else str(given)
    if given is not None and not 0 < len(bank) <= BANK_CHARS:
        raise Usage(f"--bank is a name of 1 to {BANK_CHARS} characters")
    return bank or None


def conflict(values: dict[str, Value], named: bool) -> str:
    """What is wrong with the options together; empty when nothing is."""
    if values.get("list"):
        if named:
            return "--list takes no host; `memory-wire connect <host>` wires one"
        if any(values.get(name) for name in ("uninstall", "guidelines", "bank", "addr")):
            return "--list wires nothing; drop it to make a change"
    if values.get("guidelines") and (named or values.get("bank")):
        return "--guidelines is about this folder; drop the host or bank, or run it apart"
    if values.get("preset") and not values.get("guidelines"):
        return "--preset is of --guidelines; add that"
    if values.get("addr") and (values.get("uninstall") or values.get("guidelines")):
        return "--addr is for the server that connect starts; drop it"
    if values.get("uninstall") and values.get("bank"):
        return "--uninstall takes entries out whatever their bank; drop --bank"
    return ""


def listed(env: Environment, json: bool) -> int:
    """Prints which hosts are here and which are wired."""
    known, wiring = record.seen(env.data), Wiring(program(env))
    hosts = [load(name) for name in NAMES]
    found = [{"host": host.name, "detected": host.detect(env), "wired": engine.wired(host, env, known, wiring)} for host in hosts]
    if json:
        as_json(found)
        return 0
    for row in found:
        line(f"{row['host']:<12} detected={'yes' if row['detected'] else 'no'} wired={row['wired']}")
    return 0


def program(env: Environment) -> str:
    """The launcher, or a name that nothing has where entries are only looked at or taken out."""
    try:
        return launcher(env)
    except NoLauncher:
        return "/nonexistent/memory-wire"


def wire(values: dict[str, Value], names: list[str], env: Environment) -> int:
    """Wires or unwires the hosts, reports, sees to the server."""
    uninstall, dry = bool(values.get("uninstall")), bool(values.get("dry_run"))
    hosts = names or [name for name in NAMES if uninstall or name not in ON_REQUEST]
    wiring = Wiring(program(env) if uninstall else launcher(env), bank_of(values.get("bank")))
    notes = [] if uninstall or names else [HERMES]
    with nullcontext(record.seen(env.data)) if dry else record.opened(env.data) as known:
        job = Job(env, wiring, known, uninstall, dry, bool(names), hosts)
        outcomes = [one(load(name), job) for name in hosts]
        working = [outcome.host for outcome in outcomes if outcome.outcome in ("wired", "already-wired")]
        if not dry:
            mark(env, known, start=not uninstall and not values.get("no_daemon"))
    fresh = [outcome.host for outcome in outcomes if outcome.outcome == "wired"]
    notes += [note for name in fresh for note in load(name).notes(env)] + ([NEXT] if fresh else [])
    would = [outcome.host for outcome in outcomes if outcome.outcome in ("would-wire", "already-wired")]
    if uninstall:
        server = "" if dry or known.hosts or not any(outcome.outcome == "unwired" for outcome in outcomes) else left_running(env)
    elif values.get("no_daemon") or not (would if dry else working):
        server = ""
    else:
        server = serving(wiring.launcher, env, str(values.get("addr") or ""), dry)
    if working and not dry and not uninstall:
        notes += keyed(env)
    report(outcomes, notes, server, bool(values.get("json")))
    return 1 if any(outcome.outcome == "FAILED" for outcome in outcomes) or server.startswith("FAILED") else 0


def one(host: Host, job: Job) -> Outcome:
    """Wires or unwires one host."""
    if host.name not in job.record.hosts and not host.detect(job.env):
        return Outcome(host.name, "skipped", reason="not detected on this machine")
    passing = job.uninstall and not job.named and host.name not in job.record.hosts
    if passing and engine.wired(host, job.env, job.record, job.wiring) == "no":
        return Outcome(host.name, "skipped", reason="not wired")
    for _ in range(engine.ATTEMPTS):
        try:
            return carried(host, job)
        except files.Raced:
            continue
        except Refused as refusal:
            return Outcome(host.name, "FAILED", reason=refusal.reason, snippet=refusal.snippet or None)
        except OSError as error:
            return Outcome(host.name, "FAILED", reason=f"{error.filename}: {error.strerror}" if error.filename else str(error))
    return Outcome(host.name, "FAILED", reason="its files keep changing; close the host and try again")


def carried(host: Host, job: Job) -> Outcome:
    """Plans and, unless this is a dry run, applies. Raises Refused, Raced, OSError."""
    env = job.env
    plan = planned(host, job, job.record)
    verb, idle = ("unwired", "skipped") if job.uninstall else ("wired", "already-wired")
    if job.dry and plan.changes:
        return Outcome(host.name, f"would-{verb.removesuffix('d')}", plan.done, plan.left, diff=engine.difference(plan))
    if not plan.changes:
        if not job.dry:
            engine.remember(plan, job.record)
            job.record.save()
        return Outcome(host.name, idle, left=plan.left, reason="not wired" if job.uninstall else None)
    backup = engine.apply(plan, env, job.record, lambda: checked(host, job, plan))
    return Outcome(host.name, verb, plan.done, plan.left, backup)


def planned(host: Host, job: Job, known: Record) -> Plan:
    """What has to change. Raises Refused."""
    if job.uninstall:
        return engine.removal(host, job.env, known, job.wiring, job.hosts)
    return engine.install(host, job.env, known, job.wiring)


def checked(host: Host, job: Job, plan: Plan) -> None:
    """Reads the written files again and runs a hook. Raises Refused."""
    again = planned(host, job, engine.after(plan, job.record))
    if again.changes:
        raise Refused(f"{again.changes[0].path} does not hold what was written; put back")
    if not job.uninstall:
        slots = host.slots(job.env, Wiring(job.wiring.launcher, engine.bank(host, job.env, job.wiring)))
        verify.run(host, slots, job.env)


def report(outcomes: list[Outcome], notes: list[str], server: str, json: bool) -> None:
    """Prints what became of each host, and what is left to do."""
    if json:
        as_json({"hosts": outcomes, "notes": notes, "server": server or None})
        return
    for outcome in outcomes:
        line(row(outcome))
        if outcome.snippet:
            line("  put this in by hand:\n" + "\n".join(f"    {part}" for part in outcome.snippet.splitlines()))
        if outcome.diff:
            line(outcome.diff.rstrip("\n"))
    if server or notes:
        line("")
    for note in filter(None, [server, *notes]):
        line(note)


def row(outcome: Outcome) -> str:
    """The line of one host."""
    said = outcome.reason or ", ".join(outcome.changed) or "-"
    said += f"  (backup: {outcome.backup})" if outcome.backup else ""
    said += f"  | left alone: {', '.join(outcome.left)}" if outcome.left else ""
    verb = paint(f"{outcome.outcome:<13}", STYLES.get(outcome.outcome, "dim"))
    return f"{outcome.host:<12} {verb} {said}"
