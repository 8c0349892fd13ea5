"""`memory-wire daemon start|stop|restart|status|logs`: a server in the background, one a user.

The bind is the lock: of several starts at once one gets the address, the others say who has it. A start is done when the new process itself
answers; a pid alone is never believed (running.py). State and log are beside the default store, whichever store is served.
"""

from __future__ import annotations

import os
import signal
import sys
import time

from memory_wire.cli import running
from memory_wire.cli.address import remember, remembered
from memory_wire.cli.args import DB, JSON, Command, Option, Value
from memory_wire.cli.launch import Started, launch
from memory_wire.cli.logs import LINES, follow, tail
from memory_wire.cli.running import SERVING, Running
from memory_wire.cli.show import as_json, line
from memory_wire.cli.waiting import deliver
from memory_wire.config import DEFAULT_ADDR, START_SECONDS, STOP_SECONDS
from memory_wire.errors import DaemonFailed
from memory_wire.process import runs, start_ticks
from memory_wire.process import words_of as process_words

STOP_POLL_SECONDS = 0.025


def commands() -> list[Command]:
    options = (
        Option("addr", help=f"where to listen (default {DEFAULT_ADDR}), remembered for later starts; `none` with --socket"),
        Option("socket", "path", "listen on a Unix socket as well"),
        Option("public-addr", help="serve there what is public, and nothing else"),
        Option("public-url", help="how others write that address"),
        Option("public-calls", "int", "a minute from one address; 0: any number"),
        DB,
        Option("sync", help="full is the default", choices=("full", "normal")),
        Option("allow-host", "list", "further name that requests may use in Host and Origin"),
        Option("insecure", "flag", "ask nobody for a key"),
        Option("quiet", "float", "seconds without a request before memory is given back"),
        Option("n", "int", f"lines of logs (default {LINES}), also `-n 20`"),
        Option("follow", "flag", "of logs: go on as lines come"),
        JSON,
    )
    summary = "A server in the background: start, stop, restart, status or logs."
    exits = f"start answers after up to {START_SECONDS:g} s. Exit status 1 of status: it isn't serving."
    return [Command("daemon", summary, daemon, positional=("action",), options=options, choices=tuple(ACTIONS), exits=exits)]


def daemon(values: dict[str, Value]) -> int:
    return ACTIONS[str(values["action"])](values)


def start(values: dict[str, Value]) -> int:
    """Starts a server and waits until it answers. Raises DaemonFailed, StoreRefused, CannotListen."""
    state = running.state_path()
    found = running.look(state)
    if found.kind == SERVING:
        raise DaemonFailed(f"already serving: process {found.pid} at {found.url}; `memory-wire daemon stop` ends it")
    if found.kind == running.SILENT:
        raise DaemonFailed(f"process {found.pid} is alive, but not serving ({found.why}); `memory-wire daemon stop` ends it")
    if found.why:
        note(values, f"{state}: {found.why}; it is replaced", error=found.kind == running.CORRUPT)
    words = words_of(values)
    if values.get("addr") is None and not values.get("socket"):
        words += ["--addr", remembered()]
    begun(values, launch(words), "started")
    return 0


def stop(values: dict[str, Value]) -> int:
    """Ends the server; 0 also when there is none. Raises DaemonFailed when it doesn't end in time."""
    found = running.look(running.state_path())
    if found.kind not in (SERVING, running.SILENT):
        done = "not running" + (f" ({found.why})" if found.why else "")
        if found.kind in (running.STALE, running.RECYCLED):
            remove(found)
            done += f"; {found.path} removed"
        elif found.kind == running.CORRUPT:
            done = f"{found.path} can't be read ({found.why}) and is left as it is; no process is known"
    else:
        end(found)
        done = f"stopped process {found.pid}"
    if values.get("json"):
        as_json({"stopped": found.kind in (SERVING, running.SILENT), "state": found.kind, "detail": done})
    else:
        line(done)
    return 0


def end(found: Running) -> None:
    """SIGTERM and the wait for the end. Raises DaemonFailed; a silent process that may be another's is left alone."""
    if found.kind == running.SILENT and not found.ours:
        raise DaemonFailed(f"process {found.pid} doesn't answer ({found.why}) and nothing proves that it is the server: left alone")
    try:
        os.kill(found.pid, signal.SIGTERM)
    except ProcessLookupError:
        pass
    except PermissionError:
        raise DaemonFailed(f"process {found.pid} belongs to another user") from None
    ticks = start_ticks(found.pid)
    limit = time.monotonic() + STOP_SECONDS
    while runs(found.pid) and start_ticks(found.pid) == ticks:
        if time.monotonic() > limit:
            raise DaemonFailed(f"process {found.pid} is still there {STOP_SECONDS:g} s after SIGTERM; `kill -9 {found.pid}` ends it")
        time.sleep(STOP_POLL_SECONDS)
    remove(found)


