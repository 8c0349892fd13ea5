"""Bytes of one connection to requests: httptools parses, this module keeps every limit on what a head and a body may be.

`Incoming.feed` appends whole requests to `waiting`, refused ones with their reply already set. Knows no transport; used by http.py.
"""

from __future__ import annotations

from httptools.parser.errors import HttpParserCallbackError, HttpParserError, HttpParserUpgrade
from httptools.parser.parser import HttpRequestParser

from memory_wire import config
from memory_wire.serve.admit import BUSY, TOO_LARGE, admit, most
from memory_wire.serve.entry import LOCAL
from memory_wire.serve.reply import TEXT, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable

    from memory_wire.serve.dispatch import Dispatch
    from memory_wire.serve.http import Connection
    from memory_wire.serve.mcp import Exchange
    from memory_wire.serve.reply import Reply
    from memory_wire.serve.routes import Route
else:
    from _collections import deque  # the package around it is large

IDLE, HEAD, BODY = range(3)  # between messages, within a head, within a body
WANTED = frozenset(
    (b"accept", b"authorization", b"content-length", b"content-type", b"expect", b"host", b"if-none-match", b"origin",
     b"transfer-encoding", b"user-agent", b"x-idempotency-key", b"x-memory-wire-project")
)  # fmt: skip
CHUNK_FRAMING = 16  # bytes of framing every chunk may cost; longer extensions and trailers share one head's allowance


class Refused(Exception):
    """Stops the parser from within a callback; the answer is queued already."""


class Request:
    """One request on its way from the parser to its reply. `size` is what its body holds of the server's allowance."""

    __slots__ = (
        "begun", "body", "cancelled", "carries", "close", "connection", "exchange", "headers", "home", "key", "more", "old", "params",
        "path", "query", "receipt", "reply", "route", "size", "upgrade", "url", "verb", "writes",
    )  # fmt: skip

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.home = LOCAL  # project and caller
        self.verb = self.url = self.path = self.query = self.body = self.more = b""
        self.route: Route | None = None
        self.params: list[bytes] = []
        self.reply: Reply | None = None
        self.exchange: Exchange | None = None  # of a protocol that may have more to say than one reply
        self.headers: dict[bytes, bytes] = {}  # kept for such protocols, and for what everybody may read
        self.key: bytes | None = None  # what makes the call safe to repeat
        self.cancelled = False  # nobody waits for what was not begun
        self.close = self.old = self.carries = self.upgrade = self.writes = self.receipt = False
        self.size = 0
        self.begun = 0.0


