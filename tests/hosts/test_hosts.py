"""Every host: wired, verified, fired with recorded payloads, and taken out without a trace, whatever was in its files."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from bench.footprint.server import Server
from memory_wire import framing
from memory_wire.hosts import engine, files, load
from memory_wire.hosts.base import Refused, Trace
from memory_wire.hosts.entries import Json
from memory_wire.hosts.record import opened, seen
from tests.hooks.payloads import PAYLOADS, payload
from tests.hosts import plain, samples
from tests.hosts.machine import HERE, Machine

HOOKED = [name for name in HERE if load(name).probe and name != "vscode"]


@pytest.mark.parametrize("kind", samples.KINDS)
@pytest.mark.parametrize("name", HERE)
def test_in_and_out_again(name: str, kind: str, machine: Machine) -> None:
    machine.have(name)
    samples.fill(machine.slots(name), kind)
    before = machine.tree()
    plan = machine.install(name)
    assert plan.changes
    assert plan.left == []
    host = load(name)
    assert engine.wired(host, machine.env, seen(str(machine.data)), machine.wiring) == "yes"
    wired = machine.tree()
    assert machine.install(name).changes == []
    assert machine.tree() == wired
    assert machine.install(name, bank="b c").changes
    assert machine.tree() != wired
    assert machine.install(name).changes == []  # the bank stays
    assert machine.remove(name).left == []
    assert machine.tree() == before
    assert machine.remove(name).changes == []


@pytest.mark.parametrize("kind", ["typical", "commented", "compact"])
@pytest.mark.parametrize("name", HERE)
def test_foreign_entries_stay(name: str, kind: str, machine: Machine) -> None:
    machine.have(name)
    slots = machine.slots(name)
    written = [path for path in samples.fill(slots, kind) if path.endswith(".json")]
    before = {path: plain.load(Path(path).read_text()) for path in written}
    machine.install(name)
    for path in written:
        value = plain.load(Path(path).read_bytes().decode())
        for slot in slots:
            if slot.path == path and isinstance(slot, Json):
                drop(value, slot)
        assert value == prune(before[path], value)


@pytest.mark.parametrize("kind", ["none", "typical", "commented"])
@pytest.mark.parametrize("name", HERE)
def test_after_the_host_wrote_its_files_anew(name: str, kind: str, machine: Machine) -> None:
    """Hosts print their settings in their own style; what was there before is there after, in that style."""
    machine.have(name)
    written = [path for path in samples.fill(machine.slots(name), kind) if path.endswith(".json")]
    before = {path: plain.load(Path(path).read_bytes().decode()) for path in written}
    names = {path for path, (_, content) in machine.tree().items() if content}
    machine.install(name)
    for slot in machine.slots(name):
        if isinstance(slot, Json):
            Path(slot.path).write_text(json.dumps(plain.load(machine.text(slot)), indent=1, sort_keys=True))
    machine.remove(name)
    assert {path: plain.load(Path(path).read_bytes().decode()) for path in written} == before
    assert {path for path, (_, content) in machine.tree().items() if content} == names


def drop(value: object, slot: Json) -> None:
    """Takes a slot's value out of a document."""
    node = value
    for key in slot.inside:
        assert isinstance(node, dict)
        node = node[key]
    if isinstance(node, list):
        assert node.pop() == slot.value
    elif slot.counts:
        assert isinstance(node, dict)
        assert node.pop(slot.place[-1]) == slot.value


def prune(before: object, after: object) -> object:
    """The document before, with the containers that connect had to make."""
    if isinstance(before, dict) and isinstance(after, dict):
        made = {key: part for key, part in after.items() if key not in before and part in ([], {})}
        return {key: prune(part, after.get(key)) for key, part in before.items()} | made
    return before


