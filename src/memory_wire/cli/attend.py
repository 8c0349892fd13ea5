"""What `connect` and `disconnect` do about the server: start it, mark that session starts may, see to a key, say what is left."""

from __future__ import annotations

import os

from memory_wire.hosts.base import Environment
from memory_wire.hosts.record import Record

AUTOSTART = "autostart"  # in the data folder: session starts may start the daemon


def mark(env: Environment, known: Record, start: bool) -> None:
    """Writes the mark that lets session starts start the daemon; the last disconnect removes it."""
    path = os.path.join(env.data, AUTOSTART)
    if known.hosts and start and not os.path.exists(path):
        with open(path, "x"):
            pass
    elif not known.hosts and os.path.exists(path):
        os.unlink(path)


def keyed(env: Environment) -> list[str]:
    """Has this machine's programs find a key when their server asks for one; what is to say of it."""
    if env.variables.get("MEMORY_WIRE_URL") or env.variables.get("MEMORY_WIRE_KEY"):
        return []
    from memory_wire.cli.keys import granted

    path = granted()
    return [f"the server asks for a key: this machine's programs and hooks have one in {path} now"] if path else []


def left_running(env: Environment) -> str:
    """What is to say of a server when nothing is wired to it any more; empty when none runs."""
    from memory_wire.cli import running

    found = running.look(running.state_path())
    if env.variables.get("MEMORY_WIRE_URL") or found.kind != running.SERVING:
        return ""
    return f"the server still runs at {found.url}: `memory-wire daemon stop` ends it, the memories stay"


def serving(program: str, env: Environment, addr: str, dry: bool) -> str:
    """Has the daemon started when no server of this user's answers, in a dry run only says so; what is to say of it."""
    import subprocess

    from memory_wire.cli import running
    from memory_wire.cli.address import mend_named, remembered
    from memory_wire.hooks import endpoint

    named = env.variables.get("MEMORY_WIRE_URL")
    if named:
        fault = running.probe(named)
        text = f"server at {named} does not answer ({fault}); hooks stay silent until it does: {mend_named(named)}"
        return text if fault else f"server answers at {named}"
    url = endpoint.own(env.data)
    if url and not running.probe(url):
        elsewhere = bool(addr) and url != running.url_of(addr)
        return f"server answers at {url}" + (f"; `memory-wire daemon restart --addr {addr}` moves it" if elsewhere else "")
    if dry:
        return f"would start the server at {running.url_of(addr or remembered())}, and let session starts start it (--no-daemon: neither)"
    words = ["--addr", addr] if addr else []
    done = subprocess.run([program, "daemon", "start", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or f"status {done.returncode}").splitlines()[-1]
        return f"FAILED to start the server: {said.removeprefix('memory-wire: ')}"
    return f"server started at {running.look(running.state_path()).url}"
