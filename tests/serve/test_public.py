"""The address that serves what everybody may read, and nothing else."""

from __future__ import annotations

import json
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire import Memory, config, ops
from tests.serve.serving import Peer, Reply, Serving, request

ELSEWHERE = {"Host": "notes.example.org", "Origin": "https://evil.example"}


class Open(Serving):
    """`ask` and `dial` go to the public address."""

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = str(self.found["public"]).rpartition(":")
        return host, int(port)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Open]:
    with Open(tmp_path, "--public-addr", "127.0.0.1:0") as serving:
        yield serving
        assert serving.stop() == 0 and "Traceback" not in serving.stderr


def owner(server: Open) -> Peer:
    """A connection to the other address."""
    host, port = str(server.found["addr"]).rsplit(":", 1)
    return Peer(socket.create_connection((host, int(port))))


def closed(peer: Peer) -> bool:
    """Whether the server has ended the connection without a word."""
    try:
        return peer.sock.recv(1) == b""
    except ConnectionResetError:
        return True


def told(reply: Reply) -> tuple[int, dict[str, str], bytes]:
    return reply.status, {name: value for name, value in reply.headers.items() if name != "date"}, reply.body


def test_what_is_not_for_everybody_is_the_one_404(server: Open) -> None:
    missing = told(server.ask("GET", "/00000000000000000", headers=ELSEWHERE))
    assert (missing[0], missing[2], missing[1]["access-control-allow-origin"]) == (404, b"not found\n", "*")
    for op in ops.OPS:
        if not op.public:
            path = op.http[1].replace("{bank}", "default").replace("{id}", "x").replace("{slug}", "x").replace("{name}", "x")
            reply = server.ask(op.http[0], path, {} if op.body else None, ELSEWHERE)
            assert told(reply)[0] == 404 and told(reply)[2] == missing[2], op.name
    for verb, path in [("GET", "/"), ("GET", "/health"), ("GET", "/metrics"), ("GET", "/ui"), ("GET", "/openapi.json"), ("DELETE", "/x")]:
        assert told(server.ask(verb, path, headers=ELSEWHERE)) == missing, path
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert server.ask("POST", "/mcp", message, ELSEWHERE).status == 404
    page = server.ask("GET", "/mcp", headers={"Accept": "text/html"})
    assert page.status == 404 and page.headers["content-type"] == "text/html; charset=utf-8" and b"<h1>Not found</h1>" in page.body


def test_everybody_may_ask_from_anywhere(server: Open) -> None:
    reply = server.ask("GET", "/hub.css", headers={**ELSEWHERE, "Authorization": "Bearer mmw_" + "0" * 64})
    assert reply.status == 200 and reply.headers["access-control-allow-origin"] == "*"
    assert reply.headers["content-security-policy"].startswith("default-src 'none'") and "x-content-type-options" in reply.headers
    again = server.ask("GET", "/hub.css", headers={"If-None-Match": f'"x", W/{reply.headers["etag"]}'})
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", reply.headers["etag"]) and "content-length" not in again.headers
    head = server.ask("HEAD", "/hub.css")
    assert told(head)[1] == {**told(reply)[1], "content-length": str(len(reply.body))} and head.body == b""
    asked = server.ask("OPTIONS", "/whatever", headers={"Origin": "https://a.example", "Access-Control-Request-Method": "POST"})
    assert (asked.status, asked.body, asked.headers["access-control-allow-methods"]) == (200, b"", "GET, HEAD, POST")


def test_the_other_address_serves_it_too_and_nothing_there_is_open(server: Open) -> None:
    with owner(server) as peer:
        peer.send(request("GET", "/hub.css"))
        reply = peer.reply()
        assert reply.status == 200 and "access-control-allow-origin" not in reply.headers
        peer.send(request("GET", "/banks"))
        assert peer.reply().status == 200
        peer.send(request("GET", "/hub.css", headers={"Host": "notes.example.org"}))
        assert peer.reply().status == 403