@pytest.mark.parametrize("name", HERE)
def test_a_malformed_file_is_refused(name: str, machine: Machine) -> None:
    machine.have(name)
    if samples.spoil(machine.slots(name)) is None:
        assert name in ("continue", "pi")  # have only files of ours
        return
    before = machine.tree()
    result = machine.run("connect", name, "--no-daemon")
    assert result.returncode == 1
    assert result.stdout.startswith(f"{name:<12} FAILED        malformed ")
    assert "left untouched" in result.stdout
    assert "memory-wire" in result.stdout.partition("put this in by hand:")[2]
    assert machine.tree() == before
    assert not (machine.data / "backups").exists()


@pytest.mark.parametrize("name", HOOKED)
def test_the_installed_hook_answers(name: str, machine: Machine, server: Server) -> None:
    """The command that stands in the host's file, run by a shell as hosts do, prints this project's memories in the host's form."""
    machine.have(name)
    machine.install(name, bank="harbour")
    server.retain("harbour", {"content": "The harbour pilot sleeps in Vlissingen in winter, above the chandler's."})
    commands = {}
    for slot in machine.slots(name):
        text = machine.text(slot)
        commands |= {event: command for event, command in spelled(slot.path, text).items() if command not in commands.values()}
    assert set(commands) >= ({"stop"} if name == "windsurf" else {"session-start", "prompt", "stop"})
    for event in PAYLOADS[name].keys() & commands.keys():
        given = payload(name, event, f"{name}-{event}", str(machine.work))
        variables = machine.variables | {"MEMORY_WIRE_URL": f"http://127.0.0.1:{server.port}"}
        done = subprocess.run(
            ["/bin/sh", "-c", commands[event]], input=json.dumps(given).encode(), capture_output=True, env=variables, check=True
        )
        assert done.stderr == b""
        if load(name).reply == "none":
            assert done.stdout == b""
        elif event == "prompt":
            assert "Vlissingen" in str(json.loads(done.stdout))
        elif event == "session-start":
            assert framing.start_heading("harbour") in str(json.loads(done.stdout))
        elif name != "cline":
            assert done.stdout == b""


def spelled(path: str, text: str) -> dict[str, str]:
    """Our commands in a file, by event, read without our code: JSON strings, or the file itself when it is a program."""
    if text.startswith("#!"):
        word = text.rpartition(" hook ")[2].split()[0]
        return {word: f"'{path}'".replace("o'ne", "o'\"'\"'ne")}
    found: dict[str, str] = {}

    def walk(value: object) -> None:
        if isinstance(value, str) and " hook " in value and "--host" in value:
            found[value.partition(" hook ")[2].split()[0]] = value
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            walk(part)

    if path.endswith(".json") and text:
        walk(plain.load(text))
    return found


@pytest.mark.parametrize("name", HERE)
def test_detection(name: str, machine: Machine) -> None:
    host = load(name)
    assert not host.detect(machine.env)
    machine.have(name)
    assert host.detect(machine.env)


@pytest.mark.parametrize("name", [name for name in HERE if load(name).binaries])
def test_detection_by_binary(name: str, machine: Machine) -> None:
    host = load(name)
    machine.program(machine.launcher.parent / host.binaries[0])
    assert host.detect(machine.env)
    machine.install(name)
    before = machine.tree()
    machine.remove(name)
    assert [path for path in machine.tree() if path in before] == []


def test_moved_folders(machine: Machine) -> None:
    moved = machine.home / "moved"
    for variable, name in (
        ("CODEX_HOME", "codex"),
        ("COPILOT_HOME", "copilot-cli"),
        ("CLAUDE_CONFIG_DIR", "claude-code"),
        ("XDG_CONFIG_HOME", "zed"),
    ):
        folder = moved / name
        folder.mkdir(parents=True)
        machine.variables[variable] = str(folder)
        assert {Path(slot.path).is_relative_to(folder) for slot in machine.slots(name)} == {True}
        machine.variables[variable] = "relative"  # means nothing
        assert {Path(slot.path).is_relative_to(moved) for slot in machine.slots(name)} == {False}


def test_macos_paths(tmp_path: Path) -> None:
    machine = Machine(tmp_path, platform="darwin")
    assert [Path(slot.path).relative_to(machine.home).parts[:3] for slot in machine.slots("vscode")][-1] == (
        "Library",
        "Application Support",
        "Code",
    )


