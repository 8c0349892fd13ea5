"""The first key is made while hosts are wired: nothing of this machine falls silent, and what does is told with what mends it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.cli.commands import Machine
from tests.cli.test_doctor import findings, mended, one
from tests.cli.test_doctor import wired as connected

FACT = "The staging deploy waits for the harbour crane inspection."
PROMPT = "when does the staging deploy wait for the crane inspection?"
KEY = "mmw_"


@pytest.fixture
def wired(machine: Machine, addr: str) -> Machine:
    """A machine with a running server and Claude Code wired."""
    machine.out("retain", FACT, "--bank", "work")
    machine.out("daemon", "start", "--addr", addr)
    connected(machine)
    return machine


def talking(machine: Machine, *words: str) -> subprocess.Popen[str]:
    """`memory-wire WORDS` that is written to."""
    command = [sys.executable, "-P", "-m", "memory_wire", *words]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(command, cwd=machine.work, env=machine.env, text=True, **pipes)  # type: ignore[call-overload,no-any-return]


def fired(machine: Machine, session: str) -> str:
    """What the host gets for a prompt."""
    event = {"session_id": session, "prompt": PROMPT, "cwd": str(machine.home), "hook_event_name": "UserPromptSubmit"}
    with talking(machine, "hook", "prompt", "--host", "claude-code", "--bank", "work") as hook:
        return hook.communicate(json.dumps(event), timeout=30)[0]


def outcome(machine: Machine) -> str:
    return str(json.loads((machine.data / "hooks" / "claude-code.json").read_text())["outcome"])


def test_a_first_key_silences_nobody(wired: Machine) -> None:
    assert FACT in fired(wired, "before")
    with Stdio(wired) as agent:
        assert FACT in agent.recall()
        made = json.loads(wired.out("keys", "create", "for a friend", "--rights", "read", "--json"))
        assert made["key"]["key"].startswith(KEY) and made["key_file"] == str(wired.data / "memory.db.key")
        assert made["hosts_without_key"] == []
        assert (wired.data / "memory.db.key").stat().st_mode & 0o777 == 0o600
        assert FACT in agent.recall()  # a process from before takes the key up
    assert FACT in fired(wired, "after") and outcome(wired) == "injected"
    assert FACT in wired.out("recall", "harbour crane", "--bank", "work")
    assert FACT in json.dumps(json.loads(wired.out("recall", "harbour crane", "--bank", "work", "--json")))
    rows = json.loads(wired.out("keys", "--json"))["keys"]
    assert [row["label"] for row in rows] == ["this machine", "for a friend"] and KEY not in json.dumps(rows)
    assert wired.out("keys").split("\n")[0].split() == ["id", "label", "rights", "project", "member", "state", "expires"]
    assert wired.out("keys", "--help").startswith("memory-wire keys [ACTION] [LABEL|ID]  [options]\n")
    assert not [finding for finding in findings(wired) if "refused" in finding["text"]]


def test_a_refused_hook_is_told_and_mended(wired: Machine) -> None:
    wired.out("keys", "create", "for a friend")
    (wired.data / "memory.db.key").unlink()
    assert FACT not in fired(wired, "one") and outcome(wired).startswith("refused: a key is needed")
    finding = one(wired, "the server refused its last hook")
    assert (finding["level"], finding["mend"]) == ("error", "memory-wire connect claude-code")
    done = wired.run("recall", "harbour", "--bank", "work")
    assert done.returncode == 1 and "a key is needed" in done.stderr and done.stderr.count("\n") == 1
    assert "programs and hooks have one" in mended(wired, finding)
    assert FACT in fired(wired, "two") and outcome(wired) == "injected"
    assert not [finding for finding in findings(wired) if "refused" in finding["text"]]


def test_hosts_that_find_no_key_are_named(wired: Machine) -> None:
    """The store of the server is another one than the hosts look beside for a key."""
    made = json.loads(wired.out("keys", "create", "elsewhere", "--db", str(wired.home / "other.db"), "--json"))
    assert made["hosts_without_key"] == ["claude-code"]


def test_a_revoked_machine_gets_a_new_key(wired: Machine) -> None:
    wired.out("keys", "create", "for a friend")
    mine, _ = json.loads(wired.out("keys", "--json"))["keys"]
    assert wired.out("keys", "revoke", mine["id"]) == "revoked\n"
    assert wired.run("banks").returncode == 1
    assert FACT not in fired(wired, "one")
    wired.out("connect", "claude-code")
    assert FACT in fired(wired, "two")


class Stdio:
    """`memory-wire mcp` as a host keeps it running."""

    def __init__(self, machine: Machine) -> None:
        self.process = talking(machine, "mcp", "--bank", "work")
        self.count = 0
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        self.ask("initialize", about)

    def ask(self, method: str, params: dict[str, Any]) -> str:
        self.count += 1
        process = self.process
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}) + "\n")
        process.stdin.flush()
        return process.stdout.readline()

    def recall(self) -> str:
        return self.ask("tools/call", {"name": "memory_recall", "arguments": {"query": "harbour crane"}})

    def __enter__(self) -> Stdio:
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
