"""`doctor`: a finding for each thing that can be wrong, with a command that really mends it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from memory_wire.hosts import NAMES
from tests.cli.commands import Machine


def findings(machine: Machine, *words: str, **env: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(machine.out("doctor", "--json", *words, **env))["findings"]
    return found


def one(machine: Machine, text: str, *words: str, **env: str) -> dict[str, Any]:
    """The finding that says so; there must be exactly one."""
    found = [finding for finding in findings(machine, *words, **env) if text in finding["text"]]
    assert len(found) == 1, (text, findings(machine, *words, **env))
    return found[0]


def mended(machine: Machine, finding: dict[str, Any]) -> str:
    """Runs the command of a finding."""
    program, *words = shlex.split(finding["mend"])
    assert program == "memory-wire"
    return machine.out(*words)


def test_the_contracts_lines(machine: Machine, addr: str) -> None:
    machine.out("retain", "x")
    machine.out("daemon", "start", "--addr", addr)
    lines = dict(line.split(maxsplit=1) for line in machine.out("doctor").splitlines()[:6])
    assert list(lines) == ["endpoint", "bank", "store", "banks", "memories", "server"]
    assert lines["endpoint"] == f"http://{addr}" and lines["server"].startswith("up")
    assert lines["store"].startswith(f"{machine.data / 'memory.db'}  (") and lines["store"].endswith(", ok)")
    assert (lines["banks"], lines["memories"]) == ("2", "1")


def test_a_fresh_machine(machine: Machine) -> None:
    done = machine.run("doctor")
    assert done.returncode == 0 and "store     " in done.stdout and "missing" in done.stdout and "server    down: " in done.stdout
    assert not machine.data.exists()
    strict = machine.run("doctor", "--strict")
    assert strict.returncode == 1 and "server is down" in strict.stderr and strict.stderr.count("\n") == 1


def test_what_is_well_is_well(machine: Machine, addr: str) -> None:
    machine.out("retain", "x")
    machine.out("daemon", "start", "--addr", addr)
    report = json.loads(machine.out("doctor", "--json", "--strict"))
    assert report["ok"] is True and report["down"] == "" and report["store"]["state"] == "ok"
    assert {"python", "uvloop", "msgspec", "httptools", "sqlite", "memory-wire"} == set(report["versions"])
    assert not [finding for finding in report["findings"] if finding["level"] == "error"]


def test_a_server_that_is_down(machine: Machine, addr: str) -> None:
    finding = one(machine, "no server runs")
    assert finding["mend"] == "memory-wire daemon start"
    machine.out("daemon", "start", "--addr", addr)
    pid = machine.said()["pid"]
    os.kill(pid, 9)
    time.sleep(0.3)
    finding = one(machine, f"no such process: {pid}")
    mended(machine, finding)
    assert not machine.state.exists()


def test_a_port_that_somebody_else_has(machine: Machine) -> None:
    code = """
from http.server import BaseHTTPRequestHandler, HTTPServer
server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
print(server.server_port, flush=True)
server.serve_forever()
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as stranger:
        assert stranger.stdout is not None
        port = int(stranger.stdout.readline())
        machine.data.mkdir(parents=True)
        machine.state.write_text(json.dumps({"pid": 1 << 22, "addr": f"127.0.0.1:{port}", "db": "x", "started_at": 1}))
        finding = one(machine, f"port {port} is taken by process {stranger.pid} (")
        assert finding["level"] == "error" and "--addr" in finding["mend"]
        assert machine.run("doctor", "--strict").returncode == 1
        stranger.kill()


def test_a_corrupt_state_file(machine: Machine) -> None:
    machine.data.mkdir(parents=True)
    machine.state.write_text("{")
    assert one(machine, "serve.json can't be read")["mend"] == "memory-wire daemon start"


def test_the_servers_store_is_looked_at(machine: Machine, addr: str) -> None:
    other = machine.root / "other.db"
    machine.out("retain", "elsewhere", "--db", str(other))
    machine.out("daemon", "start", "--addr", addr, "--db", str(other))
    report = json.loads(machine.out("doctor", "--json"))
    assert report["store"]["path"] == str(other)
    assert one(machine, "not the default store")["level"] == "note"
    assert json.loads(machine.out("doctor", "--json", "--db", str(machine.root / "third.db")))["store"]["state"] == "missing"


