"""Which store a command acts on: the running server when one serves this database, else the database itself, opened here.

`MEMORY_WIRE_URL` names a server outright; a `serve.json` beside the database names the one that serves it; `--embedded` opens the file in
any case. The answers are the same either way.
"""

from __future__ import annotations

import os

from memory_wire.cli.args import Value
from memory_wire.config import default_db

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.client import Client, Memory


def db_path(values: dict[str, Value]) -> str:
    """The store that the words name, else the default one."""
    return os.path.abspath(os.path.expanduser(str(values.get("db") or default_db())))


def bank_name(values: dict[str, Value]) -> str:
    """The bank that the words or the environment name."""
    return str(values.get("bank") or os.environ.get("MEMORY_WIRE_BANK") or "default")


def connect(values: dict[str, Value]) -> Client | Memory:
    """A client of the running server or an embedded store. Raises MemoryWireError when neither can be had."""
    if not values.get("embedded"):
        url = os.environ.get("MEMORY_WIRE_URL") or serving(db_path(values))
        if url:
            from memory_wire.client import Client

            return Client(url)
    from memory_wire.client import Memory

    return Memory(db_path(values))


def serving(path: str) -> str | None:
    """The address of the server that serves this database and answers, from `serve.json` beside it."""
    import msgspec

    try:
        with open(os.path.join(os.path.dirname(path), "serve.json"), "rb") as file:
            found = msgspec.json.decode(file.read(), type=dict[str, object])
    except (OSError, msgspec.DecodeError):
        return None
    addr, db = found.get("addr"), found.get("db")
    if not isinstance(addr, str) or not isinstance(db, str) or os.path.realpath(db) != os.path.realpath(path):
        return None
    url = addr if addr.startswith("unix:") else f"http://{addr}"
    from memory_wire.wire import alive

    return url if alive(url) else None
