"""Decides on a request by its head alone, before a byte of the body is read: who may ask, where it goes, what it may carry.

Called by incoming.py once per request; no state.
"""

from __future__ import annotations

from memory_wire.config import BODY_BYTES, PUBLIC_BODY_BYTES
from memory_wire.errors import Forbidden, MemoryWireError, Unauthorized
from memory_wire.serve.entry import NOBODY
from memory_wire.serve.listen import host_of, origin_of
from memory_wire.serve.reply import refused, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.serve.entry import Entry
    from memory_wire.serve.incoming import Request
    from memory_wire.serve.reply import Reply
    from memory_wire.serve.routes import Route, Router
    from memory_wire.types import Caller

FORM_CALLS = 20  # that the guess of a password counts for
NO_TYPE = "Expected request with `Content-Type: application/json`"
TOO_LARGE = "Failed to buffer the request body: length limit exceeded ({} bytes)"
KEYLESS = ("create_doc", "update_doc", "set_access")  # where a hub lets them, or the document's edit token does
BUSY = "too many request bodies at once; try again"


def admit(
    request: Request, version: str, headers: dict[bytes, bytes], hosts: frozenset[bytes] | None, router: Router, entry: Entry
) -> Reply | None:
    """Fills in route and placeholders; the reply that refuses, or None. `hosts` are the names allowed in Host, None for any."""
    refusal = framing(version, headers, request.carries and request.upgrade)
    if refusal is None and hosts is not None:
        refusal = naming(headers, hosts)
    if refusal is not None:
        return refusal
    path, _, request.query = target(request.url)
    request.path = path
    request.route, request.params, refusal = router.find(request.verb, path)
    if request.connection.public:
        hidden = outward(request, headers, entry)
        if hidden is not None:
            return hidden
    route = request.route
    known = visitor(request, headers, entry) if route is not None and route.public else unknown(request, headers, entry)
    if known is not None:
        return known
    if request.route is None or not request.route.reads:
        return refusal
    if not (is_form if request.route.form else is_json)(headers.get(b"content-type", b"")):
        return text(415, NO_TYPE)
    length = headers.get(b"content-length", b"").lstrip(b"0")  # int() reads no more than 4,300 digits
    if length and int(length) > most(request):
        return text(413, TOO_LARGE.format(most(request)))
    return None


def most(request: Request) -> int:
    """Bytes that the body may have."""
    return PUBLIC_BODY_BYTES if request.connection.public else BODY_BYTES


def outward(request: Request, headers: dict[bytes, bytes], entry: Entry) -> Reply | None:
    """What a public address refuses: too many calls, and all that isn't for everybody, which is not told from what isn't there."""
    from memory_wire.serve import published

    try:
        entry.charge(request.connection.peer, FORM_CALLS if request.route is not None and request.route.form else 1)
    except MemoryWireError as error:
        return refused(error, False)
    if request.verb == b"OPTIONS":
        return published.PREFLIGHT
    if request.route is None or not request.route.outward:
        request.route = None
        return published.missing(headers)
    return None


def visitor(request: Request, headers: dict[bytes, bytes], entry: Entry) -> Reply | None:
    """Nobody needs a key; who reads what isn't for everybody may bring one. One that doesn't count counts as none."""
    assert request.route is not None
    if request.route.outward:
        request.home = NOBODY
        if b"authorization" in headers and not request.connection.public:
            try:
                request.home = entry.visit(headers)
            except MemoryWireError as error:
                return refused(error, False)
    return None


def unknown(request: Request, headers: dict[bytes, bytes], entry: Entry) -> Reply | None:
    """The reply to who needs a key and has none that counts; the others' scope is noted."""
    connection, route = request.connection, request.route
    own = route is not None and route.op is None and not route.reads  # touches no storage, so nothing may stay open for it
    try:
        request.home = entry.enter(headers, connection.exposed, connection.trusted, look=not own)
        if route is not None and request.home.caller is not None:
            check(route, request.home.caller)
    except MemoryWireError as error:
        return captured(request, headers, entry, error)
    finally:
        if own:
            entry.idle()
    return None


def captured(request: Request, headers: dict[bytes, bytes], entry: Entry, error: MemoryWireError) -> Reply | None:
    """Lets through who makes a document without a key, or changes one that they made; the reply to everybody else."""
    route = request.route
    if isinstance(error, Unauthorized) and route is not None and route.op is not None and route.op.name in KEYLESS:
        try:
            home = entry.capture(headers, request.connection.exposed)
        except MemoryWireError as other:
            return refused(other, False)
        if home is not None:
            request.home = home
            return None
    return refused(error, route is not None and route.contract)


def check(route: Route, caller: Caller) -> None:
    """Raises Forbidden and the like for what the caller may not do, before anything is read; the service checks again what agents call."""
    from memory_wire.service import rights

    if route.op is not None:
        rights.allow(route.op, caller)
    elif route.operators and not rights.operator(caller):
        raise Forbidden("this is for who runs the store")


def framing(version: str, headers: dict[bytes, bytes], upgrade: bool) -> Reply | None:
    """Refuses what this server doesn't speak; the parser has refused what is ambiguous."""
    if version not in ("1.1", "1.0"):
        return text(505, "HTTP/1.1 or HTTP/1.0 expected")
    if headers.get(b"transfer-encoding", b"chunked").lower() != b"chunked":
        return text(501, "unsupported Transfer-Encoding; only chunked is read")
    if upgrade:
        return text(501, "Upgrade with a body is not supported")
    if headers.get(b"expect", b"100-continue").lower() != b"100-continue":
        return text(417, "unsupported Expect; only 100-continue is known")
    host = headers.get(b"host")
    if (host is None and version == "1.1") or (host is not None and b"," in host):
        return text(400, "malformed request: exactly one Host header is needed")
    return None


def naming(headers: dict[bytes, bytes], hosts: frozenset[bytes]) -> Reply | None:
    """A page that rebinds its name to this machine is told apart by the names it uses for us and for itself."""
    origin = headers.get(b"origin")
    if host_of(headers.get(b"host", b"")) in hosts and (origin is None or origin_of(origin) in hosts):
        return None
    return text(403, "forbidden host")


def target(url: bytes) -> tuple[bytes, bytes, bytes]:
    """Path, `?`, query of a request target; the absolute form is reduced to its path, a fragment is dropped."""
    if not url.startswith(b"/"):
        scheme, mark, rest = url.partition(b"://")
        if mark and scheme.lower() in (b"http", b"https"):
            slash = rest.find(b"/")
            url = rest[slash:] if slash >= 0 else b"/"
    return url.partition(b"#")[0].partition(b"?")


def is_form(kind: bytes) -> bool:
    """What browsers send a form as."""
    return kind.partition(b";")[0].strip().lower() == b"application/x-www-form-urlencoded"


def is_json(kind: bytes) -> bool:
    """`application/json` or `application/…+json`, parameters allowed."""
    name = kind.partition(b";")[0].strip().lower()
    return name == b"application/json" or (name.startswith(b"application/") and name.endswith(b"+json"))
