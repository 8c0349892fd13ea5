"""Who a request is from: the bearer of a key, or this machine's own. Asked by admit.py once per request, before anything else is told.

Nobody needs a key on a loopback address as long as none was ever made; the user of this server needs none on its Unix socket. Everybody
else needs one, unless the server runs with --insecure. What a key allows is the service's to say.
"""

from __future__ import annotations

import time
from _socket import AF_INET6, inet_pton

from memory_wire.config import FIRST_KEY_SECONDS, KEYLESS_CAPTURES, PEERS_KNOWN, PUBLIC_CALLS
from memory_wire.errors import Forbidden, Unauthorized
from memory_wire.types import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.service import Service
    from memory_wire.service.buckets import Buckets
    from memory_wire.service.gate import Gate
    from memory_wire.types import Caller

LOCAL = Scope()
NOBODY = Scope(keyless=True)
WANTED = "a key is needed: MEMORY_WIRE_KEY, or the header `Authorization: Bearer mmw_…`"
MISSING = f"{WANTED}; `memory-wire keys create` makes one, `memory-wire serve --insecure` asks for none"
REFUSED = "this key is unknown, revoked or expired"


class Entry:
    """One server's. `insecure` says that nobody is asked."""

    def __init__(self, service: Service, insecure: bool = False) -> None:
        self.service = service
        self.insecure = insecure
        self.gate: Gate | None = None  # there are keys
        self.looked = -FIRST_KEY_SECONDS
        self.commits = -1
        self.public_calls = PUBLIC_CALLS
        self.peers: Buckets | None = None  # of the public address
        self.captures: Buckets | None = None

    def enter(self, headers: dict[bytes, bytes], exposed: bool, trusted: bool, look: bool = True) -> Scope:
        """Where the request acts, and for whom. `exposed`: others can reach this address; `trusted`: it is the server's own user;
        without `look` nothing is read to see whether there is a first key by now.

        Raises Unauthorized, RateLimited, Forbidden, and what the store raises.
        """
        gate = self.gate or (self.look() if look else None)
        given = headers.get(b"authorization")
        project = headers.get(b"x-memory-wire-project")
        if gate is not None and given is not None:
            caller = gate.caller(bearer(given))
            if caller is not None:
                gate.charge(caller)
                return home(caller, project)
        if trusted or self.insecure or (gate is None and not exposed):
            return LOCAL if project is None else Scope(project=project.decode("utf-8", "replace"))
        raise Unauthorized(REFUSED if gate is not None and given is not None else WANTED if gate is not None else MISSING)

    def visit(self, headers: dict[bytes, bytes]) -> Scope:
        """Who asks for what is public: the bearer of a key, or nobody. Raises RateLimited, and what the store raises."""
        gate = self.gate or self.look()
        caller = gate.caller(bearer(headers[b"authorization"])) if gate is not None else None
        if gate is None or caller is None:
            return NOBODY
        gate.charge(caller)
        return home(caller, None)

    def look(self) -> Gate | None:
        """The gate, once there is a key. While there is none, a comparison; the store is asked after a write, or in a while."""
        store, now = self.service.store, time.monotonic()
        if store.commits != self.commits or now - self.looked >= FIRST_KEY_SECONDS:
            self.commits, self.looked = store.commits, now
            with store.read() as reader:
                keyed = reader.keyed
            if keyed:
                from memory_wire.service.gate import Gate

                self.gate = Gate(self.service)
        return self.gate

    def charge(self, peer: str, cost: int = 1) -> None:
        """Counts a call from an address, for so many. Raises RateLimited when there were too many in the last minute."""
        if not self.public_calls:
            return
        if self.peers is None:
            from memory_wire.service.buckets import Buckets

            self.peers = Buckets(PEERS_KNOWN)
        self.peers.charge(network(peer), self.public_calls, "from this address", cost)

    def capture(self, headers: dict[bytes, bytes], exposed: bool) -> Scope | None:
        """Who may make documents without a key, where a hub lets them. Raises RateLimited, and what the store raises."""
        with self.service.store.read() as reader:
            if b"authorization" in headers or not reader.hubs.keyless(LOCAL.project, exposed):
                return None
        if self.captures is None:
            from memory_wire.service.buckets import Buckets

            self.captures = Buckets(1)
        self.captures.charge("", KEYLESS_CAPTURES, "without a key")
        return Scope(keyless=True, exposed=exposed)

    def idle(self) -> None:
        """Gives the connection to the store back."""
        if self.gate is not None:
            self.gate.idle()
        if self.peers is not None:
            self.peers.forget()


def bearer(given: bytes) -> bytes:
    """The key in an Authorization header; nothing for another scheme."""
    scheme, _, key = given.partition(b" ")
    return key.strip() if scheme.lower() == b"bearer" else b""


def network(peer: str) -> str:
    """Whose calls are counted together: an address of version 4, or the 64 bits of one of version 6 that a customer is given whole."""
    host = peer.rpartition(":")[0]
    return inet_pton(AF_INET6, host.partition("%")[0])[:8].hex() if ":" in host else host


def home(caller: Caller, project: bytes | None) -> Scope:
    """The project that a key acts in: the one it is bound to, else the one that is named, else `default`. Raises Forbidden."""
    prefix = "" if caller.account == 1 else f"{caller.account_name}/"
    named = None if project is None else prefix + project.decode("utf-8", "replace")
    if caller.project is None:
        return Scope(project=named or f"{prefix}default", caller=caller)
    if named not in (None, caller.project):
        raise Forbidden("this key reaches another project only")
    return Scope(project=caller.project, caller=caller)
