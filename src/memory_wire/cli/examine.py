"""The examinations behind `doctor`: each looks at one thing, notes its facts, and adds findings with the command that mends them."""

from __future__ import annotations

import os

from msgspec import Struct, field

from memory_wire.cli import running
from memory_wire.cli.address import mend_named, remembered
from memory_wire.cli.args import Value
from memory_wire.cli.bank import mend, word
from memory_wire.cli.daemon import duration
from memory_wire.cli.installed import compiled, installation
from memory_wire.cli.jobs import explained
from memory_wire.cli.running import Running
from memory_wire.cli.target import db_path, found_bank
from memory_wire.cli.waiting import deliver
from memory_wire.config import DEFAULT_ADDR, JOURNAL_BYTES
from memory_wire.errors import MemoryWireError
from memory_wire.hooks import endpoint
from memory_wire.serve import holder
from memory_wire.service.overview import StoreSeen, look

OTHER_PORT = "memory-wire daemon start --addr 127.0.0.1:8889"
ERROR, WARNING, NOTE = "error", "warning", "note"
LOG_TIMES = 8  # a write-ahead log of so many times its limit means that somebody holds it back


class Finding(Struct):
    """`mend` is the command that helps, "" where none does."""

    level: str
    text: str
    mend: str = ""


class HostSeen(Struct):
    """`wired` is no, partial or yes; `hooks`: it has some that note when they fire; last firing, `fired_at` in Unix seconds (0: never)."""

    name: str
    detected: bool
    wired: str
    hooks: bool = True
    event: str = ""
    fired_at: int = 0
    outcome: str = ""


class Health(Struct):
    """What was found. `down` is why the server doesn't serve, "" when it does; `spool` counts captures that wait, and their bytes."""

    endpoint: str
    rule: str
    source: str
    store: StoreSeen
    down: str
    server_facts: str = ""
    spool: tuple[int, int] = (0, 0)
    versions: dict[str, str] = field(default_factory=dict)
    hosts: list[HostSeen] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def add(self, level: str, text: str, mend: str = "") -> None:
        self.findings.append(Finding(level, text, mend))

    def failed(self) -> str:
        """The first reason why --strict fails, "" when it doesn't."""
        errors = [finding.text for finding in self.findings if finding.level == ERROR]
        return errors[0] if errors else f"the server is down: {self.down}" if self.down else ""


def everything(values: dict[str, Value]) -> Health:
    """Runs all examinations."""
    named = os.environ.get("MEMORY_WIRE_URL")
    try:
        state = running.look(running.state_path())
    except MemoryWireError as error:
        state = Running("", running.ABSENT, str(error))
    own = "" if named else endpoint.own(os.path.dirname(db_path({})))
    url = named or own or (state.url if state.addr and state.kind != running.CORRUPT else f"http://{default_addr()}")
    serves = state.kind == running.SERVING and state.trusted and not named
    down = running.probe(url) if not serves else ""
    stranger = url if not down and not serves and not named and not own else ""
    path = state.db if serves and not values.get("db") else db_path(values)
    found = found_bank(values)
    store = look(path, found.pick, check=True)
    if stranger:
        down = f"what answers at {url} is not proved to be this user's"
    health = Health(url, found.rule, found.source, store, down)
    if serves and os.path.realpath(path) != os.path.realpath(db_path(values)):
        health.add(NOTE, f"the server serves {path}, not the default store; --db looks at another")
    of_server(health, state, named, stranger)
    of_store(health)
    of_jobs(health)
    of_bank(health, found.bank, mend(found, *(count(health.store, name) for name in (found.bank, found.former))))
    of_spool(health)
    of_hosts(health, bool(values.get("all_hosts")))
    of_installation(health)
    return health


def count(store: StoreSeen, bank: str | None) -> int | None:
    seen = store.banks.get(bank) if bank else None
    return None if seen is None else seen.memories


def default_addr() -> str:
    try:
        return remembered()
    except MemoryWireError:  # no home
        return DEFAULT_ADDR


def of_server(health: Health, state: Running, named: str | None, stranger: str) -> None:
    """Is it up, is it ours, does it run what is installed, who else has its port."""
    if state.kind == running.SERVING and state.trusted and not named:
        health.server_facts = f"(process {state.pid}, {duration(state.uptime)})"
        for text in installation(state):
            health.add(WARNING, text, "memory-wire daemon restart")
    elif state.kind == running.CORRUPT:
        health.add(ERROR, f"{state.path} can't be read: {state.why}", "memory-wire daemon start")
    elif state.kind in (running.STALE, running.RECYCLED):
        health.add(NOTE, f"{state.path} is left over: {state.why}", "memory-wire daemon stop")
    elif state.kind == running.SILENT:
        health.add(ERROR, f"process {state.pid} is alive, but not serving: {state.why}", "memory-wire daemon restart")
    if not health.down:
        health.server_facts = health.server_facts or "(it answers; no more is known of it)"
        return
    if named:
        health.add(ERROR, f"no server at MEMORY_WIRE_URL: {health.down}", mend_named(named))
        return
    port = health.endpoint.rpartition(":")[2]
    who = holder.holder(int(port)) if port.isdigit() and state.kind != running.SILENT else None
    if stranger:
        text = f"the server at {stranger} is not proved to be this user's, it is {who or 'of a process that cannot be seen from here'}"
        health.add(ERROR, f"{text}: hooks leave it alone; MEMORY_WIRE_URL={stranger} would trust it", OTHER_PORT)
    elif who:
        health.add(ERROR, f"port {port} is taken by {who}, not a memory-wire server", OTHER_PORT)
    elif state.kind != running.SILENT:
        health.add(WARNING, f"no server runs: hooks keep what they capture in the spool ({health.down})", "memory-wire daemon start")


