"""`memory-wire serve`: reads its words by hand and hands over to the server. Imports nothing that the serving process can do without."""

from __future__ import annotations

import os
import sys

from memory_wire.config import DEFAULT_ADDR, DRAIN_SECONDS, PUBLIC_CALLS, QUIET_SECONDS, default_db

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memory_wire.serve.settings import Settings

HELP = f"""memory-wire serve  [options]
  Serve the store over HTTP until SIGTERM or SIGINT.
    --addr HOST:PORT        where to listen (default {DEFAULT_ADDR}); `none` with --socket
    --socket PATH           listen on a Unix socket as well
    --public-addr HOST:PORT serve there what is public, to anybody, and nothing else
    --public-url URL        how others write that address, for links: https://notes.example.org
    --public-calls N        a minute from one address (default {PUBLIC_CALLS}); 0: any number, behind a proxy that counts
    --db PATH               path of the store, created when missing
    --sync full|normal      full (default): an answered write survives a power cut; normal: a crash only
    --allow-host NAME       further name that requests may use in Host and Origin; repeatable
    --insecure              ask nobody for a key, whatever the address and though there are keys
    --allow-network-fs      open a store on a network file system
    --quiet SECONDS         without a request, before caches and memory are given back (default {QUIET_SECONDS:g})
    --no-trim               give caches back, but keep the process's own memory
    --exit-idle SECONDS     end when nobody has been connected for so long; for sockets that a service manager holds (LISTEN_FDS)
    --drain SECONDS         that running requests get after SIGTERM (default {DRAIN_SECONDS:g})
  MEMORY_WIRE_LOG=off|error|access says what is written to stderr (default error)."""
FLAGS = ("allow-network-fs", "insecure", "no-trim")
VALUES = ("addr", "socket", "public-addr", "public-url", "public-calls", "db", "sync", "allow-host", "quiet", "exit-idle", "drain")
NO_URL = frozenset(" \"'<>`?#")
LEVELS = ("off", "error", "access")


class Usage(Exception):
    """The words don't fit."""


def serve(words: Sequence[str]) -> int:
    """The exit status of `memory-wire serve`: 0 after a drain, 1 when it can't serve, 2 when the words don't fit."""
    if "--help" in words or "-h" in words:
        return say(HELP, 0)
    from memory_wire.serve import slim

    try:
        given = values_of(words)
        slim.restart(words)
        slim.load(words)
        settings = settings_of(given)
    except (Usage, ValueError) as error:
        sys.stderr.write(f"memory-wire serve: {error}\n{HELP}\n")
        return 2
    from memory_wire.serve.loop import run

    return run(settings)


def settings_of(given: Mapping[str, Sequence[str]]) -> Settings:
    """The settings that the options and the environment name. Raises Usage."""
    hosts = tuple(name for value in given.get("allow-host", []) for name in value.split(",") if name)
    last = {name: values[-1] for name, values in given.items()}
    level = os.environ.get("MEMORY_WIRE_LOG") or "error"
    sync = last.get("sync", "full")
    if level not in LEVELS:
        raise Usage(f"MEMORY_WIRE_LOG is one of {', '.join(LEVELS)}, not {level!r}")
    if sync not in ("full", "normal"):
        raise Usage(f"--sync is full or normal, not {sync!r}")
    from memory_wire.serve.settings import Settings

    return Settings(
        addr=last.get("addr", DEFAULT_ADDR),
        socket=last.get("socket"),
        public_addr=last.get("public-addr"),
        public_url=url(last.get("public-url", "")),
        public_calls=calls(last.get("public-calls")),
        db=os.path.abspath(os.path.expanduser(last.get("db") or default_db())),
        sync=sync,
        hosts=hosts,
        allow_network_fs="allow-network-fs" in last,
        insecure="insecure" in last,
        quiet=seconds("quiet", last.get("quiet"), QUIET_SECONDS),
        exit_idle=seconds("exit-idle", last["exit-idle"], 0.0) if "exit-idle" in last else None,
        trim="no-trim" not in last,
        drain=seconds("drain", last.get("drain"), DRAIN_SECONDS),
        log=level,
    )


def values_of(words: Sequence[str]) -> dict[str, list[str]]:
    """Every option with the values given for it, in order. Raises Usage."""
    found: dict[str, list[str]] = {}
    queue = list(words)
    while queue:
        word = queue.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or name not in FLAGS + VALUES:
            raise Usage(f"unexpected argument {word!r}")
        if name in FLAGS:
            if equals:
                raise Usage(f"--{name} takes no value")
        elif not equals:
            if not queue:
                raise Usage(f"--{name} needs a value")
            value = queue.pop(0)
        found.setdefault(name, []).append(value)
    return found


def url(given: str) -> str:
    """What links begin with. Raises Usage."""
    if given and not (given.startswith(("http://", "https://")) and given.isascii() and given.isprintable() and not set(given) & NO_URL):
        raise Usage(f"--public-url takes http://… or https://…, not {given!r}")
    return given


def calls(given: str | None) -> int:
    """How many a minute. Raises Usage."""
    if given is None:
        return PUBLIC_CALLS
    if not (given.isascii() and given.isdigit()) or len(given) > 9:
        raise Usage(f"--public-calls takes a number, not {given!r}")
    return int(given)


def seconds(name: str, given: str | None, default: float) -> float:
    if given is None:
        return default
    try:
        value = float(given)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise Usage(f"--{name} takes a number of seconds, not {given!r}")
    return value


def say(text: str, status: int) -> int:
    print(text)
    return status
