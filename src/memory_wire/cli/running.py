"""What `serve.json` says of a server and what of it is true. A pid is no identity: it counts only with its start time, or its answer.

Used by `daemon`, `doctor` and the home view; the file itself is written by the serving process (serve/state.py).
"""

from __future__ import annotations

import os
import time

from memory_wire.config import default_db, state_file
from memory_wire.errors import Invalid, StoreRefused, Unreachable
from memory_wire.hooks.endpoint import told
from memory_wire.process import proved, runs, start_ticks

PROBE_SECONDS = 1.0
SERVING, ABSENT, STALE, RECYCLED, SILENT, CORRUPT = "serving", "absent", "stale", "recycled", "silent", "corrupt"


class Running:
    """`kind` is serving, absent (no file), stale (no such process), recycled (another process has the pid), silent (it doesn't answer) or
    corrupt (the file can't be read); `why` is the reason. `ours`: its start time proves that the process is the one meant. `trusted`: file
    and process are this user's besides, so that hooks talk to it.
    """

    __slots__ = ("addr", "db", "kind", "ours", "path", "pid", "started_at", "trusted", "why")

    def __init__(self, path: str, kind: str = ABSENT, why: str = "") -> None:
        self.path, self.kind, self.why = path, kind, why
        self.pid = self.started_at = 0
        self.addr = self.db = ""
        self.ours = self.trusted = False

    @property
    def url(self) -> str:
        """Where it listens, as a client takes it."""
        return url_of(self.addr)

    @property
    def uptime(self) -> float:
        """Seconds since it began."""
        return max(time.time() - self.started_at, 0.0)

    @property
    def state(self) -> str:
        """The five states of `daemon status`: serving, not running, pid alive but not serving, corrupt."""
        if self.kind == SERVING:
            return "serving"
        if self.kind == SILENT:
            return "pid alive, not serving"
        return "corrupt" if self.kind == CORRUPT else "not running"


def data_folder() -> str:
    """The folder of the default store, where a daemon's state and log are. Raises StoreRefused when there is no home to find it in."""
    folder = os.path.dirname(default_db())
    if not os.path.isabs(folder):
        raise StoreRefused("there is no home folder here: set HOME, or XDG_DATA_HOME to a folder that can be written")
    return folder


def state_path() -> str:
    """The state file of the daemon: beside the default store, whichever store it serves."""
    return state_file(os.path.join(data_folder(), "memory.db"))


def look(path: str, seconds: float = PROBE_SECONDS) -> Running:
    """The state of the server that a state file names. Asks it, and waits so long for its answer."""
    found = read(path)
    if found.kind != SERVING:
        return found
    ticks = start_ticks(found.pid)
    recorded = found.why
    found.why = ""
    if not runs(found.pid):
        found.kind, found.why = STALE, f"no such process: {found.pid}"
    elif recorded and ticks is not None and recorded != str(ticks):
        found.kind, found.why = RECYCLED, f"process {found.pid} is alive, but started at a different time"
    else:
        found.ours = bool(recorded) and recorded == str(ticks)
        found.trusted = proved(told(path))
        why = probe(found.url, seconds)
        if why:
            found.kind, found.why = SILENT, why
    return found


def read(path: str) -> Running:
    """What the file says, unverified; `why` is the start time it names."""
    from msgspec import DecodeError
    from msgspec.json import decode

    try:
        with open(path, "rb") as file:
            fields = decode(file.read())
    except (FileNotFoundError, NotADirectoryError):
        return Running(path)
    except (OSError, DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Running(path, CORRUPT, str(error))
    if not isinstance(fields, dict):
        return Running(path, CORRUPT, "is no JSON object")
    found = Running(path, SERVING)
    pid, addr, db, began = (fields.get(name) for name in ("pid", "addr", "db", "started_at"))
    if type(pid) is not int or not 0 < pid < 1 << 31 or not isinstance(addr, str) or not isinstance(db, str):
        return Running(path, CORRUPT, "lacks pid, addr or db")
    found.pid, found.addr, found.db = pid, addr, db
    found.started_at = began if type(began) is int else 0
    ticks = fields.get("start_ticks")
    found.why = str(ticks) if type(ticks) is int else ""
    return found


def url_of(addr: str) -> str:
    """The address of a state file as a client takes it; one that stands for every interface is asked through the loopback."""
    if "://" in addr:
        return addr
    host, _, port = addr.rpartition(":")
    return f"http://{ {'0.0.0.0': '127.0.0.1', '[::]': '[::1]'}.get(host, host) }:{port}"


def probe(url: str, seconds: float = PROBE_SECONDS) -> str:
    """Why the server there doesn't serve, "" when it does: a 2xx whose body is exactly `ok`."""
    from memory_wire.wire import Wire

    try:
        wire = Wire(url, timeout=seconds)
        reply = wire.request("GET", "/health")
        wire.close()
    except Unreachable as error:
        return str(error)
    except Invalid:
        return f"{url} is no address"
    if 200 <= reply.status < 300 and reply.body == b"ok":
        return ""
    return f"{url} answers {reply.status}, not as a memory-wire server does"
