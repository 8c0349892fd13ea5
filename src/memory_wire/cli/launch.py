"""Starts `memory-wire serve` detached and waits until that very process answers. Used by `daemon`."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from msgspec import Struct
from msgspec.json import encode, format

from memory_wire.cli import running
from memory_wire.cli.args import Usage
from memory_wire.cli.installed import PACKAGE
from memory_wire.cli.serve import Usage as Unfit
from memory_wire.cli.serve import settings_of, values_of
from memory_wire.config import LOG_BYTES, START_SECONDS, state_file
from memory_wire.errors import CannotListen, DaemonFailed, StoreRefused
from memory_wire.process import start_ticks
from memory_wire.serve import holder, listen, logfile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.serve.settings import Settings

POLL_SECONDS = 0.05


class Started(Struct):
    """A server that answers: `state` and `log` are the paths of its files."""

    pid: int
    url: str
    db: str
    state: str
    log: str


def launch(words: list[str]) -> Started:
    """Runs `serve` with these words in a session of its own. Raises CannotListen, StoreRefused, DaemonFailed."""
    try:
        settings = settings_of(values_of(words))
    except Unfit as error:
        raise Usage(str(error)) from None
    note = running.state_path()
    log = os.path.join(os.path.dirname(note), "serve.log")
    free(settings.addr)
    descriptor = open_log(log)
    try:
        begin = os.fstat(descriptor).st_size
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "memory_wire", "serve", *words],
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            cwd="/",
            env=environment(log),
            start_new_session=True,
        )
    finally:
        os.close(descriptor)
    return await_answer(child, settings, note, log, begin)


def await_answer(child: subprocess.Popen[bytes], settings: Settings, note: str, log: str, begin: int) -> Started:
    """Polls until the state file beside the store names the child and its health route answers. Raises DaemonFailed."""
    own = state_file(settings.db)
    limit = time.monotonic() + START_SECONDS
    why = ""
    while time.monotonic() < limit:
        if child.poll() is not None:
            raise DaemonFailed(f"the server ended at once: {last_words(log, begin) or f'exit status {child.returncode}, see {log}'}")
        found = running.look(own)
        why = found.why
        if found.kind == running.SERVING and found.pid == child.pid:
            if own != note:
                with open(own, "rb") as file:
                    replace(note, file.read())
            child.returncode = 0  # it outlives this process, which must not warn of it
            return Started(child.pid, found.url, found.db, note, log)
        if found.kind == running.SERVING and found.db == settings.db:
            child.terminate()
            child.wait()
            raise DaemonFailed(f"{found.db} is served already: process {found.pid} at {found.url}")
        time.sleep(POLL_SECONDS)
    said = {
        "pid": child.pid,
        "addr": settings.addr,
        "db": settings.db,
        "started_at": int(time.time()),
        "start_ticks": start_ticks(child.pid),
    }
    replace(note, format(encode(said), indent=2) + b"\n")  # so that status and stop know of it
    child.returncode = 0
    reason = f" ({why})" if why else ""
    seen = f"see {log} and `memory-wire daemon status`"
    raise DaemonFailed(f"process {child.pid} runs, but didn't answer within {START_SECONDS:g} s{reason}: {seen}")


def free(addr: str) -> None:
    """Tries the address, so that a taken one is told here. Raises CannotListen, naming who has it."""
    if addr == "none":
        return
    try:
        listen.tcp(addr, ()).close()
    except CannotListen as error:
        port = addr.rpartition(":")[2]
        if "in use" not in str(error) or not port.isdigit():
            raise
        serves = not running.probe(running.url_of(addr))
        who = holder.holder(int(port)) or "a process that can't be seen from here"
        kind = "a memory-wire server" if serves else "not a memory-wire server"
        mend = f"{holder.OTHER_PORT}, for good"
        raise CannotListen(addr, f"address already in use by {who}, {kind}; {mend}") from None


def open_log(path: str) -> int:
    """The log, rotated when it is full; its folder is made. Raises StoreRefused where nothing can be written."""
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if os.path.exists(path) and os.stat(path).st_size > LOG_BYTES:
            logfile.rotate(path)
        return logfile.opened(path)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise StoreRefused(f"can't write {folder}: {why}; XDG_DATA_HOME names another place for it") from None


def environment(log: str) -> dict[str, str]:
    """Ours, with module paths that hold in another folder, also those of a checkout that was never installed."""
    found = {**os.environ, logfile.FILE_VARIABLE: log}
    found.pop("MEMORY_WIRE_HOOK", None)  # a hook may have asked for the start; the server is nobody's hook
    entries = [os.path.abspath(entry) for entry in found.pop("PYTHONPATH", "").split(os.pathsep) if entry]
    root = os.path.dirname(PACKAGE)
    if os.path.basename(root) not in ("site-packages", "dist-packages") and root not in entries:
        entries.append(root)
    if entries:
        found["PYTHONPATH"] = os.pathsep.join(entries)
    return found


def replace(note: str, text: bytes) -> None:
    """Writes the state file beside the default store, where hooks and commands look, if the server itself writes another."""
    fresh = f"{note}.{os.getpid()}"
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        out.write(text)
    os.replace(fresh, note)


def last_words(log: str, begin: int) -> str:
    """The last line that the server wrote since a position of the log; that another one serves by now is not its reason."""
    try:
        with open(log, "rb") as file:
            file.seek(begin)
            said = [line.removeprefix("memory-wire: ") for line in file.read().decode(errors="replace").splitlines()]
    except OSError:
        return ""
    return next((line for line in reversed(said) if line and not line.startswith("serving ")), "")
