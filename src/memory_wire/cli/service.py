"""`memory-wire service install|uninstall|status`: a server that costs nothing until it is asked, through systemd's socket activation.

Writes two user units and says what to run; never runs systemctl itself, so it works where no systemd does (an image, another machine's
home). Files that it hasn't written are left alone.
"""

from __future__ import annotations

import os
import socket
import sys

from memory_wire.cli import units
from memory_wire.cli.args import Command, Option, Usage, Value
from memory_wire.cli.show import as_json, line, table
from memory_wire.cli.target import db_path, serving
from memory_wire.config import DEFAULT_ADDR
from memory_wire.errors import Invalid, UnitRefused
from memory_wire.hooks import endpoint, files
from memory_wire.hooks.values import dumps

EXIT_IDLE = 300  # seconds without a client before the server leaves
SOCKET_PATH_BYTES = 107  # sun_path of unix(7) less its end
ENABLE = ("systemctl --user daemon-reload", f"systemctl --user enable --now {units.SOCKET}")
DISABLE = (f"systemctl --user stop {units.SOCKET} {units.SERVICE}", "systemctl --user daemon-reload")


def commands() -> list[Command]:
    options = (
        Option("addr", help=f"where to listen (default {DEFAULT_ADDR}); `none` with --socket"),
        Option("socket", help="listen on a Unix socket as well"),
        Option("public-addr", help="serve there what is public, and nothing else"),
        Option("public-url", help="how others write that address"),
        Option("public-calls", "int", "a minute from one address; 0: any number"),
        Option("db", help="path of the store"),
        Option("sync", help="full is the default", choices=("full", "normal")),
        Option("allow-host", "list", "further name that requests may use in Host and Origin"),
        Option("insecure", "flag", "ask nobody for a key"),
        Option("exit-idle", "float", f"seconds without a client before the server leaves (default {EXIT_IDLE}); 0: it stays"),
        Option("force", "flag", "replace units that something else has written"),
        Option("json", "flag", "machine-readable output"),
    )
    summary = "Systemd user units that start the server when it is asked: install, uninstall or status."
    exits = "Exit status 1 of status: the units aren't there, or can't work."
    return [Command("service", summary, service, positional=("action",), options=options, choices=tuple(ACTIONS), exits=exits)]


def service(values: dict[str, Value]) -> int:
    if sys.platform != "linux":
        raise UnitRefused("systemd units are for Linux; run `memory-wire serve` from what starts programs here")
    return ACTIONS[str(values["action"])](values)


def install(values: dict[str, Value]) -> int:
    """Writes both units. Raises Invalid for values they can't carry, UnitRefused."""
    texts = {units.SOCKET: units.socket_unit(listening(values)), units.SERVICE: units.service_unit([*program(), *words_of(values)])}
    if not values.get("force"):
        for name in texts:
            if state_of(name) == "not ours":
                raise UnitRefused(f"{path_of(name)} was not written by this command; --force replaces it")
    for name, text in texts.items():
        write(path_of(name), text)
    arrange(listening(values)[0])
    return done(values, [path_of(name) for name in texts], "wrote", ENABLE)


def uninstall(values: dict[str, Value]) -> int:
    """Removes both units and what enabling them left. Raises UnitRefused."""
    gone = []
    for name in (units.SOCKET, units.SERVICE):
        state = state_of(name)
        if state == "not ours" and not values.get("force"):
            raise UnitRefused(f"{path_of(name)} was not written by this command; --force removes it")
        if state != "missing":
            remove(path_of(name))
            gone.append(path_of(name))
    files.drop(os.path.join(files.data_folder(), endpoint.SERVICE))
    if gone and os.path.islink(wanted()):
        remove(wanted())
        gone.append(wanted())
    return done(values, gone, "removed", DISABLE if gone else ())


def status(values: dict[str, Value]) -> int:
    """What is there; 0 when both units are and can work. Wakes no server: it asks one only if `serve.json` says that it runs."""
    states = {name: state_of(name) for name in (units.SOCKET, units.SERVICE)}
    enabled, running = os.path.islink(wanted()), serving(db_path(values))
    if values.get("json"):
        as_json({"units": states, "folder": units.folder(), "enabled": enabled, "running": running})
    else:
        table(("what", "state"), [*states.items(), ("enabled", "yes" if enabled else "no"), ("running", running or "no")])
        if not enabled and set(states.values()) == {"written"}:
            advise(ENABLE)
    return 0 if set(states.values()) == {"written"} else 1


