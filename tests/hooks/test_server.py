"""Where the server is, its key, and how a hook has it started."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from memory_wire.hooks import server
from memory_wire.hooks.run import Firing
from memory_wire.process import start_ticks
from tests.foreign import foreigner


def test_the_address(tmp_path: Path) -> None:
    state = tmp_path / "serve.json"
    mine = {"pid": os.getpid(), "start_ticks": start_ticks()}

    def url() -> str:
        return server.Server({}, str(tmp_path), 0).url

    assert url() == ""
    state.write_text(json.dumps(mine | {"addr": "127.0.0.1:4711"}))
    found = server.Server({}, str(tmp_path), 0)
    assert (found.url, found.target) == ("http://127.0.0.1:4711", "")
    state.write_text(json.dumps(mine | {"addr": "0.0.0.0:4711"}))
    assert url() == "http://127.0.0.1:4711"
    state.write_text(json.dumps(mine | {"addr": "unix:///run/mw.sock"}))
    assert url() == "unix:///run/mw.sock"
    state.chmod(0o666)  # anybody may have written it
    assert url() == ""
    state.chmod(0o600)
    for broken in ("", "[", json.dumps(mine | {"addr": 5}), '{"addr": "127.0.0.1:4711"}'):
        state.write_text(broken)
        assert url() == ""
    named = server.Server({"MEMORY_WIRE_URL": "http://10.0.0.1:1"}, str(tmp_path), 0)
    assert (named.url, named.target) == ("http://10.0.0.1:1", "http://10.0.0.1:1")


def test_a_process_that_is_not_the_one_meant(tmp_path: Path) -> None:
    state = tmp_path / "serve.json"

    def url(pid: object, ticks: object) -> str:
        state.write_text(json.dumps({"addr": "127.0.0.1:4711", "pid": pid, "start_ticks": ticks}))
        return server.Server({}, str(tmp_path), 0).url

    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        ticks = start_ticks(process.pid)
        assert url(process.pid, ticks)
        assert not url(process.pid, (ticks or 0) + 1)  # another one got its number
        assert not url(process.pid, None)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not url(process.pid, ticks)  # dead, not collected
    assert not url(process.pid, ticks)
    with foreigner() as pid:
        assert not url(pid, start_ticks(pid))
    for nonsense in (0, -1, True, "1", 1 << 40, None):
        assert not url(nonsense, None)


def test_a_socket_that_a_service_manager_holds(tmp_path: Path) -> None:
    """It is this user's, or nobody's: by the port alone nothing is known."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        addr = f"127.0.0.1:{held.getsockname()[1]}"
        (tmp_path / "service.json").write_text(json.dumps({"addr": addr}))
        assert server.Server({}, str(tmp_path), 0).url == f"http://{addr}"
    assert server.Server({}, str(tmp_path), 0).url == ""
    path = tmp_path / "s"
    (tmp_path / "service.json").write_text(json.dumps({"addr": f"unix://{path}"}))
    assert server.Server({}, str(tmp_path), 0).url == ""
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(path))
        assert server.Server({}, str(tmp_path), 0).url == f"unix://{path}"


@pytest.mark.parametrize("event", ["session-start", "prompt", "stop"])
def test_who_listens_there_without_proof_is_told_nothing(event: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    data = tmp_path / "memory-wire"
    data.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as stranger, foreigner() as pid:
        addr = f"127.0.0.1:{stranger.getsockname()[1]}"
        (data / "serve.json").write_text(json.dumps({"addr": addr, "pid": pid, "start_ticks": start_ticks(pid)}))
        inner, outer = os.pipe()
        os.write(outer, b'{"session_id": "s", "prompt": "where?", "last_assistant_message": "there, as I said before"}')
        os.close(outer)
        printed = Firing(event, None, "b", {"PATH": os.environ["PATH"]}, inner).output()
        os.close(inner)
        stranger.setblocking(False)
        with pytest.raises(BlockingIOError):
            stranger.accept()
    assert bool(printed) == (event == "session-start")
    assert (data / "spool").exists() == (event == "stop")


def test_the_key_beside_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert server.stored_key() is None
    key = tmp_path / "memory-wire" / "memory.db.key"
    key.parent.mkdir()
    key.write_text("secret\n")
    key.chmod(0o644)
    assert server.stored_key() is None
    key.chmod(0o600)
    assert server.stored_key() == "secret"


@pytest.fixture(name="program")
def interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An interpreter that only writes down, in `told`, with what words it was started."""
    told = tmp_path / "told"
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\necho "$MEMORY_WIRE_HOOK $@" >{told}.part\nmv {told}.part {told}\n')
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    return program


def test_the_daemon_is_started_where_the_user_agreed(tmp_path: Path, program: Path) -> None:
    told = tmp_path / "told"
    server.start({"PATH": os.environ["PATH"]}, str(tmp_path))  # no mark
    (tmp_path / server.MARKER).touch()
    server.start({"PATH": os.environ["PATH"], "MEMORY_WIRE_URL": "http://x"}, str(tmp_path))  # another server is named
    server.start({"PATH": os.environ["PATH"]}, str(tmp_path))
    while not told.exists():
        time.sleep(0.01)
    assert told.read_text() == "1 -P -m memory_wire daemon start\n"
    assert os.wait()[1] == 0
    with pytest.raises(ChildProcessError):
        os.wait()  # it was started once
    program.chmod(0o644)
    server.start({}, str(tmp_path))  # can't be run: silence


def test_the_server_that_was_started_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HOOK_START_SECONDS", 60.0)
    asked = server.Server({}, str(tmp_path), time.monotonic() + 60)
    said = json.dumps({"addr": "127.0.0.1:4711", "pid": os.getpid(), "start_ticks": start_ticks()})

    def appears() -> None:
        (tmp_path / "fresh").write_text(said)
        (tmp_path / "fresh").rename(tmp_path / "serve.json")

    later = threading.Timer(0.1, appears)
    later.start()
    asked.appear(str(tmp_path))
    later.join()
    assert asked.url == "http://127.0.0.1:4711"
    never = server.Server({}, str(tmp_path / "elsewhere"), time.monotonic() + 0.1)
    never.appear(str(tmp_path / "elsewhere"))  # its own time ends first
    assert never.url == ""


@pytest.mark.parametrize(("event", "starts"), [("session-start", True), ("prompt", False), ("stop", False)])
def test_only_a_sessions_start_has_it_started(
    event: str, starts: bool, tmp_path: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    data = tmp_path / "memory-wire"
    data.mkdir()
    (data / server.MARKER).touch()
    (data / "serve.json").write_text('{"addr": "127.0.0.1:9"}')
    inner, outer = os.pipe()
    os.write(outer, b'{"session_id": "s", "prompt": "where?", "last_assistant_message": "there, as I said before"}')
    os.close(outer)
    printed = Firing(event, None, "b", {"PATH": os.environ["PATH"]}, inner).output()
    os.close(inner)
    assert bool(printed) == starts
    if starts:
        assert os.wait()[1] == 0
        assert (tmp_path / "told").exists()
    else:
        with pytest.raises(ChildProcessError):
            os.wait()
