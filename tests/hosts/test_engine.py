"""What may happen to a file between connect and disconnect, and around both."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from memory_wire.hosts import engine, files, load
from memory_wire.hosts.base import Refused, Wiring
from memory_wire.hosts.files import Raced
from memory_wire.hosts.record import Record, opened, seen
from tests.hosts import plain
from tests.hosts.documents import documents
from tests.hosts.machine import Machine

OTHER = (1234, 1235) if os.geteuid() == 0 else (os.getuid(), os.getgid())  # another user, where we may act for one
REFERENCE = {"matcher": "", "hooks": [{"type": "command", "command": "/usr/local/bin/memory-wire hook stop", "timeout": 5}]}


@pytest.fixture
def settings_file(machine: Machine) -> Path:
    machine.have("gemini-cli")
    return machine.home / ".gemini" / "settings.json"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=documents())
def test_any_document_in_and_out(machine: Machine, text: str) -> None:
    """Whatever a settings file holds: it is refused whole, or gets all of ours, and is the same bytes after."""
    machine.have("gemini-cli")
    path = machine.home / ".gemini" / "settings.json"
    path.write_bytes(text.encode())
    record = Record(str(machine.data))
    host = load("gemini-cli")
    try:
        plan = engine.install(host, machine.env, record, machine.wiring)
    except Refused as refusal:
        assert "not an object" in refusal.reason
        assert path.read_bytes() == text.encode()
        return
    before, after = plain.load(text), plain.load((plan.changes[0].after or b"").decode())
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert after["mcpServers"]["memory-wire"]["command"] == machine.wiring.launcher
    assert {key: value for key, value in before.items() if key not in ("hooks", "mcpServers")} == {
        key: value for key, value in after.items() if key not in ("hooks", "mcpServers")
    }
    path.write_bytes(plan.changes[0].after or b"")
    engine.remember(plan, record)
    assert path not in [Path(change.path) for change in engine.install(host, machine.env, record, machine.wiring).changes]
    (change,) = engine.removal(host, machine.env, record, machine.wiring).changes
    assert (change.path, change.after) == (str(path), text.encode())


def test_another_launcher_is_replaced(machine: Machine, settings_file: Path) -> None:
    settings_file.write_text('{"hooks": {"Other": [1]}, // c\n}\n')
    before = machine.tree()
    machine.install("gemini-cli", bank="b")
    host, old = load("gemini-cli"), machine.wiring
    machine.wiring = Wiring("/else where/memory-wire")
    assert engine.wired(host, machine.env, seen(str(machine.data)), machine.wiring) == "partial"
    plan = machine.install("gemini-cli")
    assert plan.done == [
        *(f"hooks.{event} (replaced stale)" for event in ("SessionStart", "BeforeAgent", "AfterAgent", "PreCompress", "SessionEnd")),
        "mcpServers.memory-wire (replaced stale)",
    ]
    text = settings_file.read_text()
    assert text.count("'/else where/memory-wire' hook") == 5
    assert text.count("--bank b") == 5
    assert '"--bank",\n' in text
    assert old.launcher not in text
    machine.remove("gemini-cli")
    assert machine.tree() == before


def test_the_references_entries_are_taken_over(machine: Machine) -> None:
    """Those of an older installation, without a host's name, count as ours; nothing fires twice."""
    machine.have("claude-code")
    path = machine.home / ".claude" / "settings.json"
    path.write_text(json.dumps({"hooks": {"Stop": [REFERENCE, {"hooks": []}, REFERENCE]}}, indent=2))
    assert "hooks.Stop (replaced stale)" in machine.install("claude-code").done
    found = json.loads(path.read_text())["hooks"]["Stop"]
    assert len(found) == 2
    assert found[0]["hooks"][0]["command"].endswith("hook stop --host claude-code")
    machine.remove("claude-code")
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [{"hooks": []}]}}


