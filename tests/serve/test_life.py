"""A server's life: its address, its files, its words on stderr, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.serve.serving import Peer, Serving, request

OK = request("GET", "/health")


def dial_unix(path: Path) -> Peer:
    sock = socket.socket(socket.AF_UNIX)
    sock.settimeout(20)
    sock.connect(str(path))
    return Peer(sock)


def test_serve_json_names_the_process_and_goes_with_it(tmp_path: Path) -> None:
    before = int(time.time())
    with Serving(tmp_path, db="deep/er/memory.db") as server:
        path = tmp_path / "deep" / "er" / "serve.json"
        found = json.loads(path.read_text())
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert list(found) == ["pid", "addr", "db", "started_at", "start_ticks"]
        assert (found["pid"], found["db"]) == (server.process.pid, str(tmp_path / "deep" / "er" / "memory.db"))
        assert before <= found["started_at"] <= time.time()
        ticks = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()[19]
        assert found["start_ticks"] == int(ticks)
        assert server.stop() == 0
        assert not path.exists()


def test_serve_json_of_another_process_is_left_alone(tmp_path: Path) -> None:
    with Serving(tmp_path) as server:
        path = tmp_path / "serve.json"
        other = json.dumps({**server.found, "pid": 1})
        path.write_text(other)
        assert server.stop() == 0
        assert path.read_text() == other


def test_a_second_server_of_a_store_does_not_hide_the_first(tmp_path: Path) -> None:
    with Serving(tmp_path) as first:
        path = tmp_path / "serve.json"
        before = path.read_text()
        with Serving(tmp_path, wait=False) as second:
            limit = time.monotonic() + 20
            while "memory-wire: serving" not in second.stderr and time.monotonic() < limit:
                time.sleep(0.02)
            assert f"warning: process {first.process.pid} serves this store" in second.stderr
            assert path.read_text() == before
            assert second.stop() == 0
        assert path.read_text() == before


def test_serve_json_of_a_killed_server_is_replaced(tmp_path: Path) -> None:
    with Serving(tmp_path) as first:
        first.process.kill()
        first.process.wait(20)
    with Serving(tmp_path) as second:
        assert json.loads((tmp_path / "serve.json").read_text())["pid"] == second.process.pid


def test_a_taken_address_is_one_clear_line(tmp_path: Path, server: Serving) -> None:
    host, port = server.address
    with Serving(tmp_path, "--addr", f"{host}:{port}", wait=False) as second:
        assert second.process.wait(20) == 1
        said = f"memory-wire: can't listen on {host}:{port}: address already in use by process {server.process.pid} ("
        assert second.stderr.startswith(said) and second.stderr.endswith("; --addr HOST:PORT takes another port\n")
        assert second.stderr.count("\n") == 1
        assert not (tmp_path / "serve.json").exists()
        assert not (tmp_path / "memory.db").exists()


@pytest.mark.parametrize("addr", ["nonsense", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000", ":80", "none"])
def test_an_address_that_is_none_is_one_clear_line(tmp_path: Path, addr: str) -> None:
    with Serving(tmp_path, "--addr", addr, wait=False) as server:
        assert server.process.wait(20) == 1
        assert server.stderr.startswith("memory-wire: can't listen on ")
        assert server.stderr.count("\n") == 1


def test_a_freed_address_can_be_taken_at_once(tmp_path: Path) -> None:
    with Serving(tmp_path) as first:
        assert first.ask("GET", "/health").text == "ok"
        host, port = first.address
        first.stop()
    with Serving(tmp_path, "--addr", f"{host}:{port}") as second:
        assert second.ask("GET", "/health").text == "ok"


def test_ipv6(tmp_path: Path) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError as error:
        pytest.fail(f"this machine has no ::1 to test with: {error}")
    with Serving(tmp_path, "--addr", "[::1]:0") as server:
        assert str(server.found["addr"]).startswith("[::1]:")
        sock = socket.create_connection(server.address)
        with Peer(sock) as peer:
            peer.send(request("GET", "/health", headers={"Host": "[::1]"}))
            assert peer.reply().text == "ok"


def test_the_unix_socket(tmp_path: Path) -> None:
    path = tmp_path / "run" / "s.sock"
    with Serving(tmp_path, "--socket", str(path)) as server:
        assert server.found["socket"] == str(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with dial_unix(path) as peer:
            peer.send(request("POST", "/banks/b/retain", {"content": "over unix"}))
            assert peer.reply().status == 200
        assert server.ask("POST", "/banks/b/recall", {"query": "unix"}).json == ["over unix"]
        assert server.stop() == 0
        assert not path.exists()


def test_the_unix_socket_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.sock"
    with Serving(tmp_path, "--addr", "none", "--socket", str(path)) as server:
        assert server.found["addr"] == f"unix://{path}"
        with dial_unix(path) as peer:
            peer.send(OK)
            assert peer.reply().text == "ok"


def test_what_a_killed_server_left_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "s.sock"
    with Serving(tmp_path, "--socket", str(path)) as killed:
        killed.process.kill()
        killed.process.wait()
        assert path.exists()
        assert (tmp_path / "serve.json").exists()
    with Serving(tmp_path, "--socket", str(path)) as server, dial_unix(path) as peer:
        peer.send(OK)
        assert peer.reply().text == "ok"
        assert server.found["pid"] == server.process.pid


def test_a_live_unix_socket_is_not_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "s.sock"
    (tmp_path / "second").mkdir()
    with Serving(tmp_path, "--socket", str(path)), Serving(tmp_path / "second", "--socket", str(path), wait=False) as second:
        assert second.process.wait(20) == 1
        assert second.stderr == f"memory-wire: can't listen on unix://{path}: address already in use\n"
        with dial_unix(path) as peer:
            peer.send(OK)
            assert peer.reply().text == "ok"


def test_a_file_in_the_sockets_place_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "precious"
    path.write_text("mine")
    with Serving(tmp_path, "--socket", str(path), wait=False) as server:
        assert server.process.wait(20) == 1
        assert "exists and is not a socket" in server.stderr
    assert path.read_text() == "mine"


@pytest.mark.parametrize(
    ("level", "access", "notice"), [("access", True, True), ("error", False, True), ("off", False, False), ("", False, True)]
)
def test_what_is_logged(tmp_path: Path, level: str, access: bool, notice: bool) -> None:
    with Serving(tmp_path, env={"MEMORY_WIRE_LOG": level}) as server:
        server.ask("GET", "/banks?secret=hidden")
        server.ask("POST", "/banks/b/recall", {"query": "secret"})
        server.stop()
        assert (" POST /banks/b/recall 200 2 " in server.stderr) == access
        assert (" GET /banks 400 " in server.stderr) == access
        assert ("serving " in server.stderr) == notice
        assert "hidden" not in server.stderr
        assert "secret" not in server.stderr


def test_the_server_outlives_its_stderr(tmp_path: Path) -> None:
    with Serving(tmp_path, env={"MEMORY_WIRE_LOG": "access"}, after="") as server:
        assert server.ask("GET", "/health").text == "ok"
    read, write = os.pipe()
    code = f"import sys; sys.argv = ['x', 'serve', '--addr', '127.0.0.1:0', '--db', {str(tmp_path / 'memory.db')!r}]"
    command = [sys.executable, "-c", f"{code}\nfrom memory_wire.__main__ import main\nsys.exit(main())"]
    server.process = subprocess.Popen(command, stderr=write, stdout=subprocess.PIPE, env={**os.environ, "MEMORY_WIRE_LOG": "access"})
    os.close(write)
    os.read(read, 1)  # the first notice
    os.close(read)
    with server:
        server.found = server.ready()
        assert [server.ask("GET", "/health").text for _ in range(3)] == ["ok"] * 3
        assert server.stop() == 0


@pytest.mark.parametrize(
    "words", [["--nope"], ["stray"], ["--addr"], ["--sync", "maybe"], ["--quiet", "soon"], ["--drain", "-1"], ["--allow-network-fs=1"]]
)
def test_words_that_do_not_fit(tmp_path: Path, words: list[str]) -> None:
    command = [sys.executable, "-m", "memory_wire", "serve", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("memory-wire serve: ")
    assert "--allow-host NAME" in done.stderr


def test_help(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "memory_wire", "serve", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for option in ("--addr", "--socket", "--db", "--sync", "--allow-host", "--allow-network-fs", "--quiet", "--drain", "MEMORY_WIRE_LOG"):
        assert option in done.stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_idle_connections_do_not_hold_it_up(tmp_path: Path, number: int) -> None:
    with Serving(tmp_path) as server, server.dial() as fresh, server.dial() as used:
        used.send(OK)
        assert used.reply().text == "ok"
        assert server.stop(number) == 0
        assert fresh.closed()
        assert used.closed()


def test_a_request_under_way_is_finished_and_told_that_this_was_the_last(tmp_path: Path) -> None:
    data = request("POST", "/banks/b/retain", {"content": "finished"})
    with Serving(tmp_path) as server, server.dial() as peer, server.dial() as other:
        peer.send(data[:-5])
        other.send(OK)
        assert other.reply().text == "ok"
        server.process.send_signal(signal.SIGTERM)
        assert other.closed()
        with pytest.raises(ConnectionRefusedError):
            server.dial()
        peer.send(data[-5:])
        reply = peer.reply()
        assert (reply.status, reply.headers["connection"]) == (200, "close")
        assert peer.closed()
        peer.close()
        assert server.process.wait(20) == 0
    with Serving(tmp_path) as server:
        assert server.ask("POST", "/banks/b/recall", {"query": "finished"}).json == ["finished"]


def test_the_drain_ends(tmp_path: Path) -> None:
    with Serving(tmp_path, "--drain", "0.3") as server, server.dial() as peer:
        peer.send(b"POST /banks/b/retain HTTP/1.1\r\n")
        while server.counter("connections") < 2:
            time.sleep(0.01)
        assert server.stop() == 1
        assert peer.closed()


def test_a_second_signal_aborts(tmp_path: Path) -> None:
    with Serving(tmp_path, "--drain", "1000") as server, server.dial() as peer:
        peer.send(b"POST /banks/b/retain HTTP/1.1\r\n")
        while server.counter("connections") < 2:
            time.sleep(0.01)
        server.process.send_signal(signal.SIGTERM)
        wait_until_refused(server)
        assert server.stop() == 1
        assert peer.closed()


def wait_until_refused(server: Serving) -> None:
    """Until nobody listens any more; a connection caught in the kernel's queue at that moment is reset."""
    while True:
        try:
            server.dial().close()
        except ConnectionRefusedError:
            return
        except ConnectionResetError:
            continue


