"""The home view, a bare `memory-wire`: what is here and what one can do next. Asks the server for a quarter of a second, reads the store,
changes nothing, exit status 0. And `info`: version and where to read on.
"""

from __future__ import annotations

import os
import platform
import sys

from memory_wire.cli import running
from memory_wire.cli.args import JSON, Command, Value
from memory_wire.cli.daemon import duration
from memory_wire.cli.show import as_json, line, paint
from memory_wire.cli.target import db_path, found_bank
from memory_wire.errors import MemoryWireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.service.overview import StoreSeen

DESCRIPTION = "agent memory you can run anywhere"
PROBE_SECONDS = 0.25
NEXT = ('memory-wire retain "…"', 'memory-wire recall "…"', "memory-wire connect", "memory-wire doctor", "memory-wire help")


def commands() -> list[Command]:
    return [Command("info", "Show version, folders and where to read on.", info, options=(JSON,))]


def home() -> int:
    """Prints the view; whatever is wrong is said in it."""
    for name, text in view():
        line(f"{paint(f'{name}:', 'name')} {text}")
    line(paint(f"help[{len(NEXT)}]:", "name"))
    for step in NEXT:
        line(f"  {step}")
    return 0


def view() -> list[tuple[str, str]]:
    from memory_wire.service import overview

    server, db = server_here()
    found = found_bank({})
    seen = overview.look(db, found.pick)
    rows = [("bin", program()), ("description", DESCRIPTION), ("server", server)]
    rows += [("bank", f"{seen.bank}  ({found.rule})"), ("store", stored(seen))]
    here = seen.banks.get(seen.bank)
    if here is None:
        return [*rows, ("memories", "0"), ("tags", "-")]
    newest = f"  ·  newest {overview.ago(here.newest_ms)}" if here.newest_ms is not None else ""
    tags = ", ".join(f"{tag} {count}" for tag, count in here.top_tags) or "-"
    return [*rows, ("memories", f"{here.memories:,}{newest}"), ("tags", tags)]


def server_here() -> tuple[str, str]:
    """What is to be said of the server, and the store it serves (the default one without it)."""
    default = db_path({})
    named = os.environ.get("MEMORY_WIRE_URL")
    if named:
        why = running.probe(named, PROBE_SECONDS)
        return (f"down  ({why})" if why else f"up  {named}  (MEMORY_WIRE_URL)"), default
    try:
        found = running.look(running.state_path(), PROBE_SECONDS)
    except MemoryWireError as error:
        return f"down  ({error})", default
    if found.kind == running.SERVING and not found.trusted:
        return f"down  (what answers at {found.url} is not proved to be this user's)", default
    if found.kind == running.SERVING:
        return f"up  {found.url}  (process {found.pid}, {duration(found.uptime)})", found.db
    return f"down  ({found.state}{f': {found.why}' if found.why else ''})", default


def stored(seen: StoreSeen) -> str:
    if seen.state == "ok":
        return f"{seen.path}  ({size(seen.size)})"
    return f"{seen.path}  ({seen.state}{f': {seen.why}' if seen.why else ''})"


def size(count: int) -> str:
    """`2.1 MB`, in powers of 1000."""
    value, unit = float(count), "B"
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"


def program() -> str:
    """The path of the program as it was started; its module where it was started so."""
    name = sys.argv[0]
    return os.path.abspath(name) if os.path.basename(name) == "memory-wire" else f"{sys.executable} -m memory_wire"


def info(values: dict[str, Value]) -> int:
    from memory_wire import __version__

    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    facts = {
        "version": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "program": program(),
        "package": package,
        "store": db_path({}),
        "documents": "README.md, COMPATIBILITY.md; `memory-wire help`, `memory-wire skill --runbook`; the server's /openapi.json",
    }
    if values.get("json"):
        as_json(facts)
    else:
        for name, text in facts.items():
            line(f"{paint(name.ljust(9), 'name')}  {text}")
    return 0