def test_both_halves_of_the_store_are_verified(machine: Machine) -> None:
    lines = ['{"format":"memory-wire","version":1}', '{"bank":"b"}']
    for number in range(200):
        id = f"00000000-0000-4000-8000-{number:012}"
        lines.append(json.dumps({"memory": id, "content": f"note {number} of the falcon", "created_at": "2026-01-01T00:00:00.000Z"}))
    (machine.root / "all.jsonl").write_text("\n".join(lines))
    machine.out("import", str(machine.root / "all.jsonl"))
    machine.out("reindex")
    [segment] = [path for path in machine.data.glob("memory.db.index/*/*") if path.stat().st_size > 5_000]
    damaged = bytearray(segment.read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    segment.write_bytes(damaged)
    finding = next(finding for finding in findings(machine) if finding["text"].startswith("bank b: segment "))
    assert finding["level"] == "error" and machine.run("doctor", "--strict").returncode == 1
    mended(machine, finding)
    assert not [each for each in findings(machine) if each["level"] == "error"]
    with sqlite3.connect(machine.data / "memory.db") as database:
        database.execute("UPDATE bank SET tally_count = tally_count + 1 WHERE name = 'b'")
    database.close()
    assert one(machine, "tallies")["level"] == "error"


def test_a_store_that_cannot_be_read(machine: Machine) -> None:
    machine.data.mkdir(parents=True)
    (machine.data / "memory.db").write_bytes(b"no database at all " * 100)
    assert one(machine, "can't be read")["level"] == "error"
    strict = machine.run("doctor", "--strict")
    assert strict.returncode == 1 and "can't be read" in strict.stderr


def test_banks_that_were_left_behind(machine: Machine) -> None:
    machine.out("retain", "from before", "--bank", "elsewhere")
    finding = one(machine, "is empty; elsewhere holds 1 memories")
    assert "MEMORY_WIRE_BANK=elsewhere" in finding["mend"]
    machine.out("retain", "of the folder's name", "--bank", machine.work.name)
    finding = one(machine, "former bank")
    mended(machine, finding)
    assert machine.out("recall", "folder").count("\n") == 1
    assert not [each for each in findings(machine) if "bank" in each["text"]]


def copied(machine: Machine) -> Path:
    """A second installation of the package."""
    shutil.copytree(Path(machine.env["PYTHONPATH"]) / "memory_wire", machine.root / "lib" / "memory_wire")
    return machine.root / "lib"


def test_a_server_older_than_its_package(machine: Machine, addr: str) -> None:
    copy = copied(machine)
    env = {"PYTHONPATH": str(copy)}
    machine.out("daemon", "start", "--addr", addr, **env)
    assert not [finding for finding in findings(machine, **env) if "older" in finding["text"]]
    later = time.time() + 60
    os.utime(copy / "memory_wire" / "types.py", (later, later))
    assert one(machine, "is older than what is installed", **env)["mend"] == "memory-wire daemon restart"
    assert one(machine, "the server runs another installation")["mend"] == "memory-wire daemon restart"


def test_modules_that_are_not_compiled(machine: Machine) -> None:
    copy = copied(machine)
    for cached in copy.rglob("*.pyc"):
        cached.unlink()
    env = {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    finding = one(machine, "are not compiled", **env)
    program, *words = shlex.split(finding["mend"])
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    assert program == "python" and not [each for each in findings(machine, **env) if "compiled" in each["text"]]


def test_levels_that_are_off(machine: Machine) -> None:
    assert one(machine, "launch, packages, tls, library, loop is off", MEMORY_WIRE_SLIM="0")["mend"] == "unset MEMORY_WIRE_SLIM"
    assert one(machine, "MEMORY_WIRE_SLIM is 0, 1 or a list", MEMORY_WIRE_SLIM="nonsense")


def test_captures_that_wait(machine: Machine, addr: str) -> None:
    from memory_wire.hooks import spool

    turn = {
        "event": "stop",
        "session": "s",
        "turns": [{"user": "why did we choose postgres?", "assistant": "for row level security, and for json"}],
    }
    spool.add(str(machine.data), "", "/v1/banks/kept/capture", json.dumps(turn).encode())
    finding = one(machine, "1 captures wait")
    assert finding["mend"] == "memory-wire daemon start"
    with machine.start("serve", "--addr", addr) as server:
        while not machine.state.exists():
            time.sleep(0.02)
        assert one(machine, "delivered from the spool")["level"] == "note"
        assert not [each for each in findings(machine) if "captures" in each["text"]]
        server.terminate()
        server.communicate()


def test_a_server_named_by_the_environment(machine: Machine) -> None:
    finding = one(machine, "no server at MEMORY_WIRE_URL", MEMORY_WIRE_URL="http://127.0.0.1:1")
    assert finding["level"] == "error"
    assert finding["mend"] == "unset MEMORY_WIRE_URL, or `memory-wire daemon start --addr 127.0.0.1:1` to start one there"
    elsewhere = one(machine, "no server at MEMORY_WIRE_URL", MEMORY_WIRE_URL="http://192.0.2.1:1")
    assert elsewhere["mend"] == "unset MEMORY_WIRE_URL"
    said = machine.run("recall", "x", MEMORY_WIRE_URL="http://127.0.0.1:1")
    assert said.returncode == 1 and finding["mend"] in said.stderr


def wired(machine: Machine) -> Path:
    """The launcher of this machine, with Claude Code and Cursor on it, one of them connected."""
    program = machine.root / "bin" / "memory-wire"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m memory_wire "$@"\n')
    program.chmod(0o755)
    machine.env["PATH"] = f"{program.parent}:/usr/bin:/bin"
    (machine.home / ".claude").mkdir()
    (machine.home / ".cursor").mkdir()
    machine.out("connect", "claude-code", "--no-daemon")
    return program


def hosts(machine: Machine, *words: str) -> dict[str, dict[str, Any]]:
    return {host["name"]: host for host in json.loads(machine.out("doctor", "--json", *words))["hosts"]}


def test_every_hosts_wiring_and_last_firing(machine: Machine) -> None:
    program = wired(machine)
    found = hosts(machine)
    assert {name: (host["wired"], host["fired_at"]) for name, host in found.items()} == {"claude-code": ("yes", 0), "cursor": ("no", 0)}
    assert one(machine, "cursor is on this machine, but not wired")["mend"] == "memory-wire connect cursor"
    assert len(hosts(machine, "--all-hosts")) == len(NAMES)
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(machine.work), "prompt": "why did we choose postgres?"}
    words = [str(program), "hook", "prompt", "--host", "claude-code"]
    subprocess.run(words, input=json.dumps(payload), env=machine.env, text=True, check=True, capture_output=True)
    last = hosts(machine)["claude-code"]
    assert last["event"] == "prompt" and abs(last["fired_at"] - time.time()) < 60 and last["outcome"]
    assert "prompt just now: " in machine.out("doctor")


def test_hosts_that_are_wired_to_what_does_not_work(machine: Machine) -> None:
    program = wired(machine)
    program.write_text("#!/bin/sh\nexit 1\n")
    assert one(machine, "claude-code: the hook command ended with status 1")["mend"] == "memory-wire connect claude-code"
    settings = machine.home / ".claude" / "settings.json"
    settings.write_text(settings.read_text().replace(" hook stop", " hook nothing"))
    assert one(machine, "claude-code is wired in part")["mend"] == "memory-wire connect claude-code"


def test_a_launcher_that_is_gone(machine: Machine) -> None:
    program = wired(machine)
    other = machine.root / "other bin" / "memory-wire"
    other.parent.mkdir()
    program.rename(other)
    machine.env["PATH"] = f"{other.parent}:/usr/bin:/bin"
    finding = one(machine, f"claude-code runs {program}, which is not there")
    assert (finding["level"], finding["mend"]) == ("error", "memory-wire connect claude-code")
    assert not [each for each in findings(machine) if "wired in part" in each["text"]]
    machine.out("connect", "claude-code", "--no-daemon")
    assert not [each for each in findings(machine) if "which is not there" in each["text"]]


def test_hosts_without_hooks_never_fire(machine: Machine) -> None:
    program = wired(machine)
    (machine.home / ".config" / "zed").mkdir(parents=True)
    machine.out("connect", "zed", "--no-daemon")
    assert (hosts(machine)["zed"]["hooks"], hosts(machine)["claude-code"]["hooks"]) == (False, True)
    row = next(line for line in machine.out("doctor").splitlines() if " zed " in line)
    assert row.endswith("no hooks") and program.exists()


def test_the_count_is_of_the_bank_shown(machine: Machine) -> None:
    machine.out("retain", "one", "--bank", "a")
    machine.out("retain", "two", "--bank", "b")
    lines = dict(line.split(maxsplit=1) for line in machine.out("doctor", "--bank", "a").splitlines()[:6])
    assert (lines["bank"].split()[0], lines["memories"]) == ("a", "1")


def test_a_server_that_no_state_file_names(machine: Machine, addr: str) -> None:
    with machine.start("serve", "--addr", addr, "--db", str(machine.root / "other.db")) as server:
        while not (machine.root / "serve.json").exists():
            time.sleep(0.02)
        machine.data.mkdir(parents=True)
        machine.state.write_text(json.dumps({"pid": 1 << 22, "addr": addr, "db": "x", "started_at": 1}))
        finding = one(machine, f"the server at http://{addr} is not proved to be this user's, it is process {server.pid} (")
        assert finding["level"] == "error" and finding["mend"].startswith("memory-wire daemon start --addr ")
        done = machine.run("doctor", "--strict")
        assert done.returncode == 1 and "nothing wrong" not in done.stdout and "is not proved to be this user's" in done.stdout
        server.terminate()
        server.communicate()


def test_a_folder_that_cannot_be_written(machine: Machine) -> None:
    blocked = machine.root / "file"
    blocked.write_text("")
    finding = one(machine, f"{blocked} can't be written", XDG_DATA_HOME=str(blocked))
    assert finding["level"] == "error" and "XDG_DATA_HOME" in finding["mend"]
    assert machine.run("doctor", "--strict", XDG_DATA_HOME=str(blocked)).returncode == 1


def test_a_write_ahead_log_that_is_held_back(machine: Machine) -> None:
    from memory_wire import Memory

    db = machine.data / "memory.db"
    with Memory(db, sync="normal") as store:
        store.retain("x", bank="b")
        with sqlite3.connect(db) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM unit").fetchone()
            for number in range(36):
                store.retain(f"{number}{'x' * 999_000}", bank="b")
            finding = one(machine, "a reader holds it back")
            assert finding["level"] == "warning" and f"{db}-wal" in finding["text"]
            reader.rollback()
        reader.close()
    assert not [each for each in findings(machine) if "holds it back" in each["text"]]
