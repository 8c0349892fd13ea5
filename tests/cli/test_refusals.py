"""Words that don't fit, of every verb: said on standard error, with exit status 2, and nothing on standard output."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memory_wire.cli import main, mcp
from memory_wire.cli.args import Command

COMMANDS = main.commands()
ALWAYS_WELL = "hook"  # a hook never fails


def misfits(command: Command) -> list[list[str]]:
    """Lines that no command takes, and some that this one doesn't."""
    words = ["x"] * len(command.positional)
    found = [["--no-such-option"], ["--no-such-option=1"]]
    if command.positional:
        found.append([])
    if command.choices:
        found.append(["no-such-word", *words[1:]])
    if not command.rest:
        found.append([*["x"] * (len(command.positional) + len(command.optional)), "too-many"])
    for option in command.options:
        if option.kind == "flag":
            found.append([f"--{option.name}=1"])
        else:
            found.append([f"--{option.name}"])
        if option.kind in ("int", "float"):
            found.append([f"--{option.name}", "many"])
        if option.choices:
            found.append([f"--{option.name}", "no-such-choice"])
    return found


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {ALWAYS_WELL, "serve"}))
def test_what_does_not_fit(name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for words in misfits(COMMANDS[name]):
        status = mcp.mcp(words) if name == "mcp" else main.run([name, *words])
        told = capsys.readouterr()
        assert (status, told.out) == (2, ""), (words, told)
        assert told.err.startswith(f"memory-wire {name}: "), (words, told)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", misfits(COMMANDS["serve"]), ids=" ".join)
def test_serve_which_begins_anew_before_it_reads_all(words: list[str], tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "memory_wire", "serve", *words], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout) == (2, "") and "\nmemory-wire serve: " in f"\n{done.stderr}"


def test_no_such_verb(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["no-such-verb"], ["help", "no-such-verb"]):
        assert main.run(words) == 2
        told = capsys.readouterr()
        assert told.out == "" and told.err.startswith("memory-wire: unknown command 'no-such-verb'")


def test_what_moves_a_terminal_is_not_said_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["recall", "--\x1b[2J", "x"]) == 2
    assert "\x1b" not in capsys.readouterr().err