def of_store(health: Health) -> None:
    """Both halves verified, the size of the log, whether the folder can be written."""
    store = health.store
    folder = unwritable(os.path.dirname(store.path))
    if folder:
        health.add(ERROR, f"{folder} can't be written", "export XDG_DATA_HOME=FOLDER names another one")
    elif store.state == "missing":
        health.add(WARNING, f"no store yet at {store.path}", 'memory-wire retain "…"')
    if store.state == "unreadable":
        health.add(ERROR, f"{store.path} can't be read: {store.why}", f"memory-wire check --db {word(store.path)}")
    for text in store.findings:
        note = text.removeprefix("note: ")
        if note != text:
            health.add(NOTE, note)
        elif text.startswith("bank "):
            health.add(ERROR, text, f"memory-wire reindex --db {word(store.path)}")
        else:
            health.add(ERROR, text, f"memory-wire export FILE --db {word(store.path)}")
    if store.log_size > LOG_TIMES * JOURNAL_BYTES:
        health.add(WARNING, f"{store.path}-wal has {store.log_size:,} bytes: a reader holds it back", "memory-wire daemon restart")


def of_jobs(health: Health) -> None:
    """Work in the background that was given up or goes wrong, with the reason."""
    for row in health.store.jobs:
        why = explained(row.failure or "")
        if row.failed:
            health.add(WARNING, f"{row.failed:,} {row.kind} jobs were given up: {why}", "memory-wire jobs run --retry")
        elif row.retrying:
            health.add(NOTE, f"{row.retrying:,} {row.kind} jobs failed and wait for their next try: {why}", "memory-wire jobs run")


def unwritable(folder: str) -> str:
    """The folder, or the nearest above it that is there, if nothing can be made in it; else ""."""
    while not os.path.lexists(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return "" if os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK) else folder


def of_bank(health: Health, bank: str, move: str | None) -> None:
    """A former bank that holds memories still, and an empty bank beside full ones."""
    store = health.store
    if move:
        health.add(WARNING, f"this place's memories are in its former bank still; today's name is {bank}", move)
    elif store.memories and not count(store, store.bank):
        fullest = max(store.banks, key=lambda name: store.banks[name].memories)
        text = f"bank {store.bank} is empty; {fullest} holds {store.banks[fullest].memories:,} memories"
        health.add(NOTE, text, f"--bank {word(fullest)} or MEMORY_WIRE_BANK={word(fullest)} uses it")


def of_spool(health: Health) -> None:
    """What hooks kept while no server answered; delivered now when one does."""
    from memory_wire.hooks import spool

    folder = os.path.dirname(db_path({}))
    health.spool = spool.pending(folder)
    if health.spool[0] and not health.down:
        delivered = deliver(folder)
        health.spool = spool.pending(folder)
        health.add(NOTE, f"{delivered:,} captures were delivered from the spool")
    elif health.spool[0]:
        health.add(WARNING, f"{health.spool[0]:,} captures wait in {os.path.join(folder, spool.FOLDER)}", "memory-wire daemon start")


def of_hosts(health: Health, every: bool) -> None:
    """Whether each host on this machine is wired, and when its hooks fired last."""
    from memory_wire import hosts
    from memory_wire.hosts import engine, programs, record, verify
    from memory_wire.hosts.base import EVENTS, Environment, Refused, Wiring
    from memory_wire.hosts.launcher import NoLauncher, launcher

    env, wiring = Environment.current(), Wiring("memory-wire")
    try:
        wiring = Wiring(launcher(env))
    except NoLauncher as error:
        health.add(WARNING, str(error), "pipx install memory-wire")
    for name in hosts.NAMES:
        host = hosts.load(name)
        detected = host.detect(env)
        if not detected and not every:
            continue
        slots = host.slots(env, wiring)
        hooks = any(verify.installed(slot, event) for slot in slots for event in EVENTS)
        seen = fired(HostSeen(name, detected, engine.wired(host, env, record.seen(env.data), wiring), hooks), env.data)
        health.hosts.append(seen)
        missing = programs.gone(host, env, wiring)
        for path in missing:
            health.add(ERROR, f"{name} runs {path}, which is not there: none of its hooks and tools work", f"memory-wire connect {name}")
        if seen.wired == "partial" and not missing:
            health.add(WARNING, f"{name} is wired in part, or to another program", f"memory-wire connect {name}")
        elif seen.wired == "no" and detected:
            health.add(NOTE, f"{name} is on this machine, but not wired", f"memory-wire connect {name}")
        if seen.outcome.startswith("refused"):
            health.add(ERROR, f"{name}: the server refused its last hook: {seen.outcome.partition(': ')[2]}", f"memory-wire connect {name}")
        if seen.wired == "yes" and not missing:
            try:
                verify.run(host, slots, env)
            except Refused as error:
                health.add(ERROR, f"{name}: {error.reason}", f"memory-wire connect {name}")


def fired(seen: HostSeen, folder: str) -> HostSeen:
    """With the host's last firing, if there was one."""
    from memory_wire.hooks import firing

    last = firing.read(folder, seen.name)
    if last is not None:
        at = last.get("at")
        seen.event, seen.outcome = str(last.get("event")), str(last.get("outcome"))
        seen.fired_at = at if isinstance(at, int) else 0
    return seen


def of_installation(health: Health) -> None:
    """Versions, which of them keep the server from being small, and whether the package is compiled."""
    from memory_wire.cli.installed import reasons, versions

    health.versions = versions()
    for text, command in reasons():
        health.add(NOTE, text, command)
    folder, missing = compiled()
    if missing:
        health.add(WARNING, f"{missing} modules are not compiled: every start takes longer", f"python -m compileall -q {word(folder)}")
