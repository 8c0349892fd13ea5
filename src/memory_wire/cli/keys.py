"""`memory-wire keys`: makes, lists and revokes keys, and keeps this machine's own programs going when the first one is made.

From the first key on everybody needs one. So the first `keys create` beside a store also makes a key for this machine, in the file
`memory.db.key` (0600) that every client of ours reads: who can read it can open the store anyway.
"""

from __future__ import annotations

import os

from memory_wire import grants
from memory_wire.cli.args import COMMON, Command, Option, Usage, Value
from memory_wire.cli.show import as_json, line, table
from memory_wire.cli.target import connect, db_path
from memory_wire.config import default_db
from memory_wire.wire import is_local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.client import Client, Memory

MACHINE = "this machine"
WHICH = "label|id"  # the label of a new one, the id of one to revoke, as the table heads them


def commands() -> list[Command]:
    return [
        Command(
            "keys",
            "The keys; `keys create LABEL` makes one and shows it once, `keys revoke ID` ends one.",
            keys,
            optional=("action", WHICH),
            options=(
                Option("rights", help="what it may (default write)", choices=("read", "write", "admin")),
                Option("project", help="the only project that it reaches"),
                Option("member", help="whose key it is"),
                Option("days", "int", "how long it counts (default: until it is revoked)"),
                Option("account", help="of another account (for who runs the store)"),
                *(option for option in COMMON if option.name != "bank"),
            ),
            choices=("create", "revoke"),
        )
    ]


def keys(values: dict[str, Value]) -> int:
    action, name = values.get("action"), values.get(WHICH)
    if action is not None and name is None:
        raise Usage(f"{action} needs {'LABEL' if action == 'create' else 'ID'}")
    if action == "create":
        return create(values, str(name))
    with connect(values) as target:
        if action == "revoke":
            answer = grants.Revoked(revoked=target.revoke_key(str(name)))
            if values.get("json"):
                as_json(answer)
            else:
                line("revoked" if answer.revoked else "not there")
            return 0
        found = target.keys(account=text(values, "account"))
    if values.get("json"):
        as_json(found)
    else:
        rows = [
            (row.id, row.label, row.rights, row.project or "any", row.member or "-", row.state, row.expires_at or "-") for row in found.keys
        ]
        table(("id", "label", "rights", "project", "member", "state", "expires"), rows)
    return 0


def text(values: dict[str, Value], name: str) -> str | None:
    value = values.get(name)
    return None if value is None else str(value)


def create(values: dict[str, Value], label: str) -> int:
    path = key_file(values)
    kept = path if path is not None and provided(values, path) else None
    days = values.get("days")
    with connect(values) as target:
        made = target.create_key(
            label,
            rights=text(values, "rights") or "write",
            project=text(values, "project"),
            member=text(values, "member"),
            days=days if isinstance(days, int) else None,
            account=text(values, "account"),
        )
    lacking = keyless()
    if values.get("json"):
        as_json({"key": made, "key_file": kept, "hosts_without_key": lacking})
        return 0
    line(made.key)
    line("  shown this once. Programs take it from MEMORY_WIRE_KEY, requests carry it as `Authorization: Bearer …`")
    if kept is not None:
        line(f"  from now on everybody needs a key; this machine's programs and hooks have one in {kept}")
    if lacking:
        line(f"  wired hosts without a key: {', '.join(lacking)}; `memory-wire connect {' '.join(lacking)}` gives them one")
    return 0


def key_file(values: dict[str, Value]) -> str | None:
    """Where this machine's key of the store is kept; None when the store is another machine's."""
    url = os.environ.get("MEMORY_WIRE_URL")
    return None if url and not values.get("embedded") and not is_local(url) else f"{db_path(values)}.key"


def provided(values: dict[str, Value], path: str) -> bool:
    """Sees to it that this machine has a key in the file before there is any other; whether one was made."""
    if os.path.exists(path) or os.environ.get("MEMORY_WIRE_KEY"):
        return False
    with connect(values) as target:
        if target.keys().keys:
            return False
        provide(target, path)
    return True


def provide(target: Client | Memory, path: str) -> None:
    """Makes a key for this machine and keeps it in the file; the file is made first, so that no key is lost to a full disk."""
    fresh = f"{path}.{os.getpid()}"
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        try:
            file.write(target.create_key(MACHINE, rights="admin").key.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            os.unlink(fresh)
            raise
    os.replace(fresh, path)


def granted() -> str | None:
    """The key file, with a new key, if the server of the default store asks for one and what programs had, if anything, doesn't count."""
    from memory_wire.cli import running
    from memory_wire.client import Client, Memory
    from memory_wire.errors import MemoryWireError, Unauthorized

    db = default_db()
    state = running.look(running.state_path())
    if state.kind != running.SERVING or not os.path.exists(db):
        return None
    try:
        with Client(state.url, db=db) as client:
            client.banks()
        return None
    except Unauthorized:
        path = f"{db}.key"
        with Memory(db) as memory:
            provide(memory, path)
        return path
    except MemoryWireError:
        return None


def keyless() -> list[str]:
    """Wired hosts of this user that find no key: theirs is that of the default store, or in the environment they are started with."""
    if os.environ.get("MEMORY_WIRE_KEY") or os.path.exists(f"{default_db()}.key"):
        return []
    from memory_wire import hosts
    from memory_wire.hosts import engine, record
    from memory_wire.hosts.base import Environment, Wiring

    env, wiring = Environment.current(), Wiring("memory-wire")
    traces = record.seen(env.data)
    return [name for name in hosts.NAMES if (host := hosts.load(name)).detect(env) and engine.wired(host, env, traces, wiring) != "no"]