class Incoming:
    """The parser's protocol. `deadline` is when the client must have sent more; http.py also sets it between messages."""

    __slots__ = (
        "allowed", "begun", "body_size", "connection", "continues", "current", "deadline", "deaf", "dispatch", "fed", "head_size",
        "headers", "hosts", "n_headers", "parser", "parts", "phase", "time", "url", "waiting",
    )  # fmt: skip

    def __init__(self, connection: Connection, dispatch: Dispatch, hosts: frozenset[bytes] | None, time: Callable[[], float]) -> None:
        self.connection = connection
        self.dispatch = dispatch
        self.hosts = hosts
        self.time = time
        self.parser: HttpRequestParser | None = HttpRequestParser(self)
        self.waiting: deque[Request] = deque()
        self.current: Request | None = None  # its body is being read
        self.phase = IDLE
        self.deaf = False  # nothing more will be parsed
        self.continues = False  # the client waits for 100 Continue
        self.url = b""
        self.headers: dict[bytes, bytes] = {}
        self.parts: list[bytes] = []
        self.n_headers = self.head_size = self.body_size = 0
        self.fed = 0  # bytes of reads that began within this head or body
        self.allowed = 0  # how far they may exceed the body's own
        self.begun = 0.0
        self.deadline = time() + config.HEAD_SECONDS

    def feed(self, data: memoryview) -> None:
        """Parses what was read. Never raises: what can't be read is refused."""
        assert self.parser is not None
        if self.phase != IDLE:
            self.fed += len(data)
        try:
            self.parser.feed_data(data)
        except HttpParserUpgrade:
            self.deaf = True
        except HttpParserCallbackError as error:
            if not self.deaf:
                self.dispatch.lost(error.__context__ or error)
                self.refuse(text(500, "internal error"))
        except HttpParserError as error:
            if not self.deaf:
                self.refuse(text(400, f"malformed request: {error}"))
        else:
            self.check_fed()

    def check_fed(self) -> None:
        """Bounds what the parser keeps that no callback has seen: an unfinished header, chunk extensions, trailers."""
        if self.phase == HEAD and self.fed > config.HEAD_BYTES:
            self.refuse(text(431, f"request head longer than {config.HEAD_BYTES} bytes"))
        elif self.phase == BODY and self.fed - self.body_size > self.allowed:
            self.refuse(text(400, "malformed request: too much chunk framing"))

    def refuse(self, answer: Reply) -> None:
        """Queues the last answer of this connection."""
        request = self.current or Request(self.connection)
        self.abandon()
        request.reply = answer
        request.close = True
        request.writes = False
        request.path = request.path or self.url.partition(b"?")[0]
        self.waiting.append(request)
        self.deaf = True

    def abandon(self) -> None:
        """Forgets a message that was begun."""
        if self.current is not None:
            self.dispatch.release(self.current)
        self.current = None
        self.parts = []
        self.phase = IDLE

    def close(self) -> None:
        """The connection is gone: what was not started will not be."""
        self.abandon()
        for request in self.waiting:
            self.dispatch.release(request)
        self.waiting.clear()
        self.parser = None  # it holds our methods and we hold it
        self.deaf = True

    def stop(self, answer: Reply) -> None:
        """Refuses from within a callback of the parser."""
        self.refuse(answer)
        raise Refused

    # the parser's calls ------------------------------------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        self.phase = HEAD
        self.deadline = self.time() + config.HEAD_SECONDS
        self.url = b""
        self.headers = {}
        self.n_headers = self.head_size = self.fed = 0

    def on_url(self, part: bytes) -> None:
        self.url += part
        self.head_size += len(part)
        if len(self.url) > config.URL_BYTES:
            self.stop(text(414, f"URL longer than {config.URL_BYTES} bytes"))

    def on_header(self, name: bytes, value: bytes) -> None:
        self.n_headers += 1
        self.head_size += len(name) + len(value) + 4
        if self.n_headers > config.HEADERS:
            self.stop(text(431, f"more than {config.HEADERS} header fields"))
        if self.head_size > config.HEAD_BYTES:
            self.stop(text(431, f"request head longer than {config.HEAD_BYTES} bytes"))
        name = name.lower()
        if (name in WANTED or name.startswith(b"mcp-")) and self.phase == HEAD:  # trailers come through here too and mean nothing
            headers = self.headers
            value = value.strip(b" \t")  # the parser leaves white space at the end
            headers[name] = b"%b, %b" % (headers[name], value) if name in headers else value

    def on_headers_complete(self) -> None:
        parser, headers = self.parser, self.headers
        assert parser is not None
        version = parser.get_http_version()
        request = self.current = Request(self.connection)
        request.verb = parser.get_method()
        request.url = self.url
        request.old = version == "1.0"
        request.upgrade = parser.should_upgrade()
        coded = b"transfer-encoding" in headers
        request.carries = coded or headers.get(b"content-length", b"0").strip(b"0") != b""
        request.close = not parser.should_keep_alive() or request.upgrade or (coded and request.old)
        if self.dispatch.log.access:
            request.begun = self.dispatch.clock()
        request.reply = admit(request, version, headers, self.hosts, self.dispatch.router, self.dispatch.entry)
        if request.reply is not None and request.carries:
            self.stop(request.reply)
        if request.route is not None:
            request.writes = request.route.writes
            request.key = headers.get(b"x-idempotency-key")
            if request.route.start is not None or request.route.outward:
                request.headers = headers
        self.phase = BODY
        self.body_size = self.fed = 0
        if request.carries:
            self.allowed = config.HEAD_BYTES
            self.begun = self.time()
            self.deadline = self.begun + config.BODY_SECONDS
            self.continues = b"expect" in headers and not request.old

    def on_chunk_header(self) -> None:
        self.allowed += CHUNK_FRAMING

    def on_body(self, part: bytes) -> None:
        request, dispatch = self.current, self.dispatch
        assert request is not None
        self.continues = False
        self.body_size += len(part)
        if self.body_size > most(request):
            self.stop(text(413, TOO_LARGE.format(most(request))))
        self.deadline = self.begun + config.BODY_SECONDS + self.body_size / config.BODY_RATE
        if request.route is None or not request.route.reads:
            return  # nobody reads it
        request.size += len(part)
        dispatch.held += len(part)
        if dispatch.held > config.BODIES_BYTES:
            self.stop((503, TEXT, BUSY.encode(), b"Retry-After: 1\r\n"))
        self.parts.append(part)

    def on_message_complete(self) -> None:
        request, parts = self.current, self.parts
        assert request is not None
        if parts:
            request.body = parts[0] if len(parts) == 1 else b"".join(parts)
            self.parts = []
        self.current = None
        self.continues = False
        self.phase = IDLE
        self.waiting.append(request)
        self.deaf = request.close
