"""A lean HTTP/1.1 client over raw sockets, TCP or Unix, with keep-alive: what `Client` and the command line speak.

Knows nothing of operations: bytes in, status, headers and bytes out. Imports neither http.client nor msgspec, so that a hook starts fast.
May be used from several threads; a connection serves one request at a time and is not carried over a fork.
"""

from __future__ import annotations

import os
import socket

from memory_wire.errors import Invalid, Unreachable

TIMEOUT = 60.0
PROBE_SECONDS = 0.25
KEPT = 8  # idle connections
HEAD_BYTES = 64 * 1024
BODY_BYTES = 1 << 30
SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class Reply:
    """An answer: `headers` by lower-case name."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body


class Gone(Exception):
    """A kept connection was closed by the server before it answered anything."""


def quote(text: str) -> str:
    """A path segment or query value, percent-encoded."""
    return "".join([chr(byte) if byte in SAFE else f"%{byte:02X}" for byte in text.encode()])


def parse_url(url: str) -> tuple[str, str | tuple[str, int], str]:
    """(what to send as Host, socket address: a path or (host, port), path prefix) of `http://host[:port][/prefix]` or `unix:///path`.

    Raises Invalid for anything else.
    """
    if url.startswith("unix://"):
        path = url[7:]
        if not path.startswith("/"):
            raise Invalid("url", "unix:// takes an absolute path")
        return "localhost", path, ""
    if not url.startswith("http://"):
        raise Invalid("url", "must begin with http:// or unix://")
    host, slash, prefix = url[7:].partition("/")
    name, port = host, "80"
    if ":" in host[host.rfind("]") + 1 :]:
        name, _, port = host.rpartition(":")
    if not name or not port.isascii() or not port.isdigit() or int(port) > 65535 or not all(" " < c <= "~" and c not in "@\\" for c in url):
        raise Invalid("url", "must be http://host[:port]")
    return host, (name.strip("[]"), int(port)), (slash + prefix).rstrip("/")


def is_local(url: str) -> bool:
    """Whether the URL names this machine: a Unix socket or a loopback name. Raises Invalid."""
    address = parse_url(url)[1]
    return isinstance(address, str) or address[0] in ("localhost", "127.0.0.1", "::1")


class Wire:
    """Requests to one server."""

    def __init__(self, url: str, key: str | None = None, timeout: float = TIMEOUT) -> None:
        self.url = url
        self.host, self.address, self.prefix = parse_url(url)
        self.present(key)
        self.timeout = timeout
        self._idle: list[tuple[int, socket.socket]] = []

    def present(self, key: str | None) -> None:
        """The key that requests bring from now on. Raises Invalid."""
        if key is not None and not (key.isascii() and key.isprintable()):
            raise Invalid("key", "must be printable ASCII")
        self.credentials = f"Authorization: Bearer {key}\r\n" if key else ""

    def request(
        self, verb: str, path: str, body: bytes | None = None, content_type: str = "application/json", seconds: float | None = None
    ) -> Reply:
        """The server's answer, whatever its status, within `seconds` (default: `timeout`). Raises Unreachable when there is none."""
        head = f"{verb} {self.prefix}{path} HTTP/1.1\r\nHost: {self.host}\r\n{self.credentials}"
        if body is not None:
            head += f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
        message = head.encode("ascii") + b"\r\n" + (body or b"")
        kept = self._take()
        if kept is not None:
            try:
                return self._exchange(kept, message, False, seconds)
            except Gone:
                kept.close()
        return self._exchange(self._connect(seconds), message, True, seconds)

    def close(self) -> None:
        """Closes the idle connections; the object stays usable."""
        while self._idle:
            self._idle.pop()[1].close()

    def _take(self) -> socket.socket | None:
        """An idle connection of this process, if there is one. A parent's is closed here without a word to the server."""
        while self._idle:
            try:
                pid, connection = self._idle.pop()
            except IndexError:  # another thread was faster
                return None
            if pid == os.getpid():
                return connection
            connection.close()
        return None

    def _connect(self, seconds: float | None = None) -> socket.socket:
        seconds = seconds or self.timeout
        try:
            if not isinstance(self.address, str):
                host, port = self.address  # as bytes: text would load the tables of international names first
                connection = socket.create_connection((host.encode(), port), seconds)  # type: ignore[arg-type]
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return connection
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(seconds)
            try:
                connection.connect(self.address)
            except OSError:
                connection.close()
                raise
            return connection
        except OSError as error:
            raise Unreachable(f"no server at {self.url}: {error.strerror or error}") from None

    def _exchange(self, connection: socket.socket, message: bytes, fresh: bool, seconds: float | None = None) -> Reply:
        """Sends and reads one answer; keeps the connection when both sides want to."""
        refused: OSError | None = None
        seconds = seconds or self.timeout
        connection.settimeout(seconds)
        try:
            connection.sendall(message)
        except TimeoutError:
            connection.close()
            raise Unreachable(f"{self.url} took nothing for {seconds:g} s") from None
        except OSError as error:  # an early refusal: the answer may be there all the same
            refused = error
        reader = Reader(connection)
        try:
            reply, keep = reader.reply(head_only=message.startswith(b"HEAD "))
        except TimeoutError:
            connection.close()
            raise Unreachable(f"no answer from {self.url} within {seconds:g} s") from None
        except (OSError, ValueError) as error:
            connection.close()
            if not fresh and not reader.seen:
                raise Gone from None
            raise Unreachable(f"broken answer from {self.url}: {refused or error}") from None
        if keep and not refused and not reader.left and len(self._idle) < KEPT:
            self._idle.append((os.getpid(), connection))
        else:
            connection.close()
        return reply


