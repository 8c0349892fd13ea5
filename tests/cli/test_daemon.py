"""The daemon as real processes: starts that prove themselves, the five states, stops, restarts, logs, and what goes wrong with them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory_wire import Client
from memory_wire.config import DEFAULT_ADDR, LOG_BYTES, LOG_FILES
from memory_wire.process import words_of
from memory_wire.serve import holder
from memory_wire.wire import alive
from tests import package
from tests.cli.commands import Machine, free_port


def ended(pid: int) -> bool:
    """Gone, or waiting for a first process that never collects its children, as in many containers."""
    try:
        return b") Z" in Path(f"/proc/{pid}/stat").read_bytes()
    except FileNotFoundError:
        return True


def until(met: object, seconds: float = 10.0) -> None:
    """Waits for a condition, a function; fails when it never comes."""
    limit = time.monotonic() + seconds
    while not met():  # type: ignore[operator]
        assert time.monotonic() < limit
        time.sleep(0.02)


def test_a_life(machine: Machine, addr: str) -> None:
    text = machine.out("daemon", "start", "--addr", addr)
    said = machine.said()
    assert set(said) == {"pid", "addr", "db", "started_at", "start_ticks"}
    assert (said["addr"], said["db"]) == (addr, str(machine.data / "memory.db"))
    assert all(f"{value}" in text for value in (said["pid"], f"http://{addr}", said["db"], machine.data / "serve.log", machine.state))
    assert alive(f"http://{addr}")
    assert os.getsid(said["pid"]) == said["pid"]  # in a session of its own: the terminal's end is not its own
    assert os.readlink(f"/proc/{said['pid']}/fd/0") == "/dev/null"

    status = machine.out("daemon", "status")
    assert "serving" in status and f"{said['pid']}" in status and f"http://{addr}" in status
    again = machine.run("daemon", "start", "--addr", addr)
    assert again.returncode == 1 and f"already serving: process {said['pid']}" in again.stderr

    assert machine.out("daemon", "stop") == f"stopped process {said['pid']}\n"
    assert ended(said["pid"]) and not machine.state.exists()
    assert machine.out("daemon", "stop") == "not running\n"
    stopped = machine.run("daemon", "status")
    assert stopped.returncode == 1 and "not running" in stopped.stdout
    assert [name for name in os.listdir(machine.data) if name.startswith("serve")] == ["serve.log"]


def test_a_checkout_that_was_never_installed(machine: Machine, addr: str) -> None:
    """Found by its folder alone; the daemon works in another one."""
    shutil.copytree(package.FOLDER / "memory_wire", machine.root / "src" / "memory_wire")
    program = "import sys; sys.path.insert(0, ''); from memory_wire.cli.main import run; sys.exit(run(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "daemon", "start", "--addr", addr]
    environment = {name: value for name, value in machine.env.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=machine.root / "src", env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert str(machine.root / "src") in Path(f"/proc/{machine.said()['pid']}/cmdline").read_text()


def test_the_daemon_is_the_small_server(machine: Machine, addr: str) -> None:
    machine.out("daemon", "start", "--addr", addr)
    words = Path(f"/proc/{machine.said()['pid']}/cmdline").read_bytes().split(b"\0")
    assert b"-S" in words and b"-I" in words


def test_of_ten_starts_at_once_one_serves(machine: Machine, addr: str) -> None:
    starts = [machine.start("daemon", "start", "--addr", addr) for _ in range(10)]
    done = [(start.communicate(timeout=60), start.returncode) for start in starts]
    said = machine.said()
    winners = [out for (out, _), code in done if code == 0]
    assert len(winners) == 1 and f"{said['pid']}" in winners[0]
    reasons = ("in use", "already serving", "not serving", "served already")
    losers = [err for (_, err), code in done if code]
    assert not [err for err in losers if err.count("\n") != 1 or not any(reason in err for reason in reasons)]
    until(lambda: machine.servers() == [said["pid"]])
    assert alive(f"http://{addr}")


def test_ten_starts_on_ports_of_their_own_make_one_server(machine: Machine) -> None:
    starts = [machine.start("daemon", "start", "--addr", "127.0.0.1:0") for _ in range(6)]
    codes = [start.communicate(timeout=60) and start.returncode for start in starts]
    assert codes.count(0) >= 1
    assert "serving" in machine.out("daemon", "status")
    until(lambda: machine.servers() == [machine.said()["pid"]])


def test_stop_while_writes_come_loses_no_answered_one(machine: Machine, addr: str) -> None:
    machine.out("daemon", "start", "--addr", addr)
    stop = None
    ids = []
    with Client(f"http://{addr}") as client:
        for number in range(5_000):
            try:
                ids.append(client.retain(f"note {number}").id)
            except Exception:
                break
            if number == 50:
                stop = machine.start("daemon", "stop")
    assert stop is not None and stop.communicate(timeout=60)[1] == "" and stop.returncode == 0
    assert len(ids) > 50
    assert json.loads(machine.out("stats", "--bank", "default", "--json"))["memories"] == len(ids)
    assert machine.out("check") == "ok\n"


def test_a_recycled_pid_is_not_the_server(machine: Machine, addr: str) -> None:
    machine.out("daemon", "start", "--addr", addr)
    said = machine.said()
    machine.out("daemon", "stop")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as stranger:
        machine.state.write_text(json.dumps(said | {"pid": stranger.pid}))
        status = machine.run("daemon", "status")
        assert status.returncode == 1 and "started at a different time" in status.stdout and "not running" in status.stdout
        assert "started at a different time" in machine.out("daemon", "stop")
        assert stranger.poll() is None and not machine.state.exists()
        machine.state.write_text(json.dumps(said | {"pid": stranger.pid}))
        assert "memory-wire started" in machine.out("daemon", "start", "--addr", addr)
        assert stranger.poll() is None and machine.said()["pid"] != stranger.pid
        stranger.communicate(b"\n")


def test_a_silent_process_is_signalled_only_when_it_is_proven_ours(machine: Machine, addr: str) -> None:
    machine.out("daemon", "start", "--addr", addr)
    said = machine.said()
    os.kill(said["pid"], signal.SIGSTOP)
    status = machine.run("daemon", "status")
    assert status.returncode == 1 and "pid alive, not serving" in status.stdout and "no answer" in status.stdout
    assert machine.run("daemon", "start", "--addr", addr).returncode == 1
    os.kill(said["pid"], signal.SIGCONT)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as stranger:
        machine.out("daemon", "stop")
        machine.state.write_text(json.dumps(said | {"pid": stranger.pid, "start_ticks": None}))
        refused = machine.run("daemon", "stop")
        assert refused.returncode == 1 and "left alone" in refused.stderr and stranger.poll() is None
        stranger.communicate(b"\n")


def test_a_process_that_waits_to_be_collected_is_none(machine: Machine, addr: str) -> None:
    """In a container the first process may never collect its children."""
    with subprocess.Popen([sys.executable, "-c", ""]) as zombie:
        until(lambda: b") Z" in Path(f"/proc/{zombie.pid}/stat").read_bytes())
        machine.data.mkdir(parents=True)
        machine.state.write_text(json.dumps({"pid": zombie.pid, "addr": addr, "db": "x", "started_at": 1, "start_ticks": None}))
        assert "no such process" in machine.run("daemon", "status").stdout


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "\udcff", '{"pid": "1"}', '{"pid": -1, "addr": "a", "db": "d"}', '{"pid": 1}', "[" * 100_000], ids=range(8)
)
def test_a_corrupt_state_file(machine: Machine, addr: str, text: str) -> None:
    machine.data.mkdir(parents=True)
    machine.state.write_bytes(text.encode(errors="surrogateescape"))
    status = machine.run("daemon", "status")
    assert status.returncode == 1 and "corrupt" in status.stdout and str(machine.state) in status.stdout
    assert "can't be read" in machine.out("daemon", "stop")
    assert machine.state.read_bytes() == text.encode(errors="surrogateescape")  # left as it is
    started = machine.run("daemon", "start", "--addr", addr)
    assert started.returncode == 0 and "it is replaced" in started.stderr
    assert machine.said()["addr"] == addr


def test_a_stale_state_file_is_replaced_with_a_notice(machine: Machine, addr: str) -> None:
    machine.out("daemon", "start", "--addr", addr)
    pid = machine.said()["pid"]
    os.kill(pid, signal.SIGKILL)
    until(lambda: ended(pid))
    assert f"no such process: {pid}" in machine.run("daemon", "status").stdout
    assert f"no such process: {pid}; it is replaced" in machine.out("daemon", "start", "--addr", addr)
    assert machine.said()["pid"] != pid


def test_a_taken_port_is_named(machine: Machine) -> None:
    code = """