def test_what_the_user_changed_stays(machine: Machine, settings_file: Path) -> None:
    machine.install("gemini-cli")
    text = settings_file.read_text()
    changed = text.replace('"timeout": 5000', '"timeout": 9000', 1)
    settings_file.write_text(changed)
    assert engine.wired(load("gemini-cli"), machine.env, seen(str(machine.data)), machine.wiring) == "yes"
    plan = machine.install("gemini-cli")
    assert (plan.changes, plan.left) == ([], ["hooks.SessionStart (changed since)"])
    machine.wiring = Wiring("/new/memory-wire")
    machine.install("gemini-cli")  # its launcher is brought up to date, its timeout is the user's
    hook = json.loads(settings_file.read_text())["hooks"]["SessionStart"][0]["hooks"][0]
    assert (hook["command"], hook["timeout"]) == ("/new/memory-wire hook session-start --host gemini-cli", 9000)
    plan = machine.remove("gemini-cli")
    assert plan.left == ["hooks.SessionStart (changed since)"]
    assert json.loads(settings_file.read_text()) == {"hooks": {"SessionStart": [{"hooks": [hook]}]}}
    assert not (machine.data / "connect.json").exists()


def test_what_the_user_added_stays(machine: Machine, settings_file: Path) -> None:
    """Members that a host or the user adds to our entry go with it; entries beside ours stay, in their places."""
    machine.install("gemini-cli")
    document = json.loads(settings_file.read_text())
    document["mcpServers"]["memory-wire"]["trust"] = True
    document["mcpServers"]["mine"] = {"command": "mine"}
    document["hooks"]["AfterAgent"].insert(0, {"hooks": []})
    document["ui"] = {"theme": "dark"}
    settings_file.write_text(json.dumps(document, indent=4))
    assert machine.install("gemini-cli").changes == []
    assert machine.remove("gemini-cli").left == []
    assert json.loads(settings_file.read_text()) == {
        "hooks": {"AfterAgent": [{"hooks": []}]},
        "mcpServers": {"mine": {"command": "mine"}},
        "ui": {"theme": "dark"},
    }


def test_somebody_elses_entry_of_our_name(machine: Machine, settings_file: Path) -> None:
    text = '{"mcpServers": {"memory-wire": {"url": "http://127.0.0.1:8888/mcp", "note": "memory-wire hook stop"}}}'
    settings_file.write_text(text)
    assert machine.install("gemini-cli").left == ["mcpServers.memory-wire (not ours)"]
    machine.remove("gemini-cli")
    assert settings_file.read_text() == text


def test_links_modes_and_owners(machine: Machine, settings_file: Path) -> None:
    kept = machine.home / "dotfiles" / "gemini settings.json"
    kept.parent.mkdir()
    kept.write_text("{}\n")
    kept.chmod(0o640)
    os.chown(kept, *OTHER)
    settings_file.symlink_to("../dotfiles/gemini settings.json")
    for act in (machine.install, machine.remove):
        act("gemini-cli")
        assert settings_file.is_symlink()
        status = kept.stat()
        assert (stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid) == (0o640, *OTHER)
    assert kept.read_text() == "{}\n"
    assert sorted(path.name for path in kept.parent.iterdir()) == [kept.name]


def test_what_is_refused_untouched(machine: Machine, settings_file: Path) -> None:
    settings_file.symlink_to("nowhere.json")
    refused(machine, "a link to nowhere")
    settings_file.unlink()
    settings_file.write_text("{}")
    settings_file.chmod(0o444)
    refused(machine, "read-only")
    assert settings_file.read_text() == "{}"
    settings_file.unlink()
    settings_file.write_bytes(b'{"a": "\xff"}')
    refused(machine, "not UTF-8")
    settings_file.unlink()
    settings_file.mkdir()
    refused(machine, "can't be read")


def refused(machine: Machine, why: str) -> None:
    with pytest.raises(Refused, match=f"{why}.*left untouched: .*settings.json"):
        machine.install("gemini-cli")


def test_all_of_a_host_or_nothing(machine: Machine) -> None:
    """The second file fails: the first is as it was, its folders too."""
    machine.have("copilot-cli")
    (machine.home / ".copilot" / "mcp-config.json").write_text("[]")
    before = machine.tree()
    with pytest.raises(Refused):
        machine.install("copilot-cli")
    assert machine.tree() == before
    (machine.home / ".copilot" / "mcp-config.json").unlink()
    before = machine.tree()

    def fail() -> None:
        assert (machine.home / ".copilot" / "hooks" / "memory-wire.json").exists()
        raise Refused("the check failed")

    with opened(str(machine.data)) as record:
        plan = engine.install(load("copilot-cli"), machine.env, record, machine.wiring)
        with pytest.raises(Refused, match="the check failed"):
            engine.apply(plan, machine.env, record, fail)
    assert machine.tree() == before
    assert not (machine.data / "connect.json").exists()


