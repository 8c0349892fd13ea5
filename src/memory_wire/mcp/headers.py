"""What HTTP headers of a request must say: the protocol version, and for modern messages method, name and marked arguments again.

Used by the HTTP endpoint before a message is dispatched. Header names are lower case.
"""

from __future__ import annotations

from memory_wire.mcp import eras
from memory_wire.mcp.rpc import HEADERS, VERSION, Fault
from memory_wire.mcp.task import Peer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory_wire.mcp.provider import Provider

    Found = Mapping[bytes, bytes]

PROTOCOL, METHOD, NAME, PARAM = b"mcp-protocol-version", b"mcp-method", b"mcp-name", b"mcp-param-"
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}  # the parameter that Mcp-Name repeats
OPEN, CLOSE = "=?base64?", "?="


def peer_of(headers: Found, message: object, bank: str, pinned: bool) -> Peer:
    """Whom a request comes from, by its version header. A handshake is legacy whatever its header says. Raises Fault."""
    given = headers.get(PROTOCOL)
    meta = meta_in(message)
    handshake = isinstance(message, dict) and message.get("method") == "initialize" and not eras.is_modern(meta)
    if given is None or handshake:
        return Peer(bank, pinned, unsettled=True)
    version = given.decode("latin-1")
    if version in eras.LEGACY:
        return Peer(bank, pinned, version=version)
    if version not in eras.MODERN and not eras.is_modern(meta):
        supported = [*eras.LEGACY, *eras.MODERN]
        raise Fault(VERSION, "unsupported protocol version", {"supported": supported, "requested": version}, status=400)
    return Peer(bank, pinned, modern=True)


def meta_in(message: object) -> Mapping[str, object]:
    """`_meta` of a message, empty when there is none; what is no object is told when the message is dispatched."""
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def check(headers: Found, message: object, peer: Peer, provider: Provider) -> None:
    """Raises Fault when the headers of a modern request don't say what its body says. Other messages aren't looked at."""
    meta = meta_in(message)
    if not isinstance(message, dict) or "id" not in message or not (peer.modern or eras.is_modern(meta)):
        return
    method, params = message.get("method"), message.get("params")
    if not isinstance(method, str):
        return  # no request: refused when it is dispatched
    eras.check_complete(meta)
    same(headers, PROTOCOL, meta[eras.META_VERSION])
    same(headers, METHOD, method)
    assert isinstance(params, dict)
    if method in NAMED and NAMED[method] in params:
        same(headers, NAME, params[NAMED[method]])
    if method == "tools/call":
        check_params(headers, params, provider)


def same(headers: Found, name: bytes, value: object) -> None:
    """Raises Fault unless the header repeats the value."""
    if decoded(headers.get(name)) != value:
        raise mismatch(name)


def check_params(headers: Found, params: Mapping[str, object], provider: Provider) -> None:
    """The arguments that a tool has marked are in headers, and nothing else is."""
    for path, (header, kind) in provider.header_params(str(params.get("name"))).items():
        value: object = params.get("arguments")
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        name = PARAM + header.lower().encode()
        given = decoded(headers.get(name))
        if value is None and name not in headers:
            continue
        if value is None or given is None or not agrees(given, value, kind):
            raise mismatch(name)


def agrees(given: str, value: object, kind: str) -> bool:
    """Whether a header's text is the argument's value; integers are compared as numbers."""
    if isinstance(value, bool):
        return given == ("true" if value else "false")
    if kind == "integer" and isinstance(value, int | float) and value == value // 1:
        whole, _, rest = given.partition(".")
        digits = whole.removeprefix("-")
        return digits.isascii() and digits.isdigit() and len(digits) < 400 and not rest.strip("0") and int(whole) == int(value)
    return given == str(value)


def decoded(value: bytes | None) -> str | None:
    """The text of a header value, which may be wrapped in Base64; None when there is none or the wrapping is broken."""
    if value is None:
        return None
    text = value.decode("latin-1")
    if not (text.startswith(OPEN) and text.endswith(CLOSE) and len(text) >= len(OPEN + CLOSE)):
        return text
    from binascii import Error, a2b_base64, b2a_base64  # few need it

    packed = text[len(OPEN) : -len(CLOSE)].encode("latin-1")
    try:
        raw = a2b_base64(packed, strict_mode=True) if packed else b""
        return raw.decode() if b2a_base64(raw, newline=False) == packed else None
    except (Error, ValueError):
        return None


def mismatch(name: bytes) -> Fault:
    return Fault(HEADERS, f"header {name.decode('latin-1')} is missing or doesn't agree with the body", status=400)
