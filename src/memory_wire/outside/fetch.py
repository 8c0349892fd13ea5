"""One HTTP(S) request from the child program: the name is resolved once, its address is checked, and that address is connected to.

Texts of errors name the host and nothing else of the request: paths, queries, headers and bodies may hold secrets. No proxy is used.
"""

from __future__ import annotations

import http.client
import ipaddress
import select
import socket
import ssl
from functools import cache
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

from memory_wire.config import FETCH_BYTES
from memory_wire.outside.told import Told

Headers = dict[str, str]

CONNECT_SECONDS = 10.0  # for one address, then the next is tried
PORTS = {"http": 80, "https": 443}
MOVED = (301, 302, 303, 307, 308)
NAT64 = ipaddress.ip_network("64:ff9b::/96")
HARMLESS = frozenset(("accept", "accept-language", "user-agent"))  # headers that may follow a redirect to another origin


class Line:
    """An open connection to one origin. `inner` says that its address is one of no public network."""

    def __init__(self, connection: http.client.HTTPConnection, inner: bool) -> None:
        self.connection = connection
        self.inner = inner

    def usable(self) -> bool:
        """Whether the other side has left it open, and has said nothing that nobody asked for."""
        sock = self.connection.sock
        return sock is not None and not select.select([sock], [], [], 0)[0]


_kept: dict[str, Line] = {}  # at most one, by its origin: the last, for the next question to the same


def fetch(payload: dict[str, Any]) -> dict[str, Any]:
    """`{url, method, headers, body, cap, private, redirects}` -> `{status, headers, body, url}`; any status is an answer.

    `private`: the URL may lead to this machine or a private network; a redirect only where the URL itself did. Raises Told.
    """
    url, method = str(payload["url"]), str(payload.get("method", "GET"))
    headers: Headers = dict(payload.get("headers") or {})
    body: bytes | None = payload.get("body")
    cap = int(payload.get("cap") or FETCH_BYTES)
    private = bool(payload.get("private"))
    for _ in range(int(payload.get("redirects") or 0) + 1):
        line, response = begin(url, method, headers, body, private)
        private = private and line.inner
        target = response.getheader("location")
        if response.status not in MOVED or target is None or not payload.get("redirects"):
            body = whole(line, response, cap, split(url))
            return {"status": response.status, "headers": fields(response), "body": body, "url": url}
        line.connection.close()
        before, url = url, urljoin(url, target)
        if origin(split(url)) != origin(split(before)):
            headers = {name: value for name, value in headers.items() if name.lower() in HARMLESS}
        if response.status == 303 or (response.status in (301, 302) and method == "POST"):
            method, body = "GET", None
    raise Told(f"{split(url).hostname}: too many redirects")


def begin(url: str, method: str, headers: Headers, body: bytes | None, private: bool) -> tuple[Line, http.client.HTTPResponse]:
    """Sends a request; its response with the head read. Raises Told."""
    parts = split(url)
    name = str(parts.hostname)
    line = _kept.pop(origin(parts), None)
    if line is None or (line.inner and not private) or not line.usable():
        line = opened(parts, private)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    given = {"Accept-Encoding": "identity", "User-Agent": "memory-wire", **headers}
    try:
        line.connection.request(method, path, body=body, headers=given)
        return line, line.connection.getresponse()
    except (OSError, http.client.HTTPException, ValueError) as error:
        line.connection.close()
        raise Told(f"{name}: {why(error)}") from None


def whole(line: Line, response: http.client.HTTPResponse, cap: int, parts: SplitResult) -> bytes:
    """The body, at most `cap` bytes of it; the connection is kept when the other side keeps it. Raises Told."""
    try:
        body = response.read(cap + 1)
    except (OSError, http.client.HTTPException) as error:
        raise Told(f"{parts.hostname}: {why(error)}") from None
    if len(body) > cap:
        line.connection.close()
        raise Told(f"{parts.hostname}: an answer of more than {cap:,} bytes")
    _kept.clear()
    if line.connection.sock is not None and response.isclosed():
        _kept[origin(parts)] = line
    return body


def opened(parts: SplitResult, private: bool) -> Line:
    """A connection to the first address that takes one. Raises Told."""
    name, port = str(parts.hostname), parts.port or PORTS[parts.scheme]
    last: OSError | None = None
    for address, inner in addresses(name, port, private):
        try:
            sock = socket.create_connection((address, port), CONNECT_SECONDS)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # head and body go out at once, whatever was acknowledged
            if parts.scheme == "https":
                sock = context().wrap_socket(sock, server_hostname=name)
        except OSError as error:
            last = error
            continue
        sock.settimeout(None)  # the worker keeps the time of the whole
        connection = http.client.HTTPConnection(name, port)
        connection.auto_open = 0  # it goes nowhere by itself
        connection.sock = sock
        return Line(connection, inner)
    assert last is not None
    raise Told(f"{name}: {why(last)}")


def addresses(name: str, port: int, private: bool) -> list[tuple[str, bool]]:
    """Where a name leads, each with whether that is no public network. Raises Told when none may be gone to."""
    try:
        found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Told(f"{name}: no such host") from None
    known = {str(entry[4][0]): is_inner(str(entry[4][0])) for entry in found}
    fit = [(address, inner) for address, inner in known.items() if private or not inner]
    if not fit:
        raise Told(f"{name}: not an address of a public network")
    return fit


def is_inner(address: str) -> bool:
    """Whether an address is this machine's, a private network's, or none of a single public host."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        carried = found.ipv4_mapped or found.sixtofour
        if carried is None and found in NAT64:
            carried = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if carried is not None:
            return is_inner(str(carried))
    return not found.is_global or found.is_multicast


@cache
def context() -> ssl.SSLContext:
    """What certificates are checked against: the system's, or what SSL_CERT_FILE names."""
    return ssl.create_default_context()


def split(url: str) -> SplitResult:
    """The parts of a URL we go to. Raises Told."""
    try:
        parts = urlsplit(url)
        fits = parts.scheme in PORTS and bool(parts.hostname) and parts.username is None and parts.port != 0
    except ValueError:
        fits = False
    if not fits or not url.isascii() or any(mark <= " " for mark in url):
        raise Told("not an http or https URL")
    return parts


def origin(parts: SplitResult) -> str:
    return f"{parts.scheme}://{parts.hostname}:{parts.port or PORTS[parts.scheme]}"


def fields(response: http.client.HTTPResponse) -> Headers:
    """The response's headers by their names in small letters."""
    found: Headers = {}
    for name, value in response.getheaders():
        name = name.lower()
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found


def why(error: Exception) -> str:
    """What went wrong, in words without anything of the request."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not valid: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return f"TLS failed: {error.reason}"
    if isinstance(error, http.client.HTTPException | ValueError):
        return f"no proper HTTP: {type(error).__name__}"
    assert isinstance(error, OSError)
    return (error.strerror or type(error).__name__).lower()