def listening(values: dict[str, Value]) -> list[str]:
    """The addresses of the socket unit. Raises Invalid for what systemd would refuse later."""
    found = []
    addr = str(values.get("addr") or DEFAULT_ADDR)
    if addr != "none":
        found.append(numeric(addr))
    if values.get("socket"):
        path = os.path.abspath(os.path.expanduser(str(values["socket"])))
        if len(os.fsencode(path)) > SOCKET_PATH_BYTES:
            raise Invalid("socket", f"a path of at most {SOCKET_PATH_BYTES} bytes")
        found.append(path)
    if not found:
        raise Usage("--addr none needs --socket")
    if values.get("public_addr"):
        found.append(numeric(str(values["public_addr"])))
    return found


def numeric(addr: str) -> str:
    """The address with the host as a number: systemd looks no names up. Raises Invalid."""
    host, colon, port = addr.rpartition(":")
    host = {"localhost": "127.0.0.1"}.get(host, host)
    try:
        socket.inet_pton(socket.AF_INET6 if ":" in host else socket.AF_INET, host.removeprefix("[").removesuffix("]"))
    except OSError:
        raise Invalid("addr", f"host:port with a numeric host, not {addr!r}") from None
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536) or (":" in host) != host.startswith("["):
        raise Invalid("addr", f"host:port, not {addr!r}")
    return f"{host}{colon}{port}"


def words_of(values: dict[str, Value]) -> list[str]:
    """The words of `memory-wire serve` for the service unit, all of them fit. The sockets are handed over: no address among them."""
    words = ["serve", "--db", db_path(values)]
    if values.get("sync"):
        words += ["--sync", str(values["sync"])]
    hosts = values.get("allow_host")
    for host in hosts if isinstance(hosts, list) else ():
        words += ["--allow-host", host]
    if values.get("public_addr"):
        words += ["--public-addr", numeric(str(values["public_addr"]))]
    for name in ("public_url", "public_calls"):
        words += [f"--{name.replace('_', '-')}", str(values[name])] if values.get(name) is not None else []
    words += ["--insecure"] if values.get("insecure") else []
    idle = values.get("exit_idle", float(EXIT_IDLE))
    if not isinstance(idle, float) or not 0 <= idle < 1e9:
        raise Usage(f"--exit-idle takes a number of seconds, not {idle!r}")
    return words + (["--exit-idle", f"{idle:g}"] if idle else [])


def program() -> list[str]:
    """The command beside this interpreter, else the interpreter with the package."""
    beside = os.path.join(os.path.dirname(sys.executable), "memory-wire")
    return [beside] if os.access(beside, os.X_OK) else [sys.executable, "-m", "memory_wire"]


# files -----------------------------------------------------------------------------------------------------------------------------


def path_of(name: str) -> str:
    return os.path.join(units.folder(), name)


def wanted() -> str:
    """The link that `systemctl --user enable` makes."""
    return os.path.join(units.folder(), "sockets.target.wants", units.SOCKET)


def state_of(name: str) -> str:
    """`missing`, `written`, `not ours`, or `program missing` for a service whose command is no longer there. Raises UnitRefused."""
    try:
        with open(path_of(name), encoding="utf-8", errors="replace") as file:
            text = file.read()
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        raise UnitRefused(f"{path_of(name)}: {error.strerror}") from None
    if not text.startswith(units.MARK):
        return "not ours"
    return "written" if name == units.SOCKET or os.access(units.program_of(text), os.X_OK) else "program missing"


def write(path: str, text: str) -> None:
    """Writes the unit whole or not at all. Raises UnitRefused."""
    fresh = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(fresh, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(fresh, path)
    except OSError as error:
        raise UnitRefused(f"{path}: {error.strerror}") from None


def arrange(addr: str) -> None:
    """Tells hooks and plugins where the socket is, so that they wake the server. Raises UnitRefused."""
    path = os.path.join(files.data_folder(), endpoint.SERVICE)
    try:
        files.put(path, dumps({"addr": f"unix://{addr}" if addr.startswith("/") else addr}).encode() + b"\n")
    except OSError as error:
        raise UnitRefused(f"{path}: {error.strerror}") from None


def remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError as error:
        raise UnitRefused(f"{path}: {error.strerror}") from None


def done(values: dict[str, Value], paths: list[str], verb: str, run: tuple[str, ...]) -> int:
    """Says what was done and what the user runs next."""
    if values.get("json"):
        as_json({verb: paths, "run": run})
        return 0
    for path in paths:
        line(f"{verb} {path}")
    if not paths:
        line("not there")
    if run:
        advise(run)
    return 0


def advise(run: tuple[str, ...]) -> None:
    line("\nNow run:")
    for each in run:
        line(f"  {each}")
    if run is ENABLE:
        line("On a machine where you don't stay logged in, once: loginctl enable-linger")


ACTIONS = {"install": install, "uninstall": uninstall, "status": status}
