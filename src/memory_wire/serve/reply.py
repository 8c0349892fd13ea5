"""Responses and errors as bytes. What a response type looks like on the wire is decided here and nowhere else.

A `Reply` is (status, content type, body, further header lines each ended by CRLF); `to_bytes` adds what depends on the connection.
"""

from __future__ import annotations

import time

from msgspec.json import Encoder

from memory_wire import types as t

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory_wire.errors import MemoryWireError
    from memory_wire.ops import Op

Reply = tuple[int, bytes, bytes, bytes]

JSON = b"application/json"
TEXT = b"text/plain; charset=utf-8"
TOON = b"text/toon; charset=utf-8"
PROMETHEUS = b"text/plain; version=0.0.4; charset=utf-8"

REASONS = {
    200: b"OK",
    202: b"Accepted",
    304: b"Not Modified",
    400: b"Bad Request",
    401: b"Unauthorized",
    403: b"Forbidden",
    404: b"Not Found",
    405: b"Method Not Allowed",
    406: b"Not Acceptable",
    408: b"Request Timeout",
    409: b"Conflict",
    413: b"Content Too Large",
    414: b"URI Too Long",
    415: b"Unsupported Media Type",
    417: b"Expectation Failed",
    422: b"Unprocessable Content",
    429: b"Too Many Requests",
    431: b"Request Header Fields Too Large",
    500: b"Internal Server Error",
    501: b"Not Implemented",
    503: b"Service Unavailable",
    505: b"HTTP Version Not Supported",
}
STATUS_LINES = {status: b"HTTP/1.1 %d %b\r\n" % (status, words) for status, words in REASONS.items()}
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
DAYS = (b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun")
MONTHS = (b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec")

encode = Encoder().encode


def to_bytes(reply: Reply, *, close: bool, old: bool, bodiless: bool) -> bytes:
    """The whole response. `old` is HTTP/1.0, which must be told that the connection stays; `bodiless` answers HEAD."""
    status, kind, body, more = reply
    line = STATUS_LINES.get(status) or b"HTTP/1.1 %d \r\n" % status
    if kind:
        more = b"Content-Type: %b\r\n%b" % (kind, more)
    if close:
        more += b"Connection: close\r\n"
    elif old:
        more += b"Connection: keep-alive\r\n"
    if status == 304:  # the length would be that of the body it stands for
        return b"%bDate: %b\r\n%b\r\n" % (line, date(), more)
    return b"%bDate: %b\r\nContent-Length: %d\r\n%b\r\n%b" % (line, date(), len(body), more, b"" if bodiless else body)


class Date:
    """The Date header's value, made once a second."""

    second = 0
    text = b""


def date() -> bytes:
    now = int(time.time())
    if now != Date.second:
        g = time.gmtime(now)
        Date.text = b"%b, %02d %b %d %02d:%02d:%02d GMT" % (DAYS[g[6]], g[2], MONTHS[g[1] - 1], g[0], g[3], g[4], g[5])
        Date.second = now
    return Date.text


# errors ----------------------------------------------------------------------------------------------------------------------------


def text(status: int, body: str) -> Reply:
    return status, TEXT, body.encode(), b""


def refused(error: MemoryWireError, contract: bool) -> Reply:
    """An error raised on purpose: bare text on `/banks` contract routes, an envelope elsewhere and for what the contract doesn't know."""
    more = b"WWW-Authenticate: Bearer\r\n" if error.status == 401 else b""
    if error.status == 429:
        more = b"Retry-After: %d\r\n" % getattr(error, "retry_after", 1)
    if contract and error.status not in KEYED:
        return text(error.status, str(error))
    shown = {"code": error.code, "message": str(error)}
    if error.field is not None:
        shown["field"] = error.field
    return error.status, JSON, encode({"error": shown}), more


def not_allowed(verbs: Sequence[bytes]) -> Reply:
    return 405, b"", b"", b"Allow: %b\r\n" % b", ".join(verbs)


KEYED = frozenset((401, 403, 429))  # what only those meet who need a key
NOT_FOUND: Reply = (404, b"", b"", b"")

# responses -------------------------------------------------------------------------------------------------------------------------


def plain(response: object) -> Reply:
    return 200, JSON, encode(response), b""


def stored(response: bytes) -> Reply:
    return 200, JSON, response, b""


def recalled(response: t.Recalled) -> Reply:
    hits = response.hits
    body = encode([hit.content for hit in hits] if response.bare else hits)
    more = b"x-truncated: 1\r\n" if response.truncated else b""
    if response.degraded:
        more += b"x-memory-wire-degraded: 1\r\n"
    if response.index:
        more += b"x-memory-wire-index: %b\r\n" % response.index.encode()
    return 200, JSON, body, more


def page(response: t.Page) -> Reply:
    more = b"x-total-count: %d\r\n" % response.total
    if response.truncated:
        more += b"x-truncated: %d\r\n" % response.truncated
    if response.toon:
        return toon(response, more)
    return 200, JSON, encode(response.items), more


def single(response: t.Page) -> Reply:
    """The one memory of a page, as an object of its own."""
    return toon(response, b"x-total-count: 1\r\n") if response.toon else plain(response.items[0])


def toon(response: t.Page, more: bytes) -> Reply:
    from memory_wire.service.toon import encode as encode_toon  # few ask for it

    return 200, TOON, encode_toon(response).encode(), more


def retained(response: t.Retained) -> Reply:
    """The id alone; the receipt is for those who ask for it."""
    return 200, JSON, b'{"id":"%b"}' % response.id.encode(), b""


def batch_retained(response: t.BatchRetained) -> Reply:
    results = [t.Retained(id=result.id) if isinstance(result, t.Retained) else result for result in response.results]
    return plain(t.BatchRetained(results=results))


def remembered(response: t.Remembered) -> Reply:
    """201 for a record that was stored now, 200 for the answer to a repeated call."""
    return replayed(response) if response.replayed else (201, JSON, encode(response), b"")


def replayed(response: t.Remembered | t.Forgotten) -> Reply:
    """Says in a header whether a call with an idempotency key was answered before."""
    return 200, JSON, encode(response), b"Idempotency-Replayed: true\r\n" if response.replayed is True else b""


RENDER: dict[object, Callable[..., Reply]] = {
    bytes: stored,
    t.BatchRetained: batch_retained,
    t.Forgotten: replayed,
    t.Page: page,
    t.Recalled: recalled,
    t.Remembered: remembered,
    t.Retained: retained,
}


def created(response: object) -> Reply:
    return 201, JSON, encode(response), b""


def renderer(op: Op) -> Callable[..., Reply]:
    """How an operation's response is put on the wire: by its type, where no operation of its own is named."""
    return NAMED.get(op.name) or RENDER.get(op.response, plain)


NAMED: dict[str, Callable[..., Reply]] = {"get": single, "create_doc": created}