@pytest.mark.parametrize("signals", [[signal.SIGTERM], [signal.SIGTERM, signal.SIGTERM], [signal.SIGKILL]])
def test_what_was_acknowledged_is_stored(tmp_path: Path, signals: list[int]) -> None:
    """Eight clients write while the server is told to end; every answer they got is kept."""
    acknowledged: list[str] = []
    with Serving(tmp_path) as server:

        def write(writer: int) -> None:
            with server.dial() as peer:
                for i in range(100_000):
                    content = f"writer {writer} row {i}"
                    try:
                        peer.send(request("POST", "/banks/load/retain", {"content": content}))
                        reply = peer.reply()
                    except (OSError, AssertionError):
                        return
                    assert reply.status == 200
                    acknowledged.append(content)
                    if reply.headers.get("connection") == "close":
                        return

        writers = [threading.Thread(target=write, args=(writer,)) for writer in range(8)]
        for thread in writers:
            thread.start()
        while len(acknowledged) < 200:
            time.sleep(0.01)
        server.stop(*signals)
        for thread in writers:
            thread.join()
    with Serving(tmp_path) as server:
        stored = set()
        for offset in range(0, len(acknowledged) + 1000, 500):
            page = server.ask("GET", f"/banks/load/memories?limit=500&offset={offset}").json
            stored.update(item["content"] for item in page)  # type: ignore[attr-defined]
    assert set(acknowledged) <= stored