from http.server import BaseHTTPRequestHandler, HTTPServer
server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
print(server.server_port, flush=True)
server.serve_forever()
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as stranger:
        assert stranger.stdout is not None
        addr = f"127.0.0.1:{stranger.stdout.readline().strip()}"
        done = machine.run("daemon", "start", "--addr", addr)
        assert done.returncode == 1 and f"process {stranger.pid} (" in done.stderr and "not a memory-wire server" in done.stderr
        assert not machine.state.exists()
        stranger.kill()


def test_the_server_of_another_store(machine: Machine, addr: str) -> None:
    """The state file is beside the default store, whichever store is served."""
    other = machine.root / "elsewhere" / "other.db"
    machine.out("daemon", "start", "--addr", addr, "--db", str(other))
    said = machine.said()
    assert said["db"] == str(other) and json.loads((other.parent / "serve.json").read_text()) == said
    assert str(other) in machine.out("daemon", "status")
    assert "already serving" in machine.run("daemon", "start", "--addr", "127.0.0.1:0").stderr
    machine.out("daemon", "stop")
    assert not machine.state.exists() and not (other.parent / "serve.json").exists()


def test_a_store_that_is_served_already_is_said(machine: Machine, addr: str) -> None:
    other = machine.root / "elsewhere" / "other.db"
    with machine.start("serve", "--addr", addr, "--db", str(other)) as foreground:
        until(lambda: alive(f"http://{addr}"))
        done = machine.run("daemon", "start", "--addr", "127.0.0.1:0", "--db", str(other))
        assert done.returncode == 1 and f"is served already: process {foreground.pid}" in done.stderr
        foreground.terminate()
        foreground.communicate()
    until(lambda: not machine.servers())


