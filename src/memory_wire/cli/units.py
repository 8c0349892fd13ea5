"""The text of the two systemd user units and the folder they lie in. Knows nothing of running systemd; service.py writes and removes them.

The socket unit listens from login on, the service starts with the first connection and gets the sockets handed over (LISTEN_FDS). Quoting
follows systemd.syntax(7) and systemd.service(5), "COMMAND LINES".
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from memory_wire.config import DRAIN_SECONDS
from memory_wire.errors import Invalid

SOCKET, SERVICE = "memory-wire.socket", "memory-wire.service"
MARK = "# Written by `memory-wire service install`; `memory-wire service uninstall` removes it."
STOP_SECONDS = DRAIN_SECONDS + 10  # before systemd kills what should have drained


def folder() -> str:
    """Where a user's units lie: `$XDG_CONFIG_HOME/systemd/user`, else under `~/.config` (a relative XDG value is ignored)."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(base, "systemd", "user")


def socket_unit(listen: Sequence[str]) -> str:
    """The socket unit for addresses `host:port` and absolute socket paths. A socket file is its owner's alone."""
    return "\n".join(
        [
            MARK,
            "[Unit]",
            "Description=memory-wire: where the memory server listens",
            "",
            "[Socket]",
            *(f"ListenStream={plain(address)}" for address in listen),
            "SocketMode=0600",
            "DirectoryMode=0700",
            "RemoveOnStop=yes",
            "",
            "[Install]",
            "WantedBy=sockets.target",
            "",
        ]
    )


def service_unit(command: Sequence[str]) -> str:
    """The service unit that runs the command, program first. An exit for want of clients is no failure, so nothing restarts it."""
    return "\n".join(
        [
            MARK,
            "[Unit]",
            "Description=memory-wire: agent memory over HTTP",
            f"Requires={SOCKET}",
            f"After={SOCKET}",
            "",
            "[Service]",
            f"ExecStart={' '.join([quoted(plain(command[0])), *(quoted(plain(word).replace('$', '$$')) for word in command[1:])])}",
            "Restart=on-failure",
            f"TimeoutStopSec={STOP_SECONDS:g}",
            "UMask=0077",
            "NoNewPrivileges=yes",
            "",
        ]
    )


def plain(word: str) -> str:
    """The word safe from expansion of `%`. Raises Invalid for one with control characters, which a unit can't hold."""
    if not word.isprintable():
        raise Invalid("service", f"a unit can't hold {word!r}")
    return word.replace("%", "%%")


def quoted(word: str) -> str:
    """The word as one word of a command line."""
    if word and not set(word) & set(" \"'\\;"):
        return word
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def program_of(text: str) -> str:
    """The program that a service unit of ours runs; empty when it names none."""
    start = text.partition("\nExecStart=")[2].partition("\n")[0]
    if not start.startswith('"'):
        return start.partition(" ")[0].replace("%%", "%")
    word, escaped = "", False
    for sign in start[1:]:
        if sign == '"' and not escaped:
            break
        escaped = sign == "\\" and not escaped
        word += "" if escaped else sign
    return word.replace("%%", "%")