def remove(found: Running) -> None:
    """Removes the state file, unless it names another process by now."""
    if running.read(found.path).pid == found.pid:
        try:
            os.unlink(found.path)
        except FileNotFoundError:
            return


def restart(values: dict[str, Value]) -> int:
    """Ends the server, if there is one, and starts one like it; options given now win. Raises like stop and start."""
    found = running.look(running.state_path())
    before: list[str] = []
    if found.kind in (SERVING, running.SILENT):
        words = process_words(found.pid)
        before = words[words.index("serve") + 1 :] if "serve" in words else ["--addr", found.addr, "--db", found.db]
        end(found)
    elif values.get("addr") is None and not values.get("socket"):
        before = ["--addr", remembered()]
    verb = "restarted" if found.kind in (SERVING, running.SILENT) else "started"
    begun(values, launch([*before, *words_of(values)]), verb)
    return 0


def status(values: dict[str, Value]) -> int:
    """What is there; 0 only when it serves."""
    found = running.look(running.state_path())
    facts: list[tuple[str, object]] = [("state", found.state)]
    if found.kind in (SERVING, running.SILENT):
        facts += [("pid", found.pid), ("endpoint", found.url), ("db", found.db)]
    if found.kind == SERVING:
        facts += [("uptime", duration(found.uptime))]
    if found.why:
        facts += [("why", found.why)]
    facts += [("state file", found.path), ("log", log_of(found.path))]
    facts += [
        ("stop with", "memory-wire daemon stop") if found.kind in (SERVING, running.SILENT) else ("start with", "memory-wire daemon start")
    ]
    if values.get("json"):
        uptime = int(found.uptime) if found.kind == SERVING else None
        as_json({name.replace(" ", "_"): value for name, value in facts} | {"kind": found.kind, "uptime": uptime})
    else:
        block(facts)
    return 0 if found.kind == SERVING else 1


def logs(values: dict[str, Value]) -> int:
    """The end of the log, and with --follow what comes. Raises DaemonFailed when there is none."""
    path = log_of(running.state_path())
    count = values.get("n", LINES)
    text = tail(path, count if isinstance(count, int) and count >= 0 else LINES)
    if text is None and not values.get("follow"):
        raise DaemonFailed(f"no log at {path}; `memory-wire daemon start` writes one")
    sys.stdout.write(text or "")
    sys.stdout.flush()
    return follow(path) if values.get("follow") else 0


def words_of(values: dict[str, Value]) -> list[str]:
    """The options of `serve` among the values; paths made absolute, since the daemon works in another folder."""
    words: list[str] = []
    for name in ("addr", "socket", "public_addr", "public_url", "public_calls", "db", "sync", "allow_host", "quiet"):
        value = values.get(name)
        if value is None:
            continue
        for each in value if isinstance(value, list) else [value]:
            text = os.path.abspath(os.path.expanduser(str(each))) if name in ("db", "socket") else str(each)
            words += [f"--{name.replace('_', '-')}", text]
    return [*words, "--insecure"] if values.get("insecure") else words


def begun(values: dict[str, Value], done: Started, verb: str) -> None:
    """The block after a start."""
    if values.get("addr") is not None:
        remember(str(values["addr"]))
    elsewhere = named_elsewhere(done.url)
    if elsewhere:
        note(values, f"warning: {elsewhere}", error=True)
    facts: list[tuple[str, object]] = [("pid", done.pid), ("endpoint", done.url), ("db", done.db), ("log", done.log), ("state", done.state)]
    delivered = deliver(os.path.dirname(done.state))
    if values.get("json"):
        as_json({**dict(facts), "delivered": delivered})
        return
    line(f"memory-wire {verb}")
    block([*facts, ("stop with", "memory-wire daemon stop")])
    if delivered:
        line(f"  {delivered:,} captures delivered that waited in the spool")


def named_elsewhere(url: str) -> str:
    """What to say when MEMORY_WIRE_URL names another server than the one that was started; "" when it doesn't."""
    named = os.environ.get("MEMORY_WIRE_URL", "")
    same = named.rstrip("/").replace("//localhost:", "//127.0.0.1:") == url
    return (
        "" if not named or same else f"MEMORY_WIRE_URL names {named}: commands and hooks ask there, not at {url}; `unset MEMORY_WIRE_URL`"
    )


def block(facts: list[tuple[str, object]]) -> None:
    for name, value in facts:
        line(f"  {name:<11}{value}")


def note(values: dict[str, Value], text: str, error: bool) -> None:
    if error or values.get("json"):
        sys.stderr.write(f"memory-wire: {text}\n")
    else:
        line(text)


def log_of(state: str) -> str:
    return os.path.join(os.path.dirname(state), "serve.log")


def duration(seconds: float) -> str:
    """`3d 4h`, `5m 6s`: the two largest units."""
    left = int(seconds)
    parts: list[str] = []
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count or parts or unit == "s":
            parts.append(f"{count}{unit}")
    return " ".join(parts[:2])


ACTIONS = {"start": start, "stop": stop, "restart": restart, "status": status, "logs": logs}
