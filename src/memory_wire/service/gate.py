"""From the key of a request to its caller. A server has one gate, used by its loop thread alone; it remembers the keys it has looked at.

Whatever changes a key, by whatever process, raises a number in the store, which is read for every request that brings one: a revoked key
ends with the commit that revokes it.
"""

from __future__ import annotations

import os

from msgspec import Struct
from msgspec.json import decode

from memory_wire import config
from memory_wire.kernels.text import content_hash
from memory_wire.service import secrets
from memory_wire.service.buckets import Buckets
from memory_wire.types import Caller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from memory_wire.service.service import Service
    from memory_wire.store.keyring import Keyring, Stored

ROLES = ("admin", "head", "member", "contractor", "auditor")  # the first that a member has counts


class Plan(Struct):
    """Limits of an account, as JSON in its row."""

    records: int | None = None
    calls_per_minute: int | None = None


class Known(Struct):
    """A key that was proved, and whom it stood for at a version of the store's keys."""

    lookup: bytes
    digest: bytes
    version: int
    caller: Caller | None


class Gate:
    """`service` is that of the server."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.known: dict[bytes, Known] = {}
        self.buckets = Buckets(config.KEYS_KNOWN)
        self.salt = os.urandom(16)
        self.connection: Connection | None = None
        self.file: tuple[int, int] | None = None
        self.keyring: Keyring | None = None

    def caller(self, key: bytes) -> Caller | None:
        """Whom a key stands for; None when it doesn't count."""
        keyring = self.ring()
        version = keyring.version
        digest = content_hash(key, self.salt)
        known = self.known.get(digest)
        now = self.service.now()
        if known is None:
            known = self.prove(key, keyring, version, now)
            if known is None:
                return None
            if len(self.known) >= config.KEYS_KNOWN:
                self.known.clear()
            self.known[digest] = known
        caller = known.caller
        if known.version != version or (caller is not None and caller.until is not None and now >= caller.until):
            stored = keyring.find(known.lookup)
            caller = caller_of(keyring, stored, now) if stored is not None and stored.digest == known.digest else None
            known.caller, known.version = caller, version
        return caller

    def prove(self, key: bytes, keyring: Keyring, version: int, now: int) -> Known | None:
        """A key that was not seen before."""
        if not secrets.is_key(key):
            return None
        stored = keyring.find(secrets.lookup_of(key, self.service.store.secret))
        if stored is None or not secrets.same(secrets.stretched(key, stored.salt), stored.digest):
            return None
        return Known(stored.lookup, stored.digest, version, caller_of(keyring, stored, now))

    def charge(self, caller: Caller) -> None:
        """Counts a call of the key. Raises RateLimited when there were too many in the last minute."""
        if caller.calls is not None:
            self.buckets.charge(caller.key, caller.calls, "with this key")

    def ring(self) -> Keyring:
        """Keys as they are now, read outside of any transaction. Raises StorageError, StoreMissing."""
        store = self.service.store
        if self.keyring is None or self.file != store.file:
            from memory_wire.store import connect, place
            from memory_wire.store.keyring import Keyring

            self.idle()
            with store.read():
                self.file = store.file
            opened = connect.reader(store.path, place.frozen(store.path))
            assert opened is not None
            self.connection = opened[0]
            self.keyring = Keyring(opened[0])
        return self.keyring

    def idle(self) -> None:
        """Closes the connection; the next key opens it again."""
        if self.connection is not None:
            self.connection.close()
        self.connection = self.keyring = None


def caller_of(keyring: Keyring, stored: Stored, now: int) -> Caller | None:
    """Whom a stored key stands for now; None when it was revoked, has expired, or its member has left or ended their term."""
    if stored.revoked is not None or (stored.expires is not None and now >= stored.expires) or stored.departed is not None:
        return None
    plan = decode(stored.plan, type=Plan) if stored.plan else Plan()
    caller = Caller(
        key=shown(stored.lookup),
        account=stored.account,
        account_name=stored.account_name,
        rights=stored.rights,
        state=stored.state,
        project=stored.project,
        records=plan.records,
        calls=plan.calls_per_minute,
        until=stored.expires,
    )
    return caller if stored.member is None else of_member(keyring, caller, stored.member, stored.name, now)


def of_member(keyring: Keyring, caller: Caller, member: int, name: str | None, now: int) -> Caller | None:
    """The caller as a member, with the roles that count now."""
    every = keyring.memberships(member)
    current = [(unit, role) for unit, role, end in every if end is None or now < end]
    if every and not current:
        return None
    roles = {role for _, role in current}
    belongs = [unit for unit, role in current if role in ("admin", "head", "member")]
    headed = keyring.below([unit for unit, role in current if role in ("admin", "head")])
    ends = [end for _, _, end in every if end is not None and now < end] + ([caller.until] if caller.until is not None else [])
    units = {*keyring.above(belongs), *headed}
    own = belongs or [unit for unit, _ in current]
    return Caller(
        key=caller.key,
        account=caller.account,
        account_name=caller.account_name,
        rights=caller.rights,
        state=caller.state,
        project=caller.project,
        member=member,
        name=name,
        role=next((role for role in ROLES if role in roles), "member"),
        unit=own[0] if own else None,
        units=tuple(sorted(units)),
        headed=tuple(sorted(headed)),
        heir_of=tuple(sorted(keyring.left_to(member))),
        records=caller.records,
        calls=caller.calls,
        until=min(ends) if ends else None,
    )


def shown(lookup: bytes) -> str:
    """A key's id as it is shown."""
    from memory_wire.store.keyring import SHOWN_BYTES

    return lookup[:SHOWN_BYTES].hex()
