"""Who may ask: a page in a browser that rebinds its name to this machine is told by the names it uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.serve.serving import Serving, request

FOREIGN = ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "", "localhost@evil.example", "[::2]", "[::1"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1234", "127.0.0.1", "127.0.0.1:8888", "[::1]", "[::1]:8888"])
def test_loopback_names_may(server: Serving, host: str) -> None:
    assert server.ask("GET", "/health", headers={"Host": host}).status == 200


@pytest.mark.parametrize("path", ["/health", "/banks", "/nope", "/openapi.json"])
@pytest.mark.parametrize("host", FOREIGN)
def test_other_names_may_not(server: Serving, host: str, path: str) -> None:
    reply = server.ask("GET", path, headers={"Host": host})
    assert (reply.status, reply.text) == (403, "forbidden host")


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:3000", 200),
        ("https://127.0.0.1", 200),
        ("http://[::1]:8888", 200),
        ("http://evil.example", 403),
        ("null", 403),
        ("", 403),
    ],
)
def test_origins(server: Serving, origin: str, status: int) -> None:
    assert server.ask("POST", "/banks/b/recall", {"query": ""}, {"Origin": origin}).status == status


def test_http_1_0_without_a_host_is_no_browser_but_refused_all_the_same(server: Serving) -> None:
    with server.dial() as peer:
        peer.send(b"GET /health HTTP/1.0\r\n\r\n")
        assert peer.reply().status == 403


def test_further_names(tmp_path: Path) -> None:
    with Serving(tmp_path, "--allow-host", "Memory.Lan,box:8888", "--allow-host=other") as server:
        for host, status in (("memory.lan:1", 200), ("box", 200), ("other", 200), ("localhost", 200), ("evil.example", 403)):
            assert server.ask("GET", "/health", headers={"Host": host}).status == status
        assert server.ask("GET", "/health", headers={"Origin": "https://memory.lan"}).status == 200


def test_an_open_address_warns_once_and_checks_no_names(tmp_path: Path) -> None:
    with Serving(tmp_path, "--addr", "0.0.0.0:0") as server:
        assert server.ask("GET", "/health", headers={"Host": "anything.example"}).status == 200
        assert server.ask("GET", "/health", headers={"Host": "another.example"}).status == 200
        server.stop()
        assert server.stderr.count("warning") == 1


def test_an_open_address_with_names_checks_them(tmp_path: Path) -> None:
    with Serving(tmp_path, "--addr", "0.0.0.0:0", "--allow-host", "memory.lan") as server:
        assert server.ask("GET", "/health", headers={"Host": "memory.lan"}).status == 200
        assert server.ask("GET", "/health", headers={"Host": "evil.example"}).status == 403


def test_a_unix_socket_checks_no_names(tmp_path: Path) -> None:
    import socket

    from tests.serve.serving import Peer

    with Serving(tmp_path, "--socket", str(tmp_path / "s")):
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(str(tmp_path / "s"))
        with Peer(sock) as peer:
            peer.send(request("GET", "/health", headers={"Host": "anything.example", "Origin": "http://evil.example"}))
            assert peer.reply().text == "ok"
