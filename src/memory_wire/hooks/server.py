"""The server as a hook sees it: where it is, one request within the time left, and how it is started where the user wants that."""

from __future__ import annotations

import os
import stat
import sys
import time

from memory_wire.config import HOOK_START_SECONDS, default_db
from memory_wire.errors import Unauthorized, Unreachable
from memory_wire.hooks import files
from memory_wire.hooks.endpoint import own
from memory_wire.hooks.values import mapping, text_of
from memory_wire.wire import Reply, Wire, is_local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

REFUSED = frozenset({400, 413, 422})  # asking again would change nothing
KEYED = frozenset({401, 403, 429})  # a key is missing, or doesn't count for this
LEAST_SECONDS = 0.05
POLL_SECONDS = 0.02
MARKER = "autostart"


class Server:
    """Requests to the one server that this environment names; `until` is a time of the monotonic clock.

    `target` tells servers apart that must not get each other's captures: MEMORY_WIRE_URL, "" for this user's own. `url` is "" when no
    server of this user's runs: then nobody is asked, whoever listens at the default address.
    """

    def __init__(self, environ: Mapping[str, str], folder: str, until: float) -> None:
        self.target = environ.get("MEMORY_WIRE_URL", "")
        self.until = until
        self.url = self.target or own(folder)
        self._key = environ.get("MEMORY_WIRE_KEY") or None
        self._wire: Wire | None = None
        self.started = False

    def start(self, environ: Mapping[str, str], folder: str) -> None:
        """Has the daemon started, once, when the user agreed to that."""
        if not self.started:
            self.started = start(environ, folder)

    def appear(self, folder: str) -> None:
        """Waits for the server that was started, so that the first session has its memories; HOOK_START_SECONDS at most."""
        limit = min(time.monotonic() + HOOK_START_SECONDS, self.until - LEAST_SECONDS)
        while not self.url and time.monotonic() < limit:
            time.sleep(POLL_SECONDS)
            self.url = own(folder)

    def ask(self, path: str, body: bytes) -> dict[str, object]:
        """The answer of a request that succeeded, {} of one refused for good.

        Raises Unauthorized when the key is what stands in the way, MemoryWireError for everything else.
        """
        reply = self.post(path, body)
        found = mapping(reply.body)
        if reply.status in REFUSED and "error" in found:
            return {}
        if reply.status in KEYED and "error" in found:
            error = found["error"]
            raise Unauthorized(text_of(error, "message") if isinstance(error, dict) else f"{self.url} answered {reply.status}")
        if reply.status != 200 or "bank" not in found:  # one of an older version, or another program on this port
            raise Unreachable(f"{self.url} answered {reply.status}")
        return found

    def deliver(self, path: str, body: bytes) -> bool:
        """Sends what was spooled; True when it is done with."""
        self.ask(path, body)
        return True

    def post(self, path: str, body: bytes) -> Reply:
        """One request; the connection stays for the next one. Raises MemoryWireError."""
        if not self.url:
            raise Unreachable("no server of this user runs")
        if self._wire is None:
            key = self._key or (stored_key() if is_local(self.url) else None)
            self._wire = Wire(self.url, key)
        self._wire.timeout = max(LEAST_SECONDS, self.until - time.monotonic())
        return self._wire.request("POST", path, body)

    def close(self) -> None:
        """Ends the connection."""
        if self._wire is not None:
            self._wire.close()


def stored_key() -> str | None:
    """The key beside the store, unless others may read that file."""
    path = f"{default_db()}.key"
    try:
        if stat.S_IMODE(os.stat(path).st_mode) & 0o077:
            return None
    except OSError:
        return None
    return files.get(path).decode("utf-8", "replace").strip() or None


def start(environ: Mapping[str, str], folder: str) -> bool:
    """Has the daemon started, without waiting, if the user agreed to that (`connect` left its mark) and names no server.

    Whether it was.
    """
    if environ.get("MEMORY_WIRE_URL") or not os.path.exists(os.path.join(folder, MARKER)):
        return False
    silent = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    words = [sys.executable, "-P", "-m", "memory_wire", "daemon", "start"]  # -P: never a package of the project's folder
    try:
        os.posix_spawn(words[0], words, dict(environ) | {"MEMORY_WIRE_HOOK": "1"}, file_actions=silent, setsid=True)
    except (OSError, ValueError, NotImplementedError):
        return False
    return True
