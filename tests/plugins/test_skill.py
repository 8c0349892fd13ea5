"""The skill: well formed, true, written where each host looks and gone again without a trace."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memory_wire.hosts import NAMES
from memory_wire.hosts.skill import SPOTS, body, read
from tests import package
from tests.plugins.playing import Home

ROOT = Path(__file__).parents[2]
WHERE = {
    "claude-code": ".claude/skills/memory-wire/SKILL.md",
    "codex": ".agents/skills/memory-wire/SKILL.md",
    "copilot-cli": ".copilot/skills/memory-wire/SKILL.md",
    "cursor": "work/shop/.cursor/rules/memory-wire.mdc",
    "opencode": ".config/opencode/skills/memory-wire/SKILL.md",
    "omp": ".omp/agent/skills/memory-wire/SKILL.md",
    "hermes": ".hermes/skills/memory-wire/SKILL.md",
    "pi": ".pi/agent/skills/memory-wire/SKILL.md",
    "gemini-cli": ".gemini/skills/memory-wire/SKILL.md",
    "windsurf": "work/shop/.windsurf/rules/memory-wire.md",
    "aider": "work/shop/CONVENTIONS.md",
}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def run(home: Home, *words: str, **more: str | None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "memory_wire", *words]
    env = home.environ(PYTHONPATH=package.PATH, **more)
    return subprocess.run(command, cwd=home.project, env=env, capture_output=True, text=True, timeout=60, check=False)


def files(home: Home) -> dict[str, bytes]:
    return {str(path.relative_to(home.folder)): path.read_bytes() for path in home.folder.rglob("*") if path.is_file()}


def test_the_front_matter_is_what_hosts_accept() -> None:
    found = re.fullmatch(r"---\nname: ([^\n]+)\ndescription: ([^\n]+)\n---\n\n(.+)", read("SKILL.md"), re.S)
    assert found
    name, description, text = found.groups()
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) and name == "memory-wire" and len(name) <= 64
    assert 40 < len(description) <= 1024 and not set("<>:#") & set(description)
    assert text.count("\n") < 500 and len(text) < 8_000  # it is read whole into a context


def test_every_host_that_has_a_spot(home: Home) -> None:
    assert SPOTS.keys() - set(NAMES) == {"aider"} and SPOTS.keys() == WHERE.keys()


@pytest.mark.parametrize("host", WHERE)
def test_written_where_the_host_looks_and_gone_again(host: str, home: Home) -> None:
    before = files(home)
    done = run(home, "skill", "--install", host)
    path = home.folder / WHERE[host]
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.split("\n")[0] == f"created {path}"
    assert body() in path.read_text() and path.read_text().endswith("\n")
    if path.name == "SKILL.md":
        assert path.read_text() == read("SKILL.md")
    again = json.loads(run(home, "skill", "--install", host, "--json").stdout)
    assert (again["host"], again["word"], again["file"]) == (host, "unchanged", str(path))
    assert run(home, "skill", "--uninstall", host).stdout == f"removed {path}\n"
    assert (files(home) == before and not path.parent.exists()) or host == "aider"
    assert run(home, "skill", "--uninstall", host).stdout == f"unchanged {path}\n"


def test_folders_named_by_the_environment(home: Home) -> None:
    for host, name in (("claude-code", "CLAUDE_CONFIG_DIR"), ("copilot-cli", "COPILOT_HOME"), ("hermes", "HERMES_HOME")):
        folder = home.folder / name
        assert run(home, "skill", "--install", host, **{name: str(folder)}).returncode == 0
        assert (folder / "skills" / "memory-wire" / "SKILL.md").exists()


def test_somebody_elses_file_is_left_alone(home: Home) -> None:
    path = home.folder / WHERE["claude-code"]
    path.parent.mkdir(parents=True)
    path.write_text("---\nname: other\n---\n")
    for option in ("--install", "--uninstall"):
        done = run(home, "skill", option, "claude-code")
        assert (done.returncode, done.stdout) == (1, "") and "was not written by memory-wire; left untouched" in done.stderr
    assert path.read_text() == "---\nname: other\n---\n"


def test_an_edited_skill_is_kept_beside(home: Home) -> None:
    path = home.folder / WHERE["claude-code"]
    run(home, "skill", "--install", "claude-code")
    path.write_text(path.read_text() + "My own words.\n")
    assert run(home, "skill", "--install", "claude-code").stdout == f"updated {path}\n"
    assert [b"My own words." in data for name, data in files(home).items() if "/backups/" in name] == [True]


def test_aiders_conventions_keep_what_the_user_wrote(home: Home) -> None:
    path = home.project / "CONVENTIONS.md"
    path.write_bytes(b"Use tabs.\r\n")
    assert "aider --read CONVENTIONS.md" in run(home, "skill", "--install", "aider").stdout
    assert path.read_bytes().startswith(b"Use tabs.\r\n")
    run(home, "skill", "--uninstall", "aider")
    assert path.read_bytes() == b"Use tabs.\r\n"


def test_printing(home: Home) -> None:
    assert run(home, "skill").stdout == read("SKILL.md")
    assert run(home, "skill", "--runbook").stdout == read("RUNBOOK.md")
    assert json.loads(run(home, "skill", "--runbook", "--json").stdout) == {"name": "RUNBOOK.md", "text": read("RUNBOOK.md")}
    clash = run(home, "skill", "--runbook", "--install", "codex")
    assert clash.returncode == 2 and "exclude each other" in clash.stderr
    assert run(home, "skill", "--install", "emacs").returncode == 2
    assert run(home, "skill", "--install", "aider", "--uninstall", "aider").returncode == 2


def test_what_it_names_exists() -> None:
    """Tools, commands and options that the skill tells agents to use."""
    tools = {row["tool"]["name"] for row in json.loads((ROOT / "src" / "memory_wire" / "data" / "mcp_tools.json").read_text())}
    text = read("SKILL.md")
    assert set(re.findall(r"\bmemory_[a-z_]+", text)) <= tools
    from memory_wire.cli.main import commands

    every = commands()
    for command in re.findall(r"`memory-wire ([a-z]+)([^`]*)`", text):
        assert command[0] in every, command
        assert set(re.findall(r"--([a-z-]+)", command[1])) <= {option.name for option in every[command[0]].options}, command
    for words in (read("RUNBOOK.md"),):
        for verb, rest in re.findall(r"bin/memory-wire ([a-z]+)([^|>\n]*)", words):
            assert verb in every, verb
            assert set(re.findall(r"--([a-z-]+)", rest)) <= {option.name for option in every[verb].options}, (verb, rest)


def test_its_errors_are_what_is_said(home: Home) -> None:
    """Each error of the table, provoked, says what the table has agents look for, and the mend named is a command."""
    rows = re.findall(r"^\| `+ ?(.+?) ?`+.*? \| (.+) \|$", read("SKILL.md").partition("## Errors")[2], re.M)
    said = {row[0].rstrip(" …") for row in rows}
    assert {"no server at", "unknown bank", "unknown memory", "invalid content", "invalid bank id", "storage error"} <= said
    gone = "00000000-0000-4000-8000-000000000000"
    provoked = {
        "no server at": run(home, "recall", "x", MEMORY_WIRE_URL="http://127.0.0.1:1"),
        "unknown memory": run(home, "get", gone),
        "invalid content": run(home, "retain", " "),
        "invalid bank id": run(home, "retain", "x", "--bank", "b" * 513),
    }
    run(home, "retain", "first", "--document-id", "d")
    provoked["document already exists; use update_mode=replace"] = run(
        home, "retain", "second", "--document-id", "d", "--update-mode", "append"
    )
    provoked["unknown bank"] = run(home, "config", "--bank", "nowhere")
    for words, done in provoked.items():
        assert done.returncode in (1, 2) and words in done.stdout + done.stderr, (words, done)
        assert words in said, words
