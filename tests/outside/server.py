"""A server of the outside world: a few scripted paths on this machine, over HTTP or HTTPS, that notes what it was asked."""

from __future__ import annotations

import http.server
import json
import ssl
import threading
import time
import urllib.parse
from pathlib import Path
from typing import Any

CERTIFICATE = Path(__file__).parent / "localhost.pem"  # for localhost and 127.0.0.1, with its key; signed by itself


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        length = int(self.headers.get("content-length", 0))
        body = self.rfile.read(length)
        self.server.asked.append((self.command, self.path, dict(self.headers.items()), body))
        self.server.ports.add(self.client_address[1])
        name, _, rest = self.path[1:].partition("/")
        getattr(self, f"give_{name.partition('?')[0]}", self.give_echo)(rest)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815

    def give(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def give_echo(self, rest: str) -> None:
        """What was asked, as JSON."""
        method, path, headers, body = self.server.asked[-1]
        said = {"method": method, "path": path, "headers": headers, "body": body.decode("utf-8", "replace")}
        self.give(200, json.dumps(said).encode(), Content_Type="application/json")

    def give_status(self, rest: str) -> None:
        self.give(int(rest), b"" if rest == "204" else b"as asked")

    def give_typed(self, rest: str) -> None:
        """JSON under the type that is named."""
        self.give(200, b'{"a":"\xc3\xa4"}', Content_Type=rest)

    def give_farewell(self, rest: str) -> None:
        """Leaves after the answer without having said so."""
        self.give(200, b"")
        self.close_connection = True

    def give_said(self, rest: str) -> None:
        """The rest of the path as text."""
        self.give(200, urllib.parse.unquote(rest).encode(), Content_Type="text/plain")

    def give_nested(self, rest: str) -> None:
        """Lists in each other."""
        self.give(200, b"[" * int(rest) + b"]" * int(rest), Content_Type="application/json")

    def give_bytes(self, rest: str) -> None:
        self.give(200, b"x" * int(rest))

    def give_to(self, rest: str) -> None:
        """A redirect: `/to/307/http://…`."""
        status, _, target = rest.partition("/")
        self.give(int(status), b"elsewhere", Location=target)

    def give_never(self, rest: str) -> None:
        self.server.held.wait(20)
        self.close_connection = True

    def give_drip(self, rest: str) -> None:
        """A byte now and then, for ever: no single read takes long."""
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        while not self.server.held.is_set():
            self.wfile.write(b"x")
            time.sleep(0.05)

    def give_nonsense(self, rest: str) -> None:
        self.wfile.write(b"no http at all\r\n\r\n")
        self.close_connection = True

    def log_message(self, format: str, *values: object) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    """At `url` while used as a context manager. `asked` are (method, path, headers, body), `ports` the clients' connections."""

    daemon_threads = True

    def __init__(self, tls: bool = False, handler: type[Handler] = Handler) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        self.ports: set[int] = set()
        self.left = threading.Semaphore(0)
        self.held = threading.Event()
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.server_port}"

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        self.left.release()

    def wait_for_leaving(self) -> None:
        """Until a connection has been ended from here."""
        assert self.left.acquire(timeout=10)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that left is no news."""

    def __enter__(self) -> Server:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.held.set()
        self.shutdown()
        self.server_close()