class Reader:
    """Reads one answer from a connection. Raises ValueError for what is no HTTP, OSError when the connection breaks."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.left = b""
        self.seen = False

    def reply(self, head_only: bool) -> tuple[Reply, bool]:
        """(answer, whether the connection may be kept)."""
        status, headers, version = self.head()
        while status < 200:
            status, headers, version = self.head()
        keep = headers.get("connection", "keep-alive" if version == "HTTP/1.1" else "close").lower() != "close"
        if head_only or status in (204, 304):
            return Reply(status, headers, b""), keep
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return Reply(status, headers, self.chunked()), keep
        length = headers.get("content-length")
        if length is None:
            return Reply(status, headers, self.rest()), False
        return Reply(status, headers, self.exactly(size(length, 10))), keep

    def head(self) -> tuple[int, dict[str, str], str]:
        """(status, headers, version)."""
        lines = self.until(b"\r\n\r\n", HEAD_BYTES).decode("latin-1").split("\r\n")
        version, _, rest = lines[0].partition(" ")
        status = rest[:3]
        if version not in ("HTTP/1.1", "HTTP/1.0") or len(status) != 3 or not status.isdigit():
            raise ValueError("no HTTP answer")
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        return int(status), headers, version

    def chunked(self) -> bytes:
        """A chunked body; trailers are dropped."""
        parts: list[bytes] = []
        total = 0
        while True:
            count = size(self.until(b"\r\n", HEAD_BYTES).split(b";")[0].decode("latin-1").strip(), 16)
            if count == 0:
                while self.until(b"\r\n", HEAD_BYTES):
                    continue
                return b"".join(parts)
            total += count
            if total > BODY_BYTES:
                raise ValueError("body too large")
            parts.append(self.exactly(count))
            if self.exactly(2) != b"\r\n":
                raise ValueError("bad chunk")

    def until(self, mark: bytes, limit: int) -> bytes:
        """Bytes up to the mark, which is dropped."""
        held = self.left
        while (at := held.find(mark)) < 0:
            if len(held) > limit:
                raise ValueError("head too large")
            held += self.more()
        if at > limit:
            raise ValueError("head too large")
        self.left = held[at + len(mark) :]
        return held[:at]

    def exactly(self, count: int) -> bytes:
        if count > BODY_BYTES:
            raise ValueError("body too large")
        parts, have = [self.left], len(self.left)
        while have < count:
            parts.append(self.more())
            have += len(parts[-1])
        held = b"".join(parts)
        self.left = held[count:]
        return held[:count]

    def rest(self) -> bytes:
        """Everything until the server closes."""
        parts = [self.left]
        self.left = b""
        while part := self.connection.recv(1 << 16):
            parts.append(part)
        return b"".join(parts)

    def more(self) -> bytes:
        part = self.connection.recv(1 << 16)
        if not part:
            raise ValueError("the connection was closed")
        self.seen = True
        return part


def size(text: str, base: int) -> int:
    """A length from a header; int() alone would take signs and blanks."""
    digits = "0123456789abcdefABCDEF" if base == 16 else "0123456789"
    if not text or len(text) > 16 or text.strip(digits):
        raise ValueError("bad length")
    return int(text, base)


def alive(url: str) -> bool:
    """Whether a server answers `ok` on its health route within a quarter of a second."""
    try:
        wire = Wire(url, timeout=PROBE_SECONDS)
        reply = wire.request("GET", "/health")
    except (Unreachable, Invalid):
        return False
    wire.close()
    return reply.status == 200 and reply.body == b"ok"