def test_a_start_that_takes_longer_is_not_lost(machine: Machine, addr: str) -> None:
    slow = machine.root / "slow"
    slow.mkdir()
    (slow / "sitecustomize.py").write_text("import sys, time\nif 'serve' in sys.orig_argv: time.sleep(6)\n")
    done = machine.run("daemon", "start", "--addr", addr, PYTHONPATH=f"{slow}:{machine.env['PYTHONPATH']}")
    assert done.returncode == 1 and "didn't answer within 5 s" in done.stderr
    pid = machine.said()["pid"]
    assert "pid alive, not serving" in machine.run("daemon", "status").stdout
    until(lambda: machine.run("daemon", "status").returncode == 0)
    assert machine.out("daemon", "stop") == f"stopped process {pid}\n" and ended(pid)


def test_restart_keeps_the_options(machine: Machine, addr: str) -> None:
    socket_path = machine.root / "s"
    machine.out("daemon", "start", "--addr", addr, "--socket", str(socket_path), "--allow-host", "memory.local", "--quiet", "7")
    before = machine.said()
    machine.out("daemon", "restart")
    after = machine.said()
    assert after["pid"] != before["pid"] and ended(before["pid"])
    assert (after["addr"], after["socket"]) == (addr, str(socket_path))
    words = Path(f"/proc/{after['pid']}/cmdline").read_bytes().split(b"\0")
    assert b"memory.local" in words and {b"7", b"7.0"} & set(words)
    machine.out("daemon", "stop")
    assert "memory-wire started" in machine.out("daemon", "restart", "--addr", addr)


