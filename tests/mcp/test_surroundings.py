"""`memory-wire mcp` as a host may start it: descriptors that are closed, stores that can't be opened, silent servers, odd names."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.mcp.child import Child

ABOUT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
HELLO = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": ABOUT})
RETAIN = json.dumps(
    {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "memory_retain", "arguments": {"content": "kept"}}}
)


def started(command: list[str], folder: Path, **environ: str) -> subprocess.CompletedProcess[bytes]:
    """A command that is told HELLO and RETAIN."""
    told = f"{HELLO}\n{RETAIN}\n".encode()
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | environ
    return subprocess.run(command, check=False, input=told, cwd=folder, capture_output=True, timeout=30, env=env)


def shell(folder: Path, redirection: str) -> tuple[int, bytes, bytes]:
    """The process under a shell that redirects its descriptors: status, output, errors."""
    script = f'exec "$0" -m memory_wire mcp --db m.db --bank b {redirection}'
    done = started(["sh", "-c", script, sys.executable], folder)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("redirection", ["<&-", "</dev/null", ">&-", ">/dev/full", "<&- >&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_without_input_or_output_it_ends_silently(redirection: str, tmp_path: Path) -> None:
    status, output, errors = shell(tmp_path, redirection)
    assert status in {0, 1} and (output, errors) == (b"", b"")


def test_without_a_place_for_its_complaints_it_serves(tmp_path: Path) -> None:
    status, output, _ = shell(tmp_path, "2>&-")
    assert status == 0
    assert sorted(json.loads(line)["id"] for line in output.splitlines()) == [1, 2]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_without_a_word(number: int, tmp_path: Path) -> None:
    with Child(tmp_path) as child:
        child.begin()
        child.process.send_signal(number)
        assert child.process.wait(20) != 0
        assert child.stderr == ""


@pytest.mark.parametrize("kind", ["folder", "nowhere", "garbage", b"odd\xff"])
def test_a_store_that_can_not_be_opened_is_told_by_every_call(kind: str | bytes, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(kind)
    if kind == "nowhere":
        path = Path("/proc/nowhere/memory.db")
    elif kind == "garbage":
        path.write_bytes(b"garbage " * 10_000)
    else:
        path.mkdir()
    with Child(tmp_path, db=str(path)) as child:
        assert child.begin()["serverInfo"]["name"] == "memory-wire"  # type: ignore[index]
        for _ in range(6):
            answer = child.call("memory_retain", content="kept")
            assert answer["isError"] is True and "store refused" in json.dumps(answer["content"])
        assert child.ask("tools/list")["result"]
        assert child.end() == 0
        assert child.stderr == ""


def test_a_server_that_says_nothing_is_given_up_in_time(tmp_path: Path) -> None:
    """Meanwhile what needs no server is answered at once."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(20)
        environ = {"MEMORY_WIRE_URL": f"http://127.0.0.1:{listening.getsockname()[1]}"}
        with Child(tmp_path, env=environ, config={"MCP_CALL_SECONDS": 0.5}) as child:
            child.begin()
            for number in range(6):
                child.send("tools/call", {"name": "memory_list", "arguments": {}}, number)
            assert child.ask("ping")["result"] == {}
            assert 0 not in child.answers
            assert child.answer(0)["result"]["isError"] is True  # type: ignore[index]
            assert child.end() == 0


@pytest.mark.parametrize("answer", [b"404 Not Found", b"200 OK", b"500 Internal Server Error"])
@pytest.mark.parametrize("kind", [b"text/html", b"application/json", b"text/plain"])
def test_a_server_that_is_another_is_told_in_few_words(answer: bytes, kind: bytes, tmp_path: Path) -> None:
    """Someone else's page is nothing that a model should read."""
    body = b"<html>" + b"somebody's page " * 10_000
    head = b"HTTP/1.1 %b\r\nContent-Type: %b\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % (answer, kind, len(body))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=replies, args=(listening, head + body), daemon=True).start()
        environ = {"MEMORY_WIRE_URL": f"http://127.0.0.1:{listening.getsockname()[1]}"}
        with Child(tmp_path, env=environ) as child:
            child.begin()
            for tool in ("memory_list", "memory_banks", "memory_bank_config_get"):
                told = child.call(tool)
                assert told["isError"] is True and len(json.dumps(told)) < 1_200, told
            assert child.end() == 0
            assert child.stderr == ""


def replies(listening: socket.socket, data: bytes) -> None:
    """Answers every connection with the same, until there are no more."""
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return
        with connection:
            connection.recv(65_536)
            connection.sendall(data)


@pytest.mark.parametrize("place", ["gone", b"odd\xff\xfe"])
def test_a_folder_that_is_gone_or_has_no_name(place: str | bytes, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(place)
    folder.mkdir()
    script = tmp_path / "memory-wire"  # as it is installed: `python -m` looks for its module in the folder that is gone
    script.write_text("import sys\nfrom memory_wire.__main__ import main\nsys.exit(main())\n")
    leave = 'rmdir "$PWD"; ' if place == "gone" else ""
    command = ["sh", "-c", f'{leave}exec "$0" "$1" mcp --db "$2"', sys.executable, str(script), str(tmp_path / "m.db")]
    done = started(command, folder, MEMORY_WIRE_BANK="")
    found = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 0, done.stderr
    assert found[2]["result"]["isError"] is False, found[2]


def test_a_flood_backs_up_in_the_pipe(tmp_path: Path) -> None:
    """Calls that nobody takes the answers of are not read either, so they cost the process nothing; later all are answered."""
    with Child(tmp_path) as child:
        child.begin()
        child.call("memory_retain", content="heron " * 5_000)
        assert child.process.stdin is not None
        calls = [
            {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "memory_list", "arguments": {}}} for n in range(20_000)
        ]
        data = b"".join(json.dumps(call).encode() + b"\n" for call in calls)
        sent = 0
        os.set_blocking(child.process.stdin.fileno(), False)
        with child.news:  # our reader stands still
            while sent < len(data):
                try:
                    sent += os.write(child.process.stdin.fileno(), data[sent : sent + 65_536])
                except BlockingIOError:
                    before = sent
                    time.sleep(0.5)
                    try:
                        sent += os.write(child.process.stdin.fileno(), data[sent : sent + 65_536])
                    except BlockingIOError:
                        break
                    assert sent > before
            assert sent < len(data) / 2
        os.set_blocking(child.process.stdin.fileno(), True)
        child.write(data[sent : data.index(b"\n", sent) + 1])
        whole = data[: data.index(b"\n", sent) + 1].count(b"\n")
        for number in range(whole):
            assert "result" in child.answer(number)
        assert child.end() == 0
