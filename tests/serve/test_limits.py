"""Every limit and deadline of the server, each reached by a real client; what is over is refused and the server lives on."""

from __future__ import annotations

import resource
import socket
import struct
import time
from pathlib import Path

import pytest

from memory_wire import config
from tests.serve.serving import Peer, Serving, request

OK = request("GET", "/health")
POST = b"POST /banks/b/recall HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def rss(serving: Serving) -> int:
    lines = Path(f"/proc/{serving.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def test_a_huge_head(server: Serving) -> None:
    """Just below the limit it is served, above it is 431, whether the header ends or not."""
    fits = b"x" * (config.HEAD_BYTES - 200)
    for value, status in ((fits, 200), (b"x" * config.HEAD_BYTES, 431)):
        with server.dial() as peer:
            peer.send(b"GET /health HTTP/1.1\r\nHost: localhost\r\nA: " + value + b"\r\n\r\n")
            assert peer.reply().status == status
    with server.dial() as peer:
        peer.send(b"GET /health HTTP/1.1\r\nHost: localhost\r\nA: ")
        with pytest.raises((ConnectionError, AssertionError)):
            while len(peer.pending) == 0:
                peer.sock.sendall(b"x" * 65536)
                peer.sock.settimeout(0.01)
                try:
                    peer.more()
                except TimeoutError:
                    peer.sock.settimeout(20)
                    continue
            raise AssertionError
        peer.sock.settimeout(20)
        assert peer.reply().status == 431


def test_too_many_headers(server: Serving) -> None:
    for count, status in ((config.HEADERS - 1, 200), (config.HEADERS, 431)):  # Host is one too
        with server.dial() as peer:
            peer.send(b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"".join([b"A%d: b\r\n" % i for i in range(count)]) + b"\r\n")
            assert peer.reply().status == status


def test_a_long_url(server: Serving) -> None:
    for length, status in ((config.URL_BYTES, 404), (config.URL_BYTES + 1, 414)):
        with server.dial() as peer:
            peer.send(request("GET", "/" + "u" * (length - 1)))
            assert peer.reply().status == status


@pytest.mark.parametrize("chunked", [False, True])
def test_a_large_body_is_refused_and_the_refusal_arrives(server: Serving, chunked: bool) -> None:
    """The client sends all it has before it reads: with an immediate close it would lose the answer."""
    body = b"x" * (5 << 20)
    with server.dial() as peer:
        if chunked:
            peer.send(POST + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(body))
        else:
            peer.send(POST + b"Content-Length: %d\r\n\r\n" % len(body))
        peer.send(body)
        reply = peer.reply()
        assert reply.status == 413
        assert reply.text.startswith("Failed to buffer the request body: length limit exceeded")
        assert peer.closed()


def test_a_body_at_the_limit(server: Serving) -> None:
    empty = b'{"query":"","x":""}'
    body = empty[:-2] + b"x" * (config.BODY_BYTES - len(empty)) + b'"}'
    assert len(body) == config.BODY_BYTES
    assert server.ask("POST", "/banks/b/recall", body).json == []


def test_a_length_with_many_zeros_is_the_number_it_is(server: Serving) -> None:
    body = b'{"query":""}'
    for zeros in (1, 20, 5_000):
        head = {"Content-Type": "application/json", "Content-Length": "0" * zeros + str(len(body))}
        assert server.ask("POST", "/banks/b/recall", body, head).json == []
    with server.dial() as peer:
        peer.send(request("POST", "/banks/b/recall", b"", {"Content-Length": "0" * 5_000 + str(config.BODY_BYTES + 1)}))
        assert peer.reply().status == 413


def test_what_is_dropped_after_a_refusal_is_bounded(server: Serving) -> None:
    with server.dial() as peer, pytest.raises(ConnectionError):
        peer.send(POST + b"Content-Length: 1000000000\r\n\r\n")
        for _ in range(4 * config.LINGER_BYTES // 65536):
            peer.send(b"x" * 65536)
            time.sleep(0)


def test_the_type_is_refused_before_the_body_is_read(server: Serving) -> None:
    with server.dial() as peer:
        peer.send(b"POST /banks/b/retain HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\n")
        reply = peer.reply()
        assert (reply.status, reply.text) == (415, "Expected request with `Content-Type: application/json`")
        assert reply.headers["connection"] == "close"
        assert peer.closed()


def test_chunk_framing_is_bounded(server: Serving) -> None:
    with server.dial() as peer:
        peer.send(POST + b"Transfer-Encoding: chunked\r\n\r\n1;")
        with pytest.raises(ConnectionError):
            for _ in range(10_000):
                peer.send(b"e" * 4096)
        assert server.ask("GET", "/health").text == "ok"
    with server.dial() as peer:  # trailers come out of the same allowance
        peer.send(POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n")
        peer.send(b"Trailer: " + b"t" * (2 * config.HEAD_BYTES))
        time.sleep(0.1)
        peer.send(b"t" * (2 * config.HEAD_BYTES))
        assert peer.reply().status in (400, 431)


def test_a_reader_that_never_reads(tmp_path: Path) -> None:
    """Its replies are not piled up, its requests are not read, and it is cut off in the end."""
    with Serving(tmp_path, config={"STALL_SECONDS": 1.0, "SWEEP_SECONDS": 0.05}) as server:
        for i in range(100):
            server.ask("POST", "/banks/big/retain", {"content": f"big {i} " + "x" * 4000})
        before = rss(server)
        with server.dial(receive_buffer=4096) as peer:
            ask = request("POST", "/banks/big/recall", {"query": "big" + " " * 4000, "budget": 1_000_000})
            peer.sock.settimeout(0.5)
            with pytest.raises((TimeoutError, ConnectionError)):
                for _ in range(20_000):
                    peer.send(ask)
            assert rss(server) - before < 16 * 1024
            peer.sock.settimeout(20)
            deadline = time.monotonic() + 20
            while server.counter("connections") > 1 and time.monotonic() < deadline:
                time.sleep(0.05)
            assert server.counter("connections") == 1  # the one that asks


def test_a_slow_reader_gets_everything(tmp_path: Path) -> None:
    with Serving(tmp_path, config={"STALL_SECONDS": 0.5, "SWEEP_SECONDS": 0.05}) as server:
        content = "slow " + "x" * 900_000
        server.ask("POST", "/banks/slow/retain", {"content": content})
        with server.dial(receive_buffer=4096) as peer:
            peer.send(request("POST", "/banks/slow/recall", {"query": "slow", "budget": 1_000_000}))
            for _ in range(8):
                time.sleep(0.15)
                for _ in range(10):
                    peer.pending += peer.sock.recv(4096)
            assert peer.reply().json == [content]


def test_a_client_that_disappears_while_it_is_written_to(server: Serving) -> None:
    server.ask("POST", "/banks/gone/retain", {"content": "gone " + "x" * 500_000})
    for _ in range(5):
        peer = server.dial(receive_buffer=4096)
        peer.send(request("POST", "/banks/gone/recall", {"query": "gone", "budget": 1_000_000}) * 3)
        peer.sock.recv(1000)
        peer.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closes with a reset
        peer.close()
    assert server.ask("GET", "/health").text == "ok"


SHORT = {"HEAD_SECONDS": 0.4, "BODY_SECONDS": 0.4, "IDLE_SECONDS": 0.4, "SWEEP_SECONDS": 0.05, "LINGER_SECONDS": 0.4}


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    with Serving(tmp_path_factory.mktemp("hasty"), config=SHORT) as serving:
        yield serving


def trickle(peer: Peer, data: bytes) -> None:
    """A byte at a time until the server has had enough."""
    peer.sock.settimeout(0.02)
    for at in range(len(data)):
        try:
            peer.send(data[at : at + 1])
            if peer.more() == b"" or peer.pending:
                break
        except TimeoutError:
            continue
        except ConnectionError:
            break
    peer.sock.settimeout(20)


def test_a_slow_head_is_not_saved_by_its_progress(hasty: Serving) -> None:
    with hasty.dial() as peer:
        trickle(peer, b"GET /health HTTP/1.1\r\nHost: localhost\r\nA: " + b"x" * 1000)
        assert peer.reply().status == 408
        assert peer.closed()


def test_a_slow_body(hasty: Serving) -> None:
    with hasty.dial() as peer:
        peer.send(POST + b"Content-Length: 1000\r\n\r\n")
        trickle(peer, b"x" * 999)
        assert peer.reply().status == 408
        assert peer.closed()


def test_a_long_body_earns_its_time(tmp_path: Path) -> None:
    """Twice as long as a body may take that makes no progress."""
    length = 4_000
    with Serving(tmp_path, config={"BODY_SECONDS": 2.0, "BODY_RATE": 1_000, "SWEEP_SECONDS": 0.05}) as server, server.dial() as peer:
        peer.send(POST + b"Content-Length: %d\r\n\r\n" % length)
        for _ in range(40):
            time.sleep(0.1)
            peer.send(b" " * (length // 40))
        assert peer.reply().status == 400  # read to its end: no JSON


@pytest.mark.parametrize("first", [b"", OK])
def test_idle_connections_are_closed(hasty: Serving, first: bytes) -> None:
    with hasty.dial() as peer:
        peer.send(first)
        if first:
            assert peer.reply().text == "ok"
        assert peer.closed()


def test_a_lingering_client_is_let_go(hasty: Serving) -> None:
    """After a refusal the server waits for the client to close, but not for ever."""
    with hasty.dial() as peer:
        peer.send(POST + b"Content-Length: 100000000\r\n\r\n")
        assert peer.reply().status == 413
        assert peer.closed()
        with pytest.raises(ConnectionError):
            for _ in range(2000):
                peer.send(b"x")
                time.sleep(0.01)


def test_connections_beyond_the_limit_wait_their_turn(tmp_path: Path) -> None:
    with Serving(tmp_path, config={"CONNECTIONS": 8}) as server:
        peers = [server.dial() for _ in range(8)]
        for peer in peers:
            peer.send(OK)
            assert peer.reply().text == "ok"
        late = server.dial()
        late.send(OK)
        late.sock.settimeout(0.3)
        with pytest.raises(TimeoutError):
            late.more()
        late.sock.settimeout(20)
        peers[3].close()
        assert late.reply().text == "ok"
        for peer in (*peers, late):
            peer.close()


def test_the_default_limit_of_connections(server: Serving) -> None:
    peers = [server.dial() for _ in range(config.CONNECTIONS - 1)]
    for peer in peers:
        peer.send(OK)
    assert all(peer.reply().text == "ok" for peer in peers)
    for peer in peers:
        peer.close()
    assert server.ask("GET", "/health").text == "ok"


def test_running_out_of_descriptors(tmp_path: Path) -> None:
    """Clients that got one are served, the others wait; nothing spins and nothing ends."""
    with Serving(tmp_path, config={"SWEEP_SECONDS": 0.1}) as server:
        assert server.ask("POST", "/banks/b/retain", {"content": "before"}).status == 200
        used = len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (used + 10, used + 10))
        peers = [server.dial() for _ in range(40)]
        for peer in peers:
            peer.send(OK)
        assert all(peer.reply().text == "ok" for peer in peers[:5])
        deadline = time.monotonic() + 20
        while '"accept"' not in server.stderr and time.monotonic() < deadline:
            time.sleep(0.05)
        assert '"accept"' in server.stderr
        for peer in peers:
            peer.close()
        assert server.ask("POST", "/banks/b/recall", {"query": "before"}).json == ["before"]
        assert server.stderr.count('"accept"') < 200


def test_bodies_share_one_allowance(tmp_path: Path) -> None:
    """A body that would exceed it is told to come again; when the others are answered there is room."""
    with Serving(tmp_path, config={"BODIES_BYTES": 200_000}) as server:
        half = request("POST", "/banks/b/recall", b'{"query":"' + b" " * 99_000 + b'"}')
        peers = [server.dial() for _ in range(3)]
        for peer in peers[:2]:
            peer.send(half[:-1])
        while server.counter("connections") < 4:
            time.sleep(0.01)
        time.sleep(0.1)
        peers[2].send(half)
        reply = peers[2].reply()
        assert (reply.status, reply.headers["retry-after"]) == (503, "1")
        for peer in peers[:2]:
            peer.send(half[-1:])
            assert peer.reply().json == []
        assert server.ask("POST", "/banks/b/recall", b'{"query":"' + b" " * 150_000 + b'"}').json == []
        for peer in peers:
            peer.close()
        for _ in range(3):  # what broken connections held is given back
            with server.dial() as broken:
                broken.send(half[:-1])
        assert server.ask("POST", "/banks/b/recall", b'{"query":"' + b" " * 150_000 + b'"}').json == []