def test_a_start_that_fails_says_why(machine: Machine, addr: str) -> None:
    machine.data.mkdir(parents=True)
    (machine.data / "memory.db").write_bytes(b"this is no database at all, but long enough to be looked at as one " * 20)
    done = machine.run("daemon", "start", "--addr", addr)
    assert done.returncode == 1 and done.stderr.startswith("memory-wire: the server ended at once: ") and done.stderr.count("\n") == 1
    assert not machine.servers()
    assert machine.run("daemon", "start", "--addr", "nonsense").returncode == 1
    assert machine.run("daemon", "nonsense").returncode == 2
    assert machine.run("daemon", "start", "--quiet", "-1").returncode == 2


def test_without_a_home_that_can_be_written(machine: Machine, addr: str) -> None:
    blocked = machine.root / "file"
    blocked.write_text("")
    done = machine.run("daemon", "start", "--addr", addr, XDG_DATA_HOME=str(blocked))
    assert done.returncode == 1 and "can't write" in done.stderr and "XDG_DATA_HOME" in done.stderr and done.stderr.count("\n") == 1
    assert "memory-wire started" in machine.out(
        "daemon", "start", "--addr", addr, HOME="/nonexistent", XDG_DATA_HOME=str(machine.root / "d")
    )
    machine.out("daemon", "stop", HOME="/nonexistent", XDG_DATA_HOME=str(machine.root / "d"))


