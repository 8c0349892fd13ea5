"""connect and disconnect as a user runs them: words, lines, exit statuses, backups, the server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memory_wire.hosts import NAMES
from tests.hosts.machine import HERE, Machine

CLAUDE = "hooks.SessionStart, hooks.UserPromptSubmit, hooks.Stop, hooks.PreCompact, hooks.SessionEnd, mcpServers.memory-wire, command"
STAMP = r"-\d{8}-\d{6}(-\d+)?"


def lines(done: subprocess.CompletedProcess[str], status: int = 0) -> list[str]:
    assert (done.returncode, done.stderr) == (status, "")
    return done.stdout.splitlines()


def test_all_hosts_in_and_out(machine: Machine) -> None:
    """The default run needs nothing but the base install: neither tomlkit nor ruamel.yaml may be imported."""
    machine.have(*HERE)
    (machine.home / "site").mkdir()
    for name in ("tomlkit", "ruamel"):
        (machine.home / "site" / f"{name}.py").write_text("raise ImportError\n")
    (machine.home / ".hermes" / "config.yaml").write_text("memory:\n  provider: other\n")
    before = machine.tree()
    found = lines(machine.run("connect", "--no-daemon", PYTHONPATH=str(machine.home / "site")))
    report = {line.split()[0]: line for line in found[: len(NAMES) - 1]}
    assert list(report) == [name for name in NAMES if name != "hermes"]
    assert report["claude-code"] == f"{'claude-code':<12} {'wired':<13} {CLAUDE}"
    assert {name for name, line in report.items() if line[13:26].strip() == "wired"} == set(HERE) - {"hermes"}
    assert any(line.startswith("hermes is wired on request only") for line in found)
    assert "Codex: approve the hooks once with /hooks" in found
    wired = machine.tree()
    again = lines(machine.run("connect", "--no-daemon"))
    assert {line.split()[1] for line in again[: len(NAMES) - 1]} == {"already-wired"}
    assert again[0] == f"{'claude-code':<12} already-wired -"
    assert machine.tree() == wired
    gone = lines(machine.run("disconnect", PYTHONPATH=str(machine.home / "site")))
    assert f"{'hermes':<12} {'skipped':<13} not wired" in gone
    pruned = ", ".join(f"{label} (pruned)" for label in CLAUDE.split(", "))
    assert re.fullmatch(
        rf"claude-code  unwired       {re.escape(pruned)}  \(backup: {re.escape(str(machine.data))}/backups/claude-code{STAMP}\)", gone[0]
    )
    assert machine.tree() == before


def test_list(machine: Machine) -> None:
    machine.have("claude-code", "cursor")
    lines(machine.run("connect", "cursor", "--no-daemon"))
    hooks = machine.home / ".cursor" / "hooks.json"
    hooks.write_text(hooks.read_text().replace("beforeSubmitPrompt", "other"))
    found = lines(machine.run("connect", "--list"))
    assert len(found) == len(NAMES)
    assert found[0] == f"{'claude-code':<12} detected=yes wired=no"
    assert found[1] == f"{'codex':<12} detected=no wired=no"
    assert f"{'cursor':<12} detected=yes wired=partial" in found
    assert json.loads(machine.run("connect", "--list", "--json").stdout)[3] == {"host": "cursor", "detected": True, "wired": "partial"}


def test_dry_run(machine: Machine) -> None:
    machine.have("windsurf")
    path = machine.home / ".codeium" / "windsurf" / "hooks.json"
    path.write_text('{"hooks": {}}')
    before = machine.tree()
    found = lines(machine.run("connect", "windsurf", "--dry-run", "--addr", "127.0.0.1:4711"))
    assert any(line.startswith("would start the server at http://127.0.0.1:4711") for line in found)
    assert not any("would start" in line for line in lines(machine.run("connect", "windsurf", "--dry-run", "--no-daemon")))
    assert lines(machine.run("connect", "--list", "--dry-run")) == lines(machine.run("connect", "--list"))
    assert found[0].startswith(f"{'windsurf':<12} {'would-wire':<13} hooks.pre_user_prompt, ")
    assert f"+++ {path}" in found
    assert '-{"hooks": {}}' in found
    assert machine.tree() == before
    assert not (machine.data / "connect.json").exists()
    assert not (machine.data / "autostart").exists()
    lines(machine.run("connect", "windsurf", "--no-daemon"))
    wired = machine.tree()
    assert lines(machine.run("disconnect", "windsurf", "--dry-run"))[0].startswith(f"{'windsurf':<12} {'would-unwire':<13} ")
    assert machine.tree() == wired


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["connect", "--list", "cursor"], 1, "--list takes no host; `memory-wire connect <host>` wires one"),
        (["connect", "--list", "--uninstall"], 1, "--list wires nothing; drop it to make a change"),
        (["connect", "--list", "--addr", "127.0.0.1:1"], 1, "--list wires nothing; drop it to make a change"),
        (["connect", "--uninstall", "--addr", "127.0.0.1:1"], 1, "--addr is for the server that connect starts; drop it"),
        (["connect", "claude"], 2, "unknown host 'claude'; did you mean claude-code? hosts are "),
        (["connect", "windsrf"], 2, "did you mean windsurf? "),
        (["connect", "--list", "--bank", "b"], 1, "--list wires nothing; drop it to make a change"),
        (["connect", "--uninstall", "--bank", "b"], 1, "drop --bank"),
        (["connect", "--guidelines", "cursor"], 1, "--guidelines is about this folder"),
        (["connect", "emacs"], 2, "unknown host 'emacs'; hosts are claude-code, codex, "),
        (["connect", "cursor,emacs"], 2, "unknown host 'emacs'"),
        (["connect", ", "], 2, "the name of a host is empty"),
        (["connect", "--bank", ""], 2, "--bank needs a name, not a blank one"),
        (["connect", "--bank", "b" * 513], 2, "--bank is a name of 1 to 512 characters"),
        (["disconnect", "--bank", "b"], 2, "unknown option --bank"),
    ],
)
def test_words_that_do_not_fit(machine: Machine, words: list[str], status: int, said: str) -> None:
    done = machine.run(*words)
    assert done.returncode == status
    assert said in done.stderr
    assert machine.tree() == {}


def test_names_may_repeat(machine: Machine) -> None:
    machine.have("cursor", "zed")
    found = lines(machine.run("connect", "zed,cursor", "cursor zed", "--no-daemon"))
    assert [line.split()[0] for line in found[:3] if line] == ["cursor", "zed"]


def test_bank_stays_when_none_is_given(machine: Machine) -> None:
    machine.have("cursor", "codex")
    lines(machine.run("connect", "--bank", "the bank", "--no-daemon"))
    wired = machine.tree()
    assert b"--bank 'the bank'" in b"".join(content for _, content in wired.values())
    lines(machine.run("connect", "--no-daemon"))
    assert machine.tree() == wired
    assert "(replaced stale)" in lines(machine.run("connect", "cursor", "--bank", "other", "--no-daemon"))[0]
    assert b"the bank" not in (machine.home / ".cursor" / "mcp.json").read_bytes()


def test_backups(machine: Machine) -> None:
    machine.have("claude-code")
    settings, servers = machine.home / ".claude" / "settings.json", machine.home / ".claude.json"
    settings.write_text('{"a": 1}')
    found = lines(machine.run("connect", "claude-code", "--no-daemon"))[0]
    folder = Path(found.partition("(backup: ")[2].removesuffix(")"))
    assert re.fullmatch(f"claude-code{STAMP}", folder.name)
    assert (folder / ".claude" / "settings.json").read_text() == '{"a": 1}'
    assert not (folder / ".claude.json").exists()
    assert servers.exists()
    assert oct(folder.stat().st_mode & 0o077) == "0o0"
    assert machine.run("connect", "claude-code", "--no-daemon").stdout.count("backup") == 0


def test_json(machine: Machine) -> None:
    machine.have("zed")
    (machine.home / ".config" / "zed" / "settings.json").write_text("{ // mine\n}")
    found = json.loads(machine.run("connect", "zed", "pi", "--no-daemon", "--json").stdout)
    assert [(host["host"], host["outcome"], host["changed"]) for host in found["hosts"]] == [
        ("pi", "skipped", []),
        ("zed", "wired", ["context_servers.memory-wire", "rule"]),
    ]
    assert Path(found["hosts"][1]["backup"]).is_dir()


def test_a_hook_that_fails_is_put_back(machine: Machine) -> None:
    machine.have("claude-code", "zed")
    broken = machine.program(machine.home / "bin" / "broken" / "memory-wire", 'if sys.argv[1] == "hook": sys.exit("no module named x")')
    before = machine.tree()
    done = machine.run("connect", "claude-code", "zed", "--no-daemon", program=broken)
    assert done.returncode == 1
    assert done.stdout.splitlines()[0].startswith(f"{'claude-code':<12} FAILED        the hook command ended with status 1: ")
    assert "(no module named x)" in done.stdout
    assert "zed          wired" in done.stdout  # one host's failure stops no other
    lines(machine.run("disconnect"))
    assert machine.tree() == before
    chatty = machine.program(machine.home / "bin" / "chatty" / "memory-wire", 'if sys.argv[1] == "hook": sys.exit(print("hello"))')
    assert "printed no JSON" in machine.run("connect", "claude-code", "--no-daemon", program=chatty).stdout
    assert machine.tree() == before


def test_many_at_once(machine: Machine) -> None:
    machine.have("claude-code", "codex", "gemini-cli")
    before = machine.tree()
    words = [str(machine.launcher), "connect", "--no-daemon"]
    running = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=machine.variables, cwd=machine.work) for _ in range(5)]
    verbs = [
        line.split()[1] for process in running for line in process.communicate(timeout=120)[0].splitlines() if line.startswith("codex ")
    ]
    assert sorted(verbs) == ["already-wired"] * 4 + ["wired"]
    assert [process.returncode for process in running] == [0] * 5
    assert (machine.home / ".claude" / "settings.json").read_text().count("hook stop --host") == 1
    running = [
        subprocess.Popen([*words[:1], word, *more], stdout=subprocess.DEVNULL, env=machine.variables, cwd=machine.work)
        for word, *more in (("disconnect",), ("connect", "--no-daemon"), ("disconnect",))
    ]
    assert [process.wait(120) for process in running] == [0] * 3
    lines(machine.run("disconnect"))
    assert machine.tree() == before


def test_a_cached_launcher_is_refused(machine: Machine) -> None:
    machine.have("cursor")
    folder = machine.home / ".cache" / "uv" / "archive-v0" / "x" / "bin"
    cached = machine.program(folder / "memory-wire", f"sys.executable = {str(folder / 'python')!r}")
    done = machine.run("connect", "cursor", "--no-daemon", program=cached)
    assert done.returncode == 0
    assert machine.served("cursor")["command"] == str(machine.launcher)  # the one on PATH is there to stay
    done = machine.run("connect", "cursor", "--no-daemon", program=cached, PATH="/usr/bin:/bin")
    assert (done.returncode, done.stdout) == (1, "")
    assert "is in a cache; install it to stay" in done.stderr


def test_the_switchable_launcher_comes_first(machine: Machine) -> None:
    machine.have("cursor")
    lines(machine.run("connect", "cursor", "--no-daemon"))
    switch = machine.program(machine.data / "bin" / "memory-wire")
    assert "(replaced stale)" in lines(machine.run("connect", "cursor", "--no-daemon"))[0]
    assert machine.served("cursor")["command"] == str(switch)


def test_a_linked_launcher_is_named_by_its_link(machine: Machine) -> None:
    machine.have("cursor")
    link = machine.home / "linked" / "memory-wire"
    link.parent.mkdir()
    link.symlink_to(machine.launcher)
    lines(machine.run("connect", "cursor", "--no-daemon", program=link))
    assert machine.served("cursor")["command"] == str(link)


def test_the_server_is_started_once(machine: Machine) -> None:
    machine.have("cursor", "zed")
    try:
        (said,) = [line for line in lines(machine.run("connect", "cursor", "--addr", "127.0.0.1:0")) if line.startswith("server ")]
        assert re.fullmatch(r"server started at http://127\.0\.0\.1:\d+", said)
        assert (machine.data / "autostart").exists()
        assert said.replace("started", "answers") in lines(machine.run("connect", "zed"))
        lines(machine.run("disconnect", "zed"))
        assert (machine.data / "autostart").exists()
        (left,) = [line for line in lines(machine.run("disconnect", "cursor")) if line.startswith("the server still runs")]
        assert "`memory-wire daemon stop`" in left
        assert not (machine.data / "autostart").exists()
        machine.run("daemon", "stop")
        assert not any("still runs" in line for line in lines(machine.run("disconnect")))
        assert any(re.match(r"server started at http://127\.0\.0\.1:\d+", line) for line in lines(machine.run("connect", "cursor")))
        assert json.loads((machine.data / "daemon.json").read_text()) == {"addr": "127.0.0.1:0"}  # remembered
    finally:
        machine.run("daemon", "stop")


def test_a_named_server_is_not_started(machine: Machine) -> None:
    machine.have("cursor")
    found = lines(machine.run("connect", "cursor", MEMORY_WIRE_URL="http://127.0.0.1:9"))
    assert any(line.startswith("server at http://127.0.0.1:9 does not answer") for line in found)


def test_no_daemon_leaves_no_mark(machine: Machine) -> None:
    machine.have("cursor")
    machine.have("zed")
    lines(machine.run("connect", "--no-daemon"))
    lines(machine.run("disconnect", "zed"))
    assert not (machine.data / "autostart").exists()


def test_hermes_without_its_yaml_editor(machine: Machine) -> None:
    """Only an edit needs it; where nothing of ours is, there is nothing to edit."""
    machine.have("hermes")
    config = machine.home / ".hermes" / "config.yaml"
    config.write_text("memory:\n  provider: other\n")
    bare = machine.program(machine.home / "bare" / "memory-wire", "sys.modules['ruamel'] = sys.modules['ruamel.yaml'] = None")
    before = machine.tree()
    (said,) = [line for line in lines(machine.run("disconnect", "hermes", program=bare)) if line.startswith("hermes")]
    assert said.split()[1:] == ["skipped", "not", "wired"]
    done = machine.run("connect", "hermes", "--no-daemon", program=bare)
    assert done.returncode == 1 and f"`{sys.executable} -m pip install ruamel.yaml`" in done.stdout
    assert {name: content for name, content in machine.tree().items() if not name.startswith("bare")} == {
        name: content for name, content in before.items() if not name.startswith("bare")
    }


def test_a_home_that_cannot_be_written(machine: Machine) -> None:
    machine.have("cursor")
    blocked = machine.home / "file"
    blocked.write_text("")
    done = machine.run("connect", "cursor", XDG_DATA_HOME=str(blocked))
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"memory-wire: {blocked}")
    assert os.listdir(machine.home / ".cursor") == []


def test_a_shared_file_goes_with_the_last(machine: Machine) -> None:
    machine.have("copilot-cli", "vscode")
    before = machine.tree()
    lines(machine.run("connect", "--no-daemon"))
    assert not any("needed by" in line for line in lines(machine.run("disconnect")))
    assert machine.tree() == before
