"""The raw HTTP client against real sockets: what it sends, what it accepts, what it refuses."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory_wire.client.remote import Client
from memory_wire.errors import Invalid, StoreRefused, Unreachable, WrongType
from memory_wire.wire import Wire, alive, is_local, parse_url, quote

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Peer:
    """Answers each connection with a script: one entry a request, None closes. Keeps what it was sent."""

    def __init__(
        self, scripts: list[list[bytes | None]], family: int = socket.AF_INET, address: str | tuple[str, int] = ("127.0.0.1", 0)
    ) -> None:
        self.scripts = scripts
        self.heads: list[bytes] = []
        self.listener = socket.socket(family, socket.SOCK_STREAM)
        self.listener.bind(address)
        self.listener.listen(8)
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    @property
    def url(self) -> str:
        name = self.listener.getsockname()
        return f"unix://{name}" if isinstance(name, str) else f"http://127.0.0.1:{name[1]}"

    def run(self) -> None:
        for script in self.scripts:
            connection = self.listener.accept()[0]
            with connection, connection.makefile("rb") as stream:
                for answer in script:
                    if not self.read(stream) or answer is None:
                        break
                    connection.sendall(answer)

    def read(self, stream: object) -> bool:
        lines: list[bytes] = []
        while (line := stream.readline()) not in (b"", b"\r\n"):  # type: ignore[attr-defined]
            lines.append(line)
        if lines:
            self.heads.append(b"".join(lines))
            length = next((int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length")), 0)
            stream.read(length)  # type: ignore[attr-defined]
        return bool(lines)


@contextmanager
def peer(*scripts: list[bytes | None], path: str | None = None) -> Iterator[Peer]:
    one = Peer(list(scripts), socket.AF_UNIX, path) if path else Peer(list(scripts))
    try:
        yield one
    finally:
        one.thread.join(10)
        one.listener.close()
    assert not one.thread.is_alive()


def test_one_request_as_it_is_on_the_wire() -> None:
    with peer([OK]) as server:
        wire = Wire(server.url + "/base/", key="s3cret")
        reply = wire.request("POST", "/x?y=1", b"{}")
        wire.close()
        host = server.url[7:].encode()
    assert (reply.status, reply.body) == (200, b"ok")
    assert server.heads == [
        b"POST /base/x?y=1 HTTP/1.1\r\nHost: " + host + b"\r\nAuthorization: Bearer s3cret\r\n"
        b"Content-Type: application/json\r\nContent-Length: 2\r\n"
    ]


def test_a_connection_is_kept() -> None:
    with peer([OK, OK, OK]) as server:
        wire = Wire(server.url)
        assert [wire.request("GET", "/").body for _ in range(3)] == [b"ok"] * 3
        wire.close()


def test_a_kept_connection_that_the_server_closed_is_replaced() -> None:
    with peer([OK, None], [OK]) as server:
        wire = Wire(server.url)
        assert [wire.request("GET", "/").body for _ in range(2)] == [b"ok"] * 2
        wire.close()


def test_a_fresh_connection_that_is_closed_is_no_answer() -> None:
    with peer([None]) as server, pytest.raises(Unreachable, match="broken answer"):
        Wire(server.url).request("GET", "/")


@pytest.mark.parametrize("said", [b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", b"HTTP/1.0 200 OK\r\n\r\nok"])
def test_a_connection_that_the_server_gives_up_is_not_kept(said: bytes) -> None:
    with peer([said], [said]) as server:
        wire = Wire(server.url)
        assert [wire.request("GET", "/").body for _ in range(2)] == [b"ok"] * 2


def test_chunks_interim_answers_and_empty_bodies() -> None:
    chunked = (
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\nT: v\r\n\r\n"
    )
    empty = b"HTTP/1.1 204 No Content\r\n\r\n"
    with peer([chunked, empty, OK]) as server:
        wire = Wire(server.url)
        assert [wire.request("GET", "/").body for _ in range(3)] == [b"abc", b"", b"ok"]
        wire.close()


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/1.1 2x0 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabX\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000 + b"\r\n\r\n",
    ],
)
def test_what_is_no_answer(answer: bytes) -> None:
    with peer([answer]) as server, pytest.raises(Unreachable):
        Wire(server.url).request("GET", "/")


def test_silence_ends(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with peer([b"", b""], path=path) as server, pytest.raises(Unreachable, match=r"within 0\.2 s"):
        Wire(server.url, timeout=0.2).request("GET", "/")
    assert not alive(f"unix://{tmp_path}/none")


def test_alive() -> None:
    other = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nOK!"
    with peer([OK], [other]) as server:
        assert alive(server.url)
        assert not alive(server.url)


def test_threads_share_a_wire() -> None:
    with peer(*[[OK] * 10 for _ in range(4)]) as server:
        wire = Wire(server.url)
        gate = threading.Barrier(4)
        bodies: list[bytes] = []

        def work() -> None:
            gate.wait()
            connection = wire._connect()  # one each: the peer serves its connections one after the other
            with connection:
                bodies.append(wire._exchange(connection, b"GET / HTTP/1.1\r\n\r\n", fresh=True).body)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wire.close()
    assert bodies == [b"ok"] * 4


@pytest.mark.parametrize(
    "url", ["", "ftp://x", "https://x", "http://", "http://a:b", "http://a:99999", "http://a@b", "http://a b", "unix://x"]
)
def test_urls_that_are_refused(url: str) -> None:
    with pytest.raises(Invalid):
        parse_url(url)


def test_urls() -> None:
    assert parse_url("http://[::1]:9/p/") == ("[::1]:9", ("::1", 9), "/p")
    assert parse_url("http://host") == ("host", ("host", 80), "")
    assert parse_url("unix:///run/s") == ("localhost", "/run/s", "")
    assert [is_local(url) for url in ("unix:///s", "http://127.0.0.1:1", "http://[::1]", "http://example.com")] == [True, True, True, False]
    assert quote("a b/ü~") == "a%20b%2F%C3%BC~"


def test_the_key_comes_from_argument_environment_or_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORY_WIRE_KEY", raising=False)
    db = tmp_path / "memory.db"
    assert Client("http://localhost:1", db=db).wire.credentials == ""
    file = tmp_path / "memory.db.key"
    file.touch(0o600)
    file.write_text("from-file\n")
    assert "Bearer from-file\r" in Client("unix:///s", db=db).wire.credentials
    assert Client("http://example.com", db=db).wire.credentials == ""
    monkeypatch.setenv("MEMORY_WIRE_KEY", "from-environment")
    assert "Bearer from-environment\r" in Client("http://example.com", db=db).wire.credentials
    assert "Bearer given\r" in Client("http://example.com", key="given").wire.credentials
    monkeypatch.delenv("MEMORY_WIRE_KEY")
    os.chmod(file, 0o640)
    with pytest.raises(StoreRefused, match="chmod 600"):
        Client("unix:///s", db=db)
    with pytest.raises(Invalid):
        Client("unix:///s", key="line\nbreak")


@pytest.mark.parametrize("content", [b"bytes", 7, None, ["list"]])
def test_the_client_refuses_what_json_has_no_type_for(content: object) -> None:
    client = Client("http://127.0.0.1:1")
    with pytest.raises(WrongType):
        client.retain(content)  # type: ignore[arg-type]
    with pytest.raises(WrongType):
        client.retain_batch([{"content": "fine", "created_at": content or b"2026"}])
