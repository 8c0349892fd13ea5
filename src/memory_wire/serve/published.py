"""How payloads of the public surfaces are put on the wire, and the one answer for what isn't there. Loaded by the first of them.

What is not public is never told apart: the bytes of `missing` depend on the request's Accept alone.
"""

from __future__ import annotations

from memory_wire.errors import InvalidJson, Malformed, NotPublic
from memory_wire.publishing import HEARD, HTML, TEXT, Payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from msgspec import Struct

    from memory_wire.serve.dispatch import Dispatch
    from memory_wire.serve.incoming import Request
    from memory_wire.serve.reply import Reply

GUARDED = (
    b"Content-Security-Policy: default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; "
    b"frame-ancestors 'none'\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
)
UNKEPT = b"Cache-Control: no-store\r\n"
ANYWHERE = b"Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: *\r\n"
PREFLIGHT: Reply = (
    200,
    b"",
    b"",
    b"Access-Control-Allow-Methods: GET, HEAD, POST\r\nAccess-Control-Allow-Headers: Content-Type, If-None-Match\r\n"
    b"Access-Control-Max-Age: 86400\r\n",
)
PAGE = (
    b'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
    b'<meta name="robots" content="noindex">\n<title>Not found</title>\n<link rel="stylesheet" href="/hub.css">\n</head>\n'
    b"<body>\n<main>\n<h1>Not found</h1>\n<p>There is nothing public at this address.</p>\n</main>\n</body>\n</html>\n"
)


def hear(call: Struct, headers: dict[bytes, bytes]) -> None:
    """Tells the request what its headers say, where it wants to know."""
    for name, header in HEARD.items():
        if name in call.__struct_fields__:
            setattr(call, name, headers.get(header, b"").decode("latin-1"))


def answer(dispatch: Dispatch, request: Request, result: object) -> Reply:
    """The reply that the response or the exception of a public operation makes."""
    route = request.route
    assert route is not None and route.op is not None
    if isinstance(result, NotPublic) and route.op.response is Payload:
        return missing(request.headers)
    if isinstance(result, Malformed) and route.op.body:
        result = InvalidJson(str(result))
    if isinstance(result, Exception):
        status, kind, body, more = dispatch.refusal(result, False)
        return status, kind, body, more + UNKEPT
    if isinstance(result, Payload):
        return rendered(result, request.headers.get(b"if-none-match", b""))
    status, kind, body, more = route.render(result)
    return status, kind, body, more + UNKEPT


def rendered(payload: Payload, known: bytes = b"") -> Reply:
    """A payload; 304 when the client has that already."""
    more = b"".join([b"%b: %b\r\n" % (cased(name), one_line(value)) for name, value in payload.headers.items()])
    more += b"Cache-Control: %b\r\n" % payload.cache.encode()
    if payload.vary:
        more += b"Vary: %b\r\n" % payload.vary.encode()
    if payload.etag:
        tag = payload.etag.encode()
        more += b"ETag: %b\r\n" % tag
        if known and payload.status == 200 and has(known, tag):
            return 304, b"", b"", more
    return payload.status, payload.type.encode(), payload.body, more + GUARDED


def has(known: bytes, tag: bytes) -> bool:
    """Whether an If-None-Match names the tag; weak ones are compared as strong ones are."""
    return known == b"*" or tag in [entry.strip().removeprefix(b"W/") for entry in known.split(b",")]


def cased(name: str) -> bytes:
    """`x-token-estimate` as `X-Token-Estimate`."""
    return "-".join([part.capitalize() for part in name.split("-")]).encode("ascii")


def one_line(value: str) -> bytes:
    """A header's value, whatever was put in."""
    return value.replace("\r", " ").replace("\n", " ").replace("\0", " ").encode("latin-1", "replace")


def missing(headers: dict[bytes, bytes]) -> Reply:
    """The one 404."""
    page = b"text/html" in headers.get(b"accept", b"")
    body, kind = (PAGE, HTML) if page else (b"not found\n", TEXT)
    return rendered(Payload(body=body, type=kind, cache="no-store", vary="Accept", status=404))