def test_as_a_user_whom_nobody_knows(machine: Machine) -> None:
    """Containers run with any user id: no passwd entry, no HOME."""
    program = "import os, pwd, sys; del os.environ['HOME']; from memory_wire.cli import daemon, main; from memory_wire import wire"
    program += "; os.setuid(54321); sys.exit(main.run(['daemon', 'start']))"
    done = subprocess.run(
        [sys.executable, "-c", program], env=machine.env, cwd="/", capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1 and "no home folder" in done.stderr


def test_an_address_lasts(machine: Machine, addr: str) -> None:
    machine.out("daemon", "start", "--addr", addr)
    machine.out("daemon", "stop")
    machine.out("daemon", "start")
    assert machine.said()["addr"] == addr
    machine.out("daemon", "stop")
    machine.out("daemon", "restart")
    assert machine.said()["addr"] == addr
    other = f"127.0.0.1:{free_port()}"
    machine.out("daemon", "restart", "--addr", other)
    machine.out("daemon", "stop")
    machine.out("daemon", "start")
    assert machine.said()["addr"] == other
    machine.out("daemon", "stop")
    note = machine.data / "daemon.json"
    for broken in ("{", "[]", '{"addr": 5}', '{"addr": "nonsense"}'):
        note.write_text(broken)
        assert json.loads(machine.out("doctor", "--json"))["endpoint"] == f"http://{DEFAULT_ADDR}"
    machine.out("daemon", "start", "--addr", other)
    assert json.loads(note.read_text()) == {"addr": other}


def test_another_server_named_by_the_environment_is_said(machine: Machine, addr: str) -> None:
    done = machine.run("daemon", "start", "--addr", addr, MEMORY_WIRE_URL="http://127.0.0.1:1")
    assert done.returncode == 0 and "warning: MEMORY_WIRE_URL names http://127.0.0.1:1" in done.stderr and "unset" in done.stderr
    machine.out("daemon", "stop")
    assert machine.run("daemon", "start", MEMORY_WIRE_URL=f"http://{addr}/").stderr == ""


def test_serve_names_who_has_its_port(machine: Machine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        addr = f"127.0.0.1:{taken.getsockname()[1]}"
        done = machine.run("serve", "--addr", addr)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert f"can't listen on {addr}: address already in use by process {os.getpid()} (" in done.stderr
    assert "--addr HOST:PORT takes another port" in done.stderr


def test_a_strangers_command_line_gives_no_orders(machine: Machine) -> None:
    code = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True); input()"
    words = [sys.executable, "-c", code, "\x1b[2J\n\tmemory-wire: all is well"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as stranger:
        assert stranger.stdout is not None
        port = int(stranger.stdout.readline())
        assert holder.shown(words_of(stranger.pid)).isprintable()
        assert holder.shown(words[3:]) == "?[2J memory-wire: all is well"
        done = machine.run("serve", "--addr", f"127.0.0.1:{port}")
        assert f"process {stranger.pid} (" in done.stderr and done.stderr.count("\n") == 1 and "\x1b" not in done.stderr
        stranger.communicate(b"")


def test_a_session_that_starts_the_daemon_has_its_memories(machine: Machine, addr: str) -> None:
    """The first one after a reboot; the hook waits for the server within its own time."""
    machine.out("daemon", "start", "--addr", addr)
    machine.out("retain", "The berths are let by the pelican service on port 7070.")
    machine.out("daemon", "stop")
    (machine.data / "autostart").touch()
    with machine.start("hook", "session-start") as hook:
        printed, noise = hook.communicate(timeout=60)
    assert noise == "" and printed
    until(lambda: machine.state.exists() and alive(f"http://{addr}"))
    assert machine.said()["addr"] == addr
    with machine.start("hook", "session-start") as hook:
        assert "7070" in hook.communicate(timeout=60)[0]


def test_logs(machine: Machine, addr: str) -> None:
    assert machine.run("daemon", "logs").returncode == 1
    machine.out("daemon", "start", "--addr", addr)
    assert machine.out("daemon", "logs") == f"memory-wire: serving {machine.data / 'memory.db'} at http://{addr}\n"
    log = machine.data / "serve.log"
    log.write_text("".join(f"line {number}\n" for number in range(100)))
    assert machine.out("daemon", "logs").split("\n")[0] == "line 50"
    assert machine.out("daemon", "logs", "-n", "2") == "line 98\nline 99\n"
    assert machine.out("daemon", "logs", "-n", "0") == ""
    with machine.start("daemon", "logs", "--n=1", "--follow") as following:
        assert following.stdout is not None and following.stdout.readline() == "line 99\n"
        time.sleep(0.5)
        with log.open("a") as file:
            file.write("line 100\n")
        assert following.stdout.readline() == "line 100\n"
        log.rename(machine.data / "serve.log.1")
        log.write_text("of the fresh file\n")
        assert following.stdout.readline() == "of the fresh file\n"
        following.send_signal(signal.SIGINT)
        assert following.wait(20) == 0


def test_the_log_is_rotated_while_the_server_runs(machine: Machine, addr: str) -> None:
    log = machine.data / "serve.log"
    machine.data.mkdir(parents=True)
    log.write_text("x" * (LOG_BYTES + 1))
    machine.out("daemon", "start", "--addr", addr, MEMORY_WIRE_LOG="access")  # at the start first
    assert (machine.data / "serve.log.1").stat().st_size == LOG_BYTES + 1 and log.stat().st_size < 1_000
    with log.open("a") as file:
        file.write("x" * (LOG_BYTES - 2_000))
    machine.out("daemon", "restart", MEMORY_WIRE_LOG="access")
    paths = "/health?" + "x" * 4_000
    with socket.create_connection(("127.0.0.1", int(addr.rpartition(":")[2]))) as connection:
        for _ in range(100):
            connection.sendall(f"GET {paths} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            connection.recv(4_096)
    names = sorted(name for name in os.listdir(machine.data) if name.startswith("serve.log"))
    assert names == ["serve.log", "serve.log.1", "serve.log.2"][:LOG_FILES]
    assert LOG_BYTES <= (machine.data / "serve.log.1").stat().st_size < LOG_BYTES + 10_000
    assert log.stat().st_size < 100_000 and "GET /health" in log.read_text()
    assert machine.out("daemon", "logs", "-n", "1").startswith("20")


def test_what_waited_in_the_spool_is_delivered(machine: Machine, addr: str) -> None:
    from memory_wire.hooks import spool

    turn = {
        "event": "stop",
        "session": "s",
        "turns": [{"user": "why did we choose postgres?", "assistant": "for row level security, and for json"}],
    }
    spool.add(str(machine.data), "", "/v1/banks/kept/capture", json.dumps(turn).encode())
    assert "1 captures delivered" in machine.out("daemon", "start", "--addr", addr)
    assert spool.pending(str(machine.data)) == (0, 0)
    assert json.loads(machine.out("stats", "--bank", "kept", "--json"))["memories"] == 1