def test_vscode_shares_hooks(machine: Machine) -> None:
    """Nothing fires twice: beside Claude Code, VS Code needs none; else it has Copilot CLI's, which go with the last that needs them."""
    machine.have("vscode", "claude-code", "copilot-cli")
    before = machine.tree()
    machine.install("claude-code")
    assert machine.install("vscode").done == ["servers.memory-wire"]
    machine.remove("vscode")
    machine.remove("claude-code")
    assert machine.tree() == before
    assert "hooks.sessionStart" in machine.install("vscode").done
    assert machine.install("copilot-cli").done == ["mcpServers.memory-wire"]
    assert "hooks.agentStop (needed by copilot-cli)" in machine.remove("vscode").left
    machine.remove("copilot-cli")
    assert machine.tree() == before


def test_roo_in_a_project(machine: Machine) -> None:
    """A project's entries are found again from another folder."""
    (machine.work / ".roo").mkdir()
    machine.install("roo-code")
    assert (machine.work / ".roo" / "mcp.json").exists()
    elsewhere = machine.home / "elsewhere"
    elsewhere.mkdir()
    machine.env = type(machine.env)(machine.env.home, machine.env.data, str(elsewhere), machine.variables, "linux")
    machine.remove("roo-code")
    assert list((machine.work / ".roo").iterdir()) == []


@pytest.mark.parametrize("name", HERE)
def test_without_the_record(name: str, machine: Machine) -> None:
    """Losing connect.json loses exactness only: ours still goes, foreign still stays."""
    machine.have(name)
    samples.fill(machine.slots(name), "typical")
    before = machine.tree()
    machine.install(name)
    os.unlink(machine.data / "connect.json")
    machine.remove(name)
    assert {path for path, (_, content) in machine.tree().items() if content} == {path for path, (_, content) in before.items() if content}
    for slot in machine.slots(name):
        assert slot.look(files.text(files.read(slot.path)), Trace()) in ("absent", "same" if not slot.counts else "absent")


def test_containers_of_another_kind(machine: Machine) -> None:
    machine.have("claude-code", "gemini-cli")
    settings = machine.home / ".gemini" / "settings.json"
    for text, said in (
        ('{"mcpServers": []}', "`mcpServers` is a list"),
        ('{"hooks": "no"}', "`hooks` is a string"),
        ("[]", "the document is a list"),
        ('{"hooks": null}', "`hooks` is null"),
    ):
        settings.write_text(text)
        with opened(str(machine.data)) as record, pytest.raises(Refused) as refusal:
            engine.install(load("gemini-cli"), machine.env, record, machine.wiring)
        assert said in refusal.value.reason
        assert "memory-wire" in refusal.value.snippet
        assert settings.read_text() == text
    settings.write_text('{"hooks": {"SessionStart": {"x": 1}}}\n')
    plan = machine.install("gemini-cli")
    assert plan.left == ["hooks.SessionStart (not ours)"]
    machine.remove("gemini-cli")
    assert settings.read_text() == '{"hooks": {"SessionStart": {"x": 1}}}\n'


def test_clines_other_folder(machine: Machine) -> None:
    other = machine.home / "Documents" / "Cline" / "Rules" / "Hooks"
    other.mkdir(parents=True)
    machine.install("cline")
    assert (other / "TaskStart").stat().st_mode & 0o111
    assert not (machine.home / "Documents" / "Cline" / "Hooks").exists()
    machine.remove("cline")
    assert list(other.iterdir()) == []


def test_somebody_elses_script_stays(machine: Machine) -> None:
    machine.have("cline")
    path = machine.home / "Documents" / "Cline" / "Hooks" / "TaskStart"
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\nexec my-memory-wire hook\n")
    assert machine.install("cline").left == ["Hooks/TaskStart (not ours)"]
    machine.remove("cline")
    assert path.read_text() == "#!/bin/sh\nexec my-memory-wire hook\n"