def test_calls_from_one_address_are_limited(tmp_path: Path) -> None:
    with Open(tmp_path, "--public-addr", "127.0.0.1:0", "--public-calls", "5") as server:
        replies = [server.ask("GET", path) for path in ("/hub.css", "/nothing") * 3]
        assert [reply.status for reply in replies] == [200, 404, 200, 404, 200, 429]
        assert 0 < int(replies[-1].headers["retry-after"]) <= 13 and replies[-1].headers["access-control-allow-origin"] == "*"
        assert json.loads(replies[-1].body)["error"]["code"] == "rate_limited"
    with Open(tmp_path, "--public-addr", "127.0.0.1:0", "--public-calls", "0") as server, server.dial() as peer:
        for _ in range(config.PUBLIC_CALLS + 1):
            peer.send(request("HEAD", "/hub.css"))
            assert peer.reply(bodiless=True).status == 200


def test_the_default_limit(tmp_path: Path) -> None:
    assert config.PUBLIC_CALLS == 600
    with Open(tmp_path, "--public-addr", "127.0.0.1:0", config={"PUBLIC_CALLS": 600}) as server, server.dial() as peer:
        statuses = []
        for _ in range(700):
            peer.send(request("HEAD", "/hub.css"))
            statuses.append(peer.reply(bodiless=True).status)
        assert set(statuses[:600]) == {200} and 429 in statuses[600:]


def test_strangers_leave_places_for_the_others(tmp_path: Path) -> None:
    limits = {"PUBLIC_CONNECTIONS": 2, "CONNECTIONS": 4}
    with Open(tmp_path, "--public-addr", "127.0.0.1:0", config=limits) as server, server.dial() as one, server.dial() as two:
        for peer in (one, two):
            peer.send(request("GET", "/hub.css"))
            assert peer.reply().status == 200
        with server.dial() as third:
            assert closed(third)
        with owner(server) as private:
            private.send(request("GET", "/banks"))
            assert private.reply().status == 200


def test_large_bodies_are_refused_there(server: Open) -> None:
    with server.dial() as peer:
        head = b"POST /hub.css HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        peer.send(head + b"%x\r\n" % (config.PUBLIC_BODY_BYTES + 1))
        assert peer.reply().status == 404


def test_without_another_address(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "memory_wire", "serve", "--db", str(tmp_path / "memory.db"), "--addr", "none"]
    command += ["--public-addr", "127.0.0.1:0", "--public-url", "https://notes.example.org/"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            line = next(line for line in process.stderr if "serving" in line)
            assert "(what is public)" in line and not (tmp_path / "serve.json").exists()
            host, port = line.rpartition("http://")[2].split(" ")[0].split(":")
            with Peer(socket.create_connection((host, int(port)))) as peer:
                peer.send(request("GET", "/hub.css"))
                assert peer.reply().status == 200
        finally:
            process.terminate()


@pytest.mark.parametrize(
    "words", [("--public-url", "ftp://a"), ("--public-url", 'http://a"b'), ("--public-calls", "-1"), ("--public-addr", "nowhere")]
)
def test_what_does_not_fit_is_refused(tmp_path: Path, words: tuple[str, str]) -> None:
    command = [sys.executable, "-m", "memory_wire", "serve", "--db", str(tmp_path / "memory.db"), "--addr", "127.0.0.1:0", *words]
    assert subprocess.run(command, check=False, capture_output=True, timeout=20).returncode in (1, 2)


def test_nothing_is_told_of_a_key(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        key = memory.create_key("k", rights="admin").key
    with Open(tmp_path, "--public-addr", "127.0.0.1:0") as server:
        bearer = {"Authorization": f"Bearer {key}"}
        assert told(server.ask("GET", "/banks", headers=bearer)) == told(server.ask("GET", "/banks"))
        assert server.ask("GET", "/banks").status == 404


def test_what_everybody_asks_holds_up_nobody_else(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", bank="b") as memory:
        ids = [memory.create_doc(f"# Page {number}\n\n" + "*word* [a](b) `code`\n" * 1_500).id for number in range(8)]
        memory.put_hub("large", public=True)
    with Open(tmp_path, "--public-addr", "127.0.0.1:0") as server, owner(server) as private:
        peers = [server.dial() for _ in ids]
        for peer, id in zip(peers, ids, strict=True):
            peer.send(request("GET", f"/{id}"))
        private.send(request("POST", "/v1/gateway", {"server": "none", "tool": "x", "arguments": {}}))
        assert private.reply().status == 404
        assert not select.select([peer.sock for peer in peers[-2:]], [], [], 0)[0]
        for peer in peers:
            assert peer.reply().status == 200
            peer.sock.close()
