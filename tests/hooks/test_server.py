"""Where the server is, its key, and how a hook has it started."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from memory_wire.config import DEFAULT_ADDR
from memory_wire.hooks import server
from memory_wire.hooks.run import Firing


def test_the_address(tmp_path: Path) -> None:
    assert server.Server({}, str(tmp_path), 0).url == f"http://{DEFAULT_ADDR}"
    (tmp_path / "serve.json").write_text('{"addr": "127.0.0.1:4711", "pid": 1}')
    found = server.Server({}, str(tmp_path), 0)
    assert (found.url, found.target) == ("http://127.0.0.1:4711", "")
    (tmp_path / "serve.json").write_text('{"addr": "unix:///run/mw.sock"}')
    assert server.Server({}, str(tmp_path), 0).url == "unix:///run/mw.sock"
    for broken in ("", "[", '{"addr": 5}'):
        (tmp_path / "serve.json").write_text(broken)
        assert server.Server({}, str(tmp_path), 0).url == f"http://{DEFAULT_ADDR}"
    named = server.Server({"MEMORY_WIRE_URL": "http://10.0.0.1:1"}, str(tmp_path), 0)
    assert (named.url, named.target) == ("http://10.0.0.1:1", "http://10.0.0.1:1")


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