@pytest.mark.parametrize("act", ["install", "removal"])
def test_killed_on_the_way(act: str, machine: Machine) -> None:
    """A connect that dies with everything written, or a disconnect with everything gone: the next one makes it good, to the byte."""
    machine.have("copilot-cli", "codex")
    (machine.home / ".codex" / "config.toml").write_text("")
    before = machine.tree()
    for name in ("copilot-cli", "codex"):
        if act == "removal":
            machine.install(name)
        if os.fork() == 0:
            with opened(str(machine.data)) as record:
                plan = getattr(engine, act)(load(name), machine.env, record, machine.wiring)
                engine.apply(plan, machine.env, record, lambda: os._exit(9))
        assert os.wait()[1] == 9 << 8
        assert (machine.tree() == before) == (act == "removal")
        machine.install(name)
        machine.remove(name)
        assert machine.tree() == before


def test_root_makes_nothing_of_its_own(machine: Machine) -> None:
    """What connect makes under root in another user's home belongs to that user."""
    machine.have("codex")
    os.chown(machine.home / ".codex", *OTHER)
    os.chown(machine.home, *OTHER)
    machine.install("codex")
    machine.have("cline")
    machine.install("cline")
    made = [
        machine.home / ".codex" / "hooks.json",
        machine.home / "Documents" / "Cline" / "Hooks" / "TaskStart",
        machine.data / "connect.json",
    ]
    assert {(path.stat().st_uid, path.stat().st_gid) for path in [*made, machine.home / "Documents"]} == {OTHER}


def test_a_file_that_changes_meanwhile(machine: Machine, settings_file: Path) -> None:
    settings_file.write_text('{"a": 1}')
    with opened(str(machine.data)) as record:
        plan = engine.install(load("gemini-cli"), machine.env, record, machine.wiring)
        settings_file.write_text('{"a": 2}')
        with pytest.raises(Raced):
            engine.apply(plan, machine.env, record, lambda: None)
    assert settings_file.read_text() == '{"a": 2}'
    assert [path.name for path in settings_file.parent.iterdir()] == ["settings.json"]


def test_beside_a_host_that_writes(machine: Machine, settings_file: Path) -> None:
    """A host rewrites its file while connect and disconnect run: both get through, and nobody sees half a file."""
    settings_file.write_text('{"count": 0}\n')
    done = threading.Event()

    def host() -> None:
        while not done.wait(0.05):
            before = settings_file.read_bytes()
            document = json.loads(before)
            document["count"] += 1
            try:
                files.replace(str(settings_file), before, json.dumps(document).encode(), 0o644)
            except Raced:
                continue

    thread = threading.Thread(target=host)
    thread.start()
    try:
        for _ in range(10):
            for act in (machine.install, machine.remove):
                with_patience(act)
    finally:
        done.set()
        thread.join()
    machine.remove("gemini-cli")  # the host may have written what it had read before
    left = json.loads(settings_file.read_text())
    assert list(left) == ["count"]
    assert left["count"] > 0
    assert os.listdir(settings_file.parent) == ["settings.json"]


def with_patience(act: Callable[[str], object]) -> None:
    for _ in range(100):
        try:
            act("gemini-cli")
            return
        except Raced:
            continue
    raise AssertionError("never got through")


def test_a_large_file(machine: Machine) -> None:
    """Claude Code keeps its history in the file of its servers."""
    machine.have("claude-code")
    path = machine.home / ".claude.json"
    document = {
        "projects": {f"/work/{n}": {"history": [{"display": f'prompt {i} {{ // " }}', "n": i} for i in range(40)]} for n in range(300)}
    }
    path.write_text(json.dumps(document, indent=2))
    before = path.read_bytes()
    assert len(before) > 1_000_000
    machine.install("claude-code")
    assert json.loads(path.read_text())["projects"] == document["projects"]
    machine.remove("claude-code")
    assert path.read_bytes() == before
