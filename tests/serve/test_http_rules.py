"""HTTP/1.1 as the rules have it: framing, order, keep-alive, what is refused and how the connection ends."""

from __future__ import annotations

import json

import pytest

from tests.serve.serving import Serving, request

OK = request("GET", "/health")
HEAD = b"Host: localhost\r\n"
JSON = b"Content-Type: application/json\r\n"
RECALL = b"POST /banks/b/recall HTTP/1.1\r\n" + HEAD + JSON

MALFORMED = {
    "both lengths": RECALL + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
    "two lengths": RECALL + b"Content-Length: 3\r\nContent-Length: 3\r\n\r\n",
    "signed length": RECALL + b"Content-Length: +3\r\n\r\n",
    "endless length": RECALL + b"Content-Length: 99999999999999999999\r\n\r\n",
    "coding that does not end chunked": RECALL + b"Transfer-Encoding: chunked, gzip\r\n\r\n",
    "bad chunk size": RECALL + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
    "chunk size overflow": RECALL + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
    "chunk without its end": RECALL + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabcX\r\n0\r\n\r\n",
    "unknown verb": b"FROB /health HTTP/1.1\r\n" + HEAD + b"\r\n",
    "blank in the target": b"GET /a b HTTP/1.1\r\n" + HEAD + b"\r\n",
    "bare line feeds": b"GET /health HTTP/1.1\nHost: localhost\n\n",
    "blank before the colon": b"GET /health HTTP/1.1\r\nHost : localhost\r\n\r\n",
    "folded header": b"GET /health HTTP/1.1\r\nHost: localhost\r\nA: b\r\n c\r\n\r\n",
    "NUL in a header": b"GET /health HTTP/1.1\r\nHost: localhost\r\nA: b\0c\r\n\r\n",
    "no Host": b"GET /health HTTP/1.1\r\n\r\n",
    "two Hosts": b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
def test_what_is_malformed_is_refused(server: Serving, data: bytes) -> None:
    with server.dial() as peer:
        peer.send(data)
        reply = peer.reply()
        assert reply.status == 400
        assert reply.text.startswith("malformed request: ")
        if data != MALFORMED["no Host"] and data != MALFORMED["two Hosts"]:  # these are sound HTTP: the connection may stay
            assert reply.headers["connection"] == "close"
            assert peer.closed()
    assert server.ask("GET", "/health").text == "ok"


UNSUPPORTED = {
    "no version": (505, b"GET /health\r\n\r\n"),
    "old version": (505, b"GET /health HTTP/0.9\r\n\r\n"),
    "new version": (505, b"GET /health HTTP/2.0\r\n" + HEAD + b"\r\n"),
    "compressed body": (501, RECALL + b"Transfer-Encoding: gzip, chunked\r\n\r\n"),
    "upgrade with a body": (501, RECALL + b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 3\r\n\r\nabc"),
    "expectation": (417, RECALL + b"Expect: a miracle\r\nContent-Length: 3\r\n\r\n"),
    "tunnel": (404, b"CONNECT localhost:1 HTTP/1.1\r\n" + HEAD + b"\r\n"),
}


@pytest.mark.parametrize(("status", "data"), UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_what_this_server_does_not_speak(server: Serving, status: int, data: bytes) -> None:
    with server.dial() as peer:
        peer.send(data)
        reply = peer.reply()
        assert (reply.status, reply.headers["connection"]) == (status, "close")
        assert peer.closed()


def test_an_offered_upgrade_is_ignored(server: Serving) -> None:
    with server.dial() as peer:
        peer.send(request("GET", "/health", headers={"Connection": "Upgrade", "Upgrade": "h2c"}))
        reply = peer.reply()
        assert (reply.status, reply.text, reply.headers["connection"]) == (200, "ok", "close")


@pytest.mark.parametrize("piece", [1, 2, 7])
def test_a_request_may_come_in_pieces(server: Serving, piece: int) -> None:
    data = request("POST", "/banks/pieces/recall", {"query": "x"}) + OK
    with server.dial() as peer:
        for at in range(0, len(data), piece):
            peer.send(data[at : at + piece])
        assert peer.reply().json == []
        assert peer.reply().text == "ok"


def test_a_chunked_body(server: Serving) -> None:
    body = json.dumps({"query": "x"}).encode()
    chunks = b"".join([b"1;ext=1\r\n%c\r\n" % byte for byte in body])
    with server.dial() as peer:
        peer.send(RECALL + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\nTrailer: x\r\n\r\n" + OK)
        assert peer.reply().json == []
        assert peer.reply().text == "ok"


def test_a_body_nobody_reads(server: Serving) -> None:
    with server.dial() as peer:
        peer.send(request("GET", "/health", b"ignored") + OK)
        assert [peer.reply().text, peer.reply().text] == ["ok", "ok"]


def test_blank_lines_before_a_request(server: Serving) -> None:
    with server.dial() as peer:
        peer.send(b"\r\n\r\n" + OK + b"\r\n" + OK)
        assert [peer.reply().text, peer.reply().text] == ["ok", "ok"]


def test_pipelined_requests_are_answered_in_order(server: Serving) -> None:
    """Writes, reads and refusals mixed: each read sees the writes before it and none after it."""
    data = b""
    for i in range(100):
        data += request("POST", "/banks/piped/retain", {"content": f"piped {i}", "tags": [f"t{i}"]})
        data += request("GET", "/banks/piped/stats") if i % 3 == 0 else request("GET", f"/nowhere/{i}")
    with server.dial() as peer:
        peer.send(data)
        for i in range(100):
            assert set(peer.reply().json) == {"id"}  # type: ignore[call-overload]
            reply = peer.reply()
            if i % 3 == 0:
                assert reply.json["memories"] == i + 1  # type: ignore[index]
            else:
                assert reply.status == 404
    commits = server.counter("commits_total")
    assert commits < server.counter("acknowledged_total")


def test_half_closed_clients_get_their_answers(server: Serving) -> None:
    with server.dial() as peer:
        peer.send(request("POST", "/banks/half/retain", {"content": "half"}) + OK + b"GET /hea")
        peer.half_close()
        assert peer.reply().status == 200
        assert peer.reply().text == "ok"
        assert peer.closed()


def test_a_client_that_says_nothing_and_leaves(server: Serving) -> None:
    with server.dial() as peer:
        peer.half_close()
        assert peer.closed()


@pytest.mark.parametrize(
    ("head", "connection"),
    [
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "close"),
        (b"GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n", "close"),
        (b"GET /health HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n", "keep-alive"),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", None),
    ],
)
def test_keep_alive(server: Serving, head: bytes, connection: str | None) -> None:
    with server.dial() as peer:
        peer.send(head)
        reply = peer.reply()
        assert (reply.text, reply.headers.get("connection")) == ("ok", connection)
        if connection == "close":
            assert peer.closed()
        else:
            peer.send(OK)
            assert peer.reply().text == "ok"


def test_nothing_is_read_after_connection_close(server: Serving) -> None:
    with server.dial() as peer:
        closing = request("GET", "/health", headers={"Connection": "close"})
        peer.send(closing + request("POST", "/banks/after/retain", {"content": "after"}))
        assert peer.reply().text == "ok"
        assert peer.closed()
    assert server.ask("GET", "/banks/after/stats").json["memories"] == 0  # type: ignore[index]


def test_expect_100_continue(server: Serving) -> None:
    body = b'{"query":"x"}'
    head = RECALL + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body)
    with server.dial() as peer:
        peer.send(OK + head)
        assert peer.reply().text == "ok"
        assert peer.reply().status == 100
        peer.send(body + head + body)  # the second time the body does not wait
        assert peer.reply().json == []
        assert peer.reply().json == []


def test_a_refused_expectation_gets_no_100(server: Serving) -> None:
    with server.dial() as peer:
        peer.send(b"POST /nowhere HTTP/1.1\r\n" + HEAD + JSON + b"Expect: 100-continue\r\nContent-Length: 10\r\n\r\n")
        reply = peer.reply()
        assert (reply.status, reply.headers["connection"]) == (404, "close")
        assert peer.closed()


@pytest.mark.parametrize("target", ["http://localhost/health", "http://localhost:80/health?x=1", "/health?x=1", "/health#part"])
def test_forms_of_the_target(server: Serving, target: str) -> None:
    assert server.ask("GET", target).text == "ok"


@pytest.mark.parametrize("path", ["/health", "/banks/b/memories", "/banks", "/nowhere", "/openapi.json"])
def test_head_is_get_without_the_body(server: Serving, path: str) -> None:
    with server.dial() as peer:
        peer.send(request("HEAD", path) + request("GET", path))
        head, get = peer.reply(bodiless=True), peer.reply()
        assert head.status == get.status
        drop = {"date"}
        assert {k: v for k, v in head.headers.items() if k not in drop} == {k: v for k, v in get.headers.items() if k not in drop}


def test_every_reply_is_dated(server: Serving) -> None:
    import email.utils
    import time

    for path in ("/health", "/nowhere", "/banks/%20/stats"):
        stamp = email.utils.parsedate_to_datetime(server.ask("GET", path).headers["date"]).timestamp()
        assert abs(stamp - time.time()) < 30
