"""Which store and which bank a command acts on.

The store: that of the running server when one serves this database, else the database itself, opened here. `MEMORY_WIRE_URL` names a server
outright; a `serve.json` beside the database names the one that serves it, if that proves to be this user's; `--embedded` opens the file in
any case. The answers are the same either way. The bank: the ladder of identity.py for the working directory; `memory-wire bank` says which
rule it was.
"""

from __future__ import annotations

import os

from memory_wire import identity
from memory_wire.cli.args import Value
from memory_wire.config import default_db, state_file
from memory_wire.errors import UnknownBank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.client import Client, Memory


def db_path(values: dict[str, Value]) -> str:
    """The store that the words name, else the default one."""
    return os.path.abspath(os.path.expanduser(str(values.get("db") or default_db())))


def found_bank(values: dict[str, Value]) -> identity.Identity:
    """The bank of the words, the environment or the working directory, and how it was found."""
    try:
        here = os.getcwd()
    except OSError:  # a folder that was removed
        here = "/"
    flag = values.get("bank")
    return identity.resolve(str(flag) if flag else None, os.environ, here, bool(values.get("per_worktree")))


def bank_name(values: dict[str, Value], target: Client | Memory) -> str:
    """The bank to act in: the former name of this place's bank as long as only that one exists."""
    return found_bank(values).pick(lambda name: exists(target, name))


def exists(target: Client | Memory, bank: str) -> bool:
    """Whether there is a bank of that name."""
    try:
        target.get_config(bank=bank)
    except UnknownBank:
        return False
    return True


def connect(values: dict[str, Value]) -> Client | Memory:
    """A client of the running server or an embedded store. Raises MemoryWireError when neither can be had."""
    if not values.get("embedded"):
        url = os.environ.get("MEMORY_WIRE_URL") or serving(db_path(values))
        if url:
            from memory_wire.client import Client

            return Client(url, db=db_path(values))
    from memory_wire.client import Memory

    return Memory(db_path(values))


def address(target: Client | Memory, path: str) -> str:
    """The whole address of something public, where a server over TCP has it."""
    url = getattr(target, "url", "")
    return url + path if url.startswith("http") else path


def serving(path: str) -> str | None:
    """The address of this user's server that serves this database and answers, from `serve.json` beside it."""
    from memory_wire.hooks import endpoint
    from memory_wire.process import proved
    from memory_wire.wire import alive

    found = endpoint.told(state_file(path))
    addr, db = found.get("addr"), found.get("db")
    if not isinstance(addr, str) or not isinstance(db, str) or os.path.realpath(db) != os.path.realpath(path) or not proved(found):
        return None
    url = endpoint.url_of(addr)
    return url if alive(url) else None
